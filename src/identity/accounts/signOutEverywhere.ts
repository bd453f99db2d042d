import type { SchoolDatabase } from '../../database/connection/database.ts'
import { endAccountSessions } from '../../database/tables/accountSessions.ts'

/**
 * Ends every session of an account, in every browser and session store. Authorizations of apps stay.
 * Also ends a session that a running request is saving: see `isSessionOver`.
 */
export const signOutEverywhere = (database: SchoolDatabase, accountId: string): Promise<void> =>
  database.transaction((writer) => endAccountSessions(writer, database.schoolId, accountId))
