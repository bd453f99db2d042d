import { readableLine } from '../../base/text/visibleText.ts'
import type { SchoolReader, SchoolWriter, Stored } from '../../database/connection/database.ts'

export interface OwnFactors {
  passkeys: OwnPasskey[]
  appSince: Date | undefined
  recoveryCodes: number
}

export interface OwnPasskey extends Stored<'passkey', 'id' | 'transports' | 'name'> {
  credentialId: string
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

export interface FactorOwner {
  schoolId: string
  accountId: string
}

/** Serialises changes of the second factors of an account that depend on how many it has. */
export async function lockFactors(writer: SchoolWriter, { accountId }: FactorOwner): Promise<void> {
  await writer.selectFrom('account').select('id').where('id', '=', accountId).forUpdate().execute()
}

const maxCharacters = 60

/** Returns a name for a passkey: one line of 1 to 60 characters. Undefined for any other text. */
export const passkeyName = (typed: string): string | undefined => readableLine(typed, maxCharacters)

export async function renamePasskey(
  writer: SchoolWriter,
  { accountId, id, name }: FactorOwner & { id: string; name: string },
): Promise<boolean> {
  const { numUpdatedRows } = await writer
    .updateTable('passkey')
    .set({ name })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Removes a passkey of the account. Returns its name; undefined if the account has no such passkey. */
export async function removePasskey(writer: SchoolWriter, { accountId, id }: FactorOwner & { id: string }): Promise<string | undefined> {
  const removed = await writer
    .deleteFrom('passkey')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returning('name')
    .executeTakeFirst()
  return removed?.name
}
