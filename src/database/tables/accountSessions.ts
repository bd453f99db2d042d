import { sql } from 'kysely'
import type { Writer } from '../connection/database.ts'

/**
 * Ends every session of the account that began until now, including one that a running request saves at this moment. One second is
 * added: a password that was checked just before the commit must not open a session.
 */
export async function endAccountSessions(writer: Writer, schoolId: string, accountId: string): Promise<void> {
  await writer
    .updateTable('account')
    .set(({ ref }) => ({
      sessions_valid_after: sql<Date>`greatest(${ref('sessions_valid_after')}, clock_timestamp() + interval '1 second')`,
    }))
    .where('school_id', '=', schoolId)
    .where('id', '=', accountId)
    .execute()
}
