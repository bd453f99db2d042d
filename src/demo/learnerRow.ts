import { facetsOf } from './facets.ts'
import { joinedAt } from './generate/people.ts'
import { demoId } from './ids.ts'
import { learnerAt, learnersCount, learnersWithLogin } from './learners.ts'
import { teamCount } from './school.ts'

/** The learner of this number as a row. Their ids follow those of the people who work here. */
export function learnerRow(schoolId: string, now: Date, index: number) {
  const place = teamCount + index
  const at = index < learnersCount ? joinedAt(now.getTime(), index) : addedAt(now.getTime(), index)
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

/** Returns when a learner of a larger school joined: within the last day, one after the other, after those of the demo and before now. */
const addedAt = (now: number, index: number): number => now - 86_400_000 + (index - learnersCount) * 20
