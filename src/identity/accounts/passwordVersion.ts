import type { SchoolReader } from '../../database/connection/database.ts'

/**
 * Returns a text that changes with the password of the account with this address, and when all of its sessions are ended. It contains the
 * hash of the password: only a signature of it may leave the service.
 */
export async function findPasswordVersion(
  database: SchoolReader,
  email: string,
): Promise<{ version: string; sessionsValidAfter: Date | null } | undefined> {
  const account = await database
    .selectFrom('account')
    .select(['id', 'password_hash', 'sessions_valid_after'])
    .where('email', '=', email)
    .executeTakeFirst()
  if (!account) return undefined
  const { id, password_hash: hash, sessions_valid_after: sessionsValidAfter } = account
  return { version: JSON.stringify([id, hash, sessionsValidAfter?.getTime() ?? null]), sessionsValidAfter }
}
