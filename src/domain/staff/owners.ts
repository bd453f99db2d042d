import type { Reader, Writer } from '../../store/database.ts'
import { lockSchool } from '../../store/schools.ts'

/** Serialises changes of the school's owners, so that two concurrent demotions cannot remove the last owner. */
export const lockOwners = (writer: Writer, schoolId: string): Promise<void> => lockSchool(writer, schoolId)

/** Returns true if another owner of the school can sign in. */
export async function hasOtherOwner(
  reader: Reader,
  { schoolId, personId }: { schoolId: string; personId: string | null },
): Promise<boolean> {
  const owner = await reader
    .selectFrom('staff')
    .innerJoin('person', (join) => join.onRef('person.school_id', '=', 'staff.school_id').onRef('person.id', '=', 'staff.person_id'))
    .innerJoin('account', (join) => join.onRef('account.school_id', '=', 'person.school_id').onRef('account.id', '=', 'person.account_id'))
    .select('staff.id')
    .where('staff.school_id', '=', schoolId)
    .where('staff.role', '=', 'owner')
    .where('staff.status', '=', 'active')
    .where('account.disabled_at', 'is', null)
    .where('account.deletion_scheduled_at', 'is', null)
    .where((staff) => (personId === null ? staff.lit(true) : staff('staff.person_id', '!=', personId)))
    .executeTakeFirst()
  return owner !== undefined
}
