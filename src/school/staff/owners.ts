import type { SchoolReader, SchoolWriter } from '../../database/connection/database.ts'
import { lockSchool } from '../../database/tables/schools.ts'

/** Serialises changes of the school's owners, so that two concurrent demotions cannot remove the last owner. */
export const lockOwners = (writer: SchoolWriter): Promise<void> => lockSchool(writer, writer.schoolId)

export async function hasOtherOwner(reader: SchoolReader, { personId }: { personId: string | null }): Promise<boolean> {
  const owner = await reader
    .selectFrom('staff')
    .innerJoin('person', 'person.id', 'staff.person_id')
    .innerJoin('account', 'account.id', 'person.account_id')
    .select('staff.id')
    .where('staff.role', '=', 'owner')
    .where('staff.status', '=', 'active')
    .where('account.disabled_at', 'is', null)
    .where('account.deletion_scheduled_at', 'is', null)
    .where((staff) => (personId === null ? staff.lit(true) : staff('staff.person_id', '!=', personId)))
    .executeTakeFirst()
  return owner !== undefined
}
