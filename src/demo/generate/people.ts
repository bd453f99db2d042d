import { quietMs } from '../calendar.ts'
import { learnerAt, learnersCount, learnersWithLogin } from '../learners.ts'

export interface Learner {
  index: number
  at: number
  is_student: boolean
  is_member: boolean
  /** True if the person has not accepted the invitation. */
  isInvited: boolean
  studentStatus: 'active' | 'invited' | 'suspended'
  memberStatus: 'active' | 'invited' | 'blocked' | 'left'
}

// The first learners have a login, so they are active.
const isOneOf = (index: number, every: number, place: number): boolean => index >= learnersWithLogin && index % every === place

export function statesOf(index: number): Pick<Learner, 'isInvited' | 'studentStatus' | 'memberStatus'> {
  const isInvited = isOneOf(index, 45, 22)
  const leaves = isOneOf(index, 71, 33) ? 'left' : isOneOf(index, 89, 60) ? 'blocked' : 'active'
  return {
    isInvited,
    studentStatus: isInvited ? 'invited' : isOneOf(index, 97, 50) ? 'suspended' : 'active',
    memberStatus: isInvited ? 'invited' : leaves,
  }
}

/** Returns when a learner joined: in order, over a little more than a year, the last one two days ago. */
export const joinedAt = (now: number, index: number): number =>
  Math.round(now - quietMs - 86_400_000 - (learnersCount - 1 - index) * 80_000_000)

export const generatePeople = (now: number): Learner[] =>
  Array.from({ length: learnersCount }, (_, index) => {
    const { is_student, is_member } = learnerAt(index)
    return { index, at: joinedAt(now, index), is_student, is_member, ...statesOf(index) }
  })
