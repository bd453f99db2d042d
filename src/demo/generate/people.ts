import { quietMs } from '../calendar.ts'
import { learnerAt, learnersCount, learnersWithLogin } from '../learners.ts'

/** Who takes part in the activity of the demo. */
export interface Learner {
  /** Their place among the learners, from 0. */
  index: number
  /** When the school came to know them. */
  at: number
  is_student: boolean
  is_member: boolean
  /** They have never answered: nothing else is known of them. */
  isInvited: boolean
  studentStatus: 'active' | 'invited' | 'suspended'
  memberStatus: 'active' | 'invited' | 'blocked' | 'left'
}

// The first ones have a login, and with it an answer.
const isOneOf = (index: number, every: number, place: number): boolean => index >= learnersWithLogin && index % every === place

/** What the school says of the learner of this number, however many there are. */
export function statesOf(index: number): Pick<Learner, 'isInvited' | 'studentStatus' | 'memberStatus'> {
  const isInvited = isOneOf(index, 45, 22)
  const leaves = isOneOf(index, 71, 33) ? 'left' : isOneOf(index, 89, 60) ? 'blocked' : 'active'
  return {
    isInvited,
    studentStatus: isInvited ? 'invited' : isOneOf(index, 97, 50) ? 'suspended' : 'active',
    memberStatus: isInvited ? 'invited' : leaves,
  }
}

/** When the learner of this number came: over a little more than a year, the last of them two days ago. */
export const joinedAt = (now: number, index: number): number =>
  Math.round(now - quietMs - 86_400_000 - (learnersCount - 1 - index) * 80_000_000)

/** The demo's own learners, in the order in which they came. */
export const generatePeople = (now: number): Learner[] =>
  Array.from({ length: learnersCount }, (_, index) => {
    const { is_student, is_member } = learnerAt(index)
    return { index, at: joinedAt(now, index), is_student, is_member, ...statesOf(index) }
  })
