import { demoId } from './ids.ts'
import { learnerAt, learnersCount, learnersWithLogin } from './learners.ts'
import { teamCount } from './school.ts'

const dayMs = 86_400_000

/** The learner of this number as a row. Their ids follow those of the people who work here. */
export function learnerRow(schoolId: string, now: Date, index: number) {
  const place = teamCount + index
  const created_at = new Date(now.getTime() + joinedMs(index))
  return {
    school_id: schoolId,
    id: demoId(schoolId, 'person', place),
    created_at,
    updated_at: created_at,
    account_id: index < learnersWithLogin ? demoId(schoolId, 'account', place) : null,
    ...learnerAt(index),
  }
}

/** Counted from now: the demo's own came over the last year, those of a larger school in the last weeks, and nobody is still to come. */
const joinedMs = (index: number): number =>
  index < learnersCount ? -390 * dayMs + index * (dayMs * 0.8) : -40 * dayMs + (index - learnersCount) * 500
