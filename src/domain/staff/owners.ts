import type { Reader, Writer } from '../../store/database.ts'

/** Lets one change of the school's owners through at a time: of two demotions the second one finds a last owner. */
export async function lockOwners(writer: Writer, schoolId: string): Promise<void> {
  await writer.selectFrom('school').select('id').where('id', '=', schoolId).forUpdate().execute()
}

/** Whether somebody else owns the school and can sign in. */
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
    .$if(personId !== null, (query) => query.where('staff.person_id', '!=', personId as string))
    .executeTakeFirst()
  return owner !== undefined
}
