import type { Reader } from '../../store/database.ts'
import type { FactorOwner } from './factorOwner.ts'

/** The second factors of an account. */
export interface OwnFactors {
  /** Oldest first. */
  passkeys: OwnPasskey[]
  /** When the authenticator app was set up. */
  appSince: Date | undefined
  /** Number of recovery codes that are not used. */
  recoveryCodes: number
}

export interface OwnPasskey {
  id: string
  credentialId: string
  transports: string[]
  name: string
  createdAt: Date
  lastUsedAt: Date | null
  isSynced: boolean
}

/** Returns true if there is a passkey or an authenticator app. */
export const hasFactor = ({ passkeys, appSince }: Pick<OwnFactors, 'passkeys' | 'appSince'>): boolean =>
  passkeys.length > 0 || appSince !== undefined

/** Returns true if there is exactly one passkey or authenticator app. */
export const isLast = ({ passkeys, appSince }: Pick<OwnFactors, 'passkeys' | 'appSince'>): boolean =>
  passkeys.length + (appSince ? 1 : 0) === 1

/** Returns the second factors of an account. */
export async function ownFactors(database: Reader, { schoolId, accountId }: FactorOwner): Promise<OwnFactors> {
  const passkeys = await database
    .selectFrom('passkey')
    .select(['id', 'credential_id', 'transports', 'name', 'created_at', 'last_used_at', 'is_synced'])
    .where('school_id', '=', schoolId)
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  const app = await database
    .selectFrom('authenticator_app')
    .select('created_at')
    .where('school_id', '=', schoolId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  const codes = await database
    .selectFrom('recovery_code')
    .select((code) => code.fn.countAll<string | number>().as('count'))
    .where('school_id', '=', schoolId)
    .where('account_id', '=', accountId)
    .where('used_at', 'is', null)
    .executeTakeFirst()
  return {
    passkeys: passkeys.map((row) => ({
      id: row.id,
      credentialId: row.credential_id,
      transports: row.transports ?? [],
      name: row.name,
      createdAt: row.created_at,
      lastUsedAt: row.last_used_at,
      isSynced: row.is_synced,
    })),
    appSince: app?.created_at,
    recoveryCodes: Number(codes?.count ?? 0),
  }
}
