import type { SchoolReader } from '../../database/connection/database.ts'
import type { FactorOwner } from './factorOwner.ts'

export interface OwnFactors {
  passkeys: OwnPasskey[]
  appSince: Date | undefined
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

export const hasFactor = ({ passkeys, appSince }: Pick<OwnFactors, 'passkeys' | 'appSince'>): boolean =>
  passkeys.length > 0 || appSince !== undefined

export const isLast = ({ passkeys, appSince }: Pick<OwnFactors, 'passkeys' | 'appSince'>): boolean =>
  passkeys.length + (appSince ? 1 : 0) === 1

export async function ownFactors(database: SchoolReader, { accountId }: FactorOwner): Promise<OwnFactors> {
  const passkeys = await database
    .selectFrom('passkey')
    .select(['id', 'credential_id', 'transports', 'name', 'created_at', 'last_used_at', 'is_synced'])
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  const app = await database.selectFrom('authenticator_app').select('created_at').where('account_id', '=', accountId).executeTakeFirst()
  const codes = await database
    .selectFrom('recovery_code')
    .select((code) => code.fn.countAll<string | number>().as('count'))
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
