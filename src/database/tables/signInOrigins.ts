import { sql } from 'kysely'
import type { Reader } from '../connection/database.ts'
import { isAmongTexts } from '../statements/expressions.ts'

export interface SignInOriginRow {
  /** `auth_time` of the session, in seconds since 1970. */
  signed_in_at: number
  address: string | null
  browser: { browser?: string; system?: string } | null
}

/** Returns the sign-ins of an account at these times, in seconds since 1970. A sign-in whose audit entry is gone is left out. */
export async function listSignInOrigins(
  db: Reader,
  schoolId: string,
  { accountId, times }: { accountId: string; times: readonly number[] },
): Promise<SignInOriginRow[]> {
  if (times.length === 0) return []
  const rows = await db
    .selectFrom('audit_log')
    .select(['address', 'details'])
    .where('school_id', '=', schoolId)
    .where('account_id', '=', accountId)
    .where(({ ref }) => isAmongTexts(sql<string>`${ref('details')} ->> 'signed_in_at'`, times.map(String)))
    .orderBy('id', 'desc')
    .limit(500)
    .$narrowType<{ details: { signed_in_at: number; browser?: SignInOriginRow['browser'] } }>()
    .execute()
  return rows.map(({ address, details }) => ({ signed_in_at: details.signed_in_at, address, browser: details.browser ?? null }))
}
