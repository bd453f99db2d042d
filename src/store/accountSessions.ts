import { type Handle, rawSql } from './rawSql.ts'

// Somebody whose password was checked just before this is committed must not slip through: a second covers the way to the commit.
const margin = "interval '1 second'"

/** Ends every session of the account that began until now, also one that is being saved at this moment by a request under way. */
export async function endAccountSessions(sql: Handle, schoolId: string, accountId: string): Promise<void> {
  await rawSql(sql).query(
    `UPDATE account SET sessions_valid_after = greatest(sessions_valid_after, clock_timestamp() + ${margin})
      WHERE school_id = $1 AND id = $2`,
    [schoolId, accountId],
  )
}
