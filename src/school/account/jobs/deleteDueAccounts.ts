import type { Database } from '../../../database/connection/database.ts'
import { schoolDatabase } from '../../../database/school/inSchool.ts'
import { now } from '../../../database/statements/expressions.ts'
import type { EndGrant } from '../../students/eraseAccount.ts'
import { deleteDueAccount } from '../accountDeletion.ts'

/** Deletes at most `limit` accounts that are due, each in its own transaction. Returns the number of deleted accounts. */
export async function deleteDueAccounts(database: Database, endGrant: EndGrant, limit: number): Promise<number> {
  const due = await database.kysely
    .selectFrom('account')
    .select(['school_id', 'id'])
    .where('deletion_scheduled_at', '<=', now)
    .orderBy('deletion_scheduled_at')
    .limit(limit)
    .execute()
  let deleted = 0
  for (const { school_id: schoolId, id } of due) {
    deleted += await schoolDatabase(database, schoolId, 'schedule').transaction((writer) =>
      deleteDueAccount(writer, { accountId: id, endGrant }),
    )
  }
  return deleted
}
