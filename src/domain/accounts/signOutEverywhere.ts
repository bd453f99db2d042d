import { endAccountSessions } from '../../store/accountSessions.ts'
import type { Sql } from '../../store/sql.ts'

/**
 * Ends every session of an account, in every browser and whatever store it is kept in. What was allowed to apps stays.
 * A session that a request under way is saving again is over as well: see `isSessionOver`.
 */
export const signOutEverywhere = (sql: Sql, schoolId: string, accountId: string): Promise<void> =>
  endAccountSessions(sql, schoolId, accountId)
