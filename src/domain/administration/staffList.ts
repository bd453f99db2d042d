import type { Reader } from '../../store/database.ts'
import { hasSecondFactor } from '../secondFactors/hasSecondFactor.ts'

/** A member of the staff, as owners and admins see it. */
export interface StaffMember {
  name: string
  email: string
  role: string
  status: string
  /** True if the account has a passkey or an authenticator app. */
  hasSecondFactor: boolean
}

const most = 500

/** Returns the staff of a school by role and name. People who were removed are left out. */
export function staffList(database: Reader, schoolId: string): Promise<StaffMember[]> {
  return database
    .selectFrom('staff')
    .innerJoin('person', (join) => join.onRef('person.school_id', '=', 'staff.school_id').onRef('person.id', '=', 'staff.person_id'))
    .leftJoin('account', (join) => join.onRef('account.school_id', '=', 'person.school_id').onRef('account.id', '=', 'person.account_id'))
    .select(['person.name', 'person.email', 'staff.role', 'staff.status'])
    .select((row) => hasSecondFactor(row).$castTo<boolean>().as('hasSecondFactor'))
    .where('staff.school_id', '=', schoolId)
    .where('staff.status', '!=', 'removed')
    .orderBy(({ ref }) => ref('staff.role'), 'desc')
    .orderBy('person.name')
    .orderBy('staff.id')
    .limit(most)
    .execute()
}
