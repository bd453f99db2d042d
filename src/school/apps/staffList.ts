import { toPublicId } from '../../base/ids.ts'
import type { SchoolReader } from '../../database/connection/database.ts'
import { hasSecondFactor } from '../../identity/factors/hasSecondFactor.ts'

export interface StaffMember {
  /** `stf_…` */
  id: string
  name: string
  email: string
  role: string
  status: string
  hasSecondFactor: boolean
}

const most = 500

/** Returns the staff of a school by role and name. People who were removed are left out. */
export async function staffList(database: SchoolReader): Promise<StaffMember[]> {
  const rows = await database
    .selectFrom('staff')
    .innerJoin('person', 'person.id', 'staff.person_id')
    .leftJoin('account', 'account.id', 'person.account_id')
    .select(['staff.id', 'person.name', 'person.email', 'staff.role', 'staff.status'])
    .select((row) => hasSecondFactor(row).$castTo<boolean>().as('hasSecondFactor'))
    .where('staff.status', '!=', 'removed')
    .orderBy(({ ref }) => ref('staff.role'), 'desc')
    .orderBy('person.name')
    .orderBy('staff.id')
    .limit(most)
    .execute()
  return rows.map(({ id, ...member }) => ({ id: toPublicId('stf', id), ...member }))
}
