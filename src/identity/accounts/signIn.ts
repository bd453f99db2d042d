import type { SchoolReader } from '../../database/connection/database.ts'
import type { AuditEntry } from '../../database/tables/audit.ts'
import { hasSecondFactor } from '../factors/hasSecondFactor.ts'
import { sessionTime } from '../signIn/browserSessions.ts'
import { recordSignIn } from './activation.ts'
import { isTooLong, verifyPassword } from './password.ts'
import type { PasswordTurn } from './passwordGate.ts'

// Hash of discarded random bytes, which no password matches: an unknown account takes as long to check as a known one.
const dummyHash = '$argon2id$v=19$m=19456,t=2,p=1$IY3LNbe5W/0e7QKUalfWtQ$Fp/kUmWiXokTceFv4MA5sxRei0ckijkleyAwZXhgsqo'

/**
 * Returns the account with this address and password, or undefined: callers cannot distinguish the reasons of a failure.
 * `email` comes from `normaliseEmail`: accounts are looked up by exactly this text. `signedInAt` is the `auth_time` for the session, in seconds since 1970.
 * Does the same work for every address: known, unknown, disabled or without a password.
 */
export async function signIn(
  database: SchoolReader,
  email: string | undefined,
  password: string,
  turn: PasswordTurn,
  /** Returns the audit row, which is written together with the time of the sign-in. `signedInAt` is the `auth_time` of the session. */
  audit: (accountId: string, signedInAt: number) => AuditEntry,
): Promise<{ accountId: string; signedInAt: number; hasSecondFactor: boolean } | undefined> {
  if (email === undefined || isTooLong(password)) return undefined
  const account = await database
    .selectFrom('account')
    .select((row) => [
      ...(['id', 'password_hash', 'disabled_at', 'sessions_valid_after'] as const),
      row.fn<Date>('now').as('now'),
      hasSecondFactor(row).$castTo<boolean>().as('has_second_factor'),
    ])
    .where('email', '=', email)
    .executeTakeFirst()
  const isPassword = await turn(() => verifyPassword(password, account?.password_hash ?? dummyHash))
  if (!account?.password_hash || account.disabled_at || !isPassword) return undefined
  const signedInAt = sessionTime(account.now, account.sessions_valid_after)
  await recordSignIn(database, { accountId: account.id }, audit(account.id, signedInAt))
  return { accountId: account.id, signedInAt, hasSecondFactor: account.has_second_factor }
}
