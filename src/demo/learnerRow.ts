import { facetsOf } from './facets.ts'
import { joinedAt } from './generate/people.ts'
import { demoId } from './ids.ts'
import { learnerAt, learnersWithLogin } from './learners.ts'
import { teamCount } from './school.ts'

export function learnerRow(schoolId: string, now: Date, index: number) {
  const place = teamCount + index
  const at = joinedAt(now.getTime(), index)
  const created_at = new Date(at)
  const learner = learnerAt(index)
  return {
    school_id: schoolId,
    id: demoId(schoolId, 'person', place),
    created_at,
    updated_at: created_at,
    account_id: index < learnersWithLogin ? demoId(schoolId, 'account', place) : null,
    ...learner,
    ...facetsOf(index, learner, at),
  }
}
