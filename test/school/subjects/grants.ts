import { members } from '../../../src/school/members/members.ts'
import type { Exceptions } from '../derived/exceptions.ts'

export const exceptions: Exceptions = {
  // Either as a member or as a student.
  bodies: { grantProduct: async ({ create }) => ({ member_id: await create(members) }) },
}
