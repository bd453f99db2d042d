import type { Keyring } from '../../base/keyring.ts'
import type { SchoolDatabase, SchoolReader, SchoolWriter } from '../../database/connection/database.ts'
import { stepOfCode } from './appSecret.ts'
import { type FactorOwner, hasFactor, isLast, lockFactors, ownFactors } from './ownFactors.ts'
import { type NewPasskey, savePasskey } from './passkeys.ts'
import { removeRecoveryCodes, renewRecoveryCodes } from './recoveryCodes.ts'

/** Stores a secret after its first code was checked. It replaces the previous app. `step` is the time step of that code. */
async function saveApp(
  writer: SchoolWriter,
  keyring: Keyring,
  { accountId, secret, step }: FactorOwner & { secret: string; step: number },
): Promise<void> {
  const sealed = keyring.seal('authenticator apps', JSON.stringify({ accountId, secret }))
  await writer
    .insertInto('authenticator_app')
    .values({ school_id: writer.schoolId, account_id: accountId, secret: sealed, last_step: step })
    .onConflict((conflict) => conflict.columns(['school_id', 'account_id']).doUpdateSet({ secret: sealed, last_step: step }))
    .execute()
}

/**
 * Checks a code and uses up its time step: of several requests with one code, one succeeds. `unusable`: no secret of SECRET_KEY opens the
 * app any more, so that no code can be right.
 */
export async function useAppCode(
  database: SchoolReader,
  keyring: Keyring,
  { schoolId, accountId, code }: FactorOwner & { code: string },
  attempts = 2,
): Promise<'right' | 'wrong' | 'unusable'> {
  const app = await database.selectFrom('authenticator_app').select('secret').where('account_id', '=', accountId).executeTakeFirst()
  if (!app) return 'wrong'
  const secret = secretOf(keyring, app.secret, accountId)
  if (secret === undefined) return 'unusable'
  const step = await stepOfCode(secret, code)
  if (!step) return 'wrong'
  const { numUpdatedRows } = await database
    .updateTable('authenticator_app')
    .set({ last_step: step })
    .where('account_id', '=', accountId)
    .where('secret', '=', app.secret)
    .where('last_step', '<', step)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows > 0n) return 'right'
  // Another secret of SECRET_KEY may seal the same app meanwhile.
  return attempts > 1 ? await useAppCode(database, keyring, { schoolId, accountId, code }, attempts - 1) : 'wrong'
}

export async function removeApp(writer: SchoolWriter, { accountId }: FactorOwner): Promise<boolean> {
  const { numDeletedRows } = await writer.deleteFrom('authenticator_app').where('account_id', '=', accountId).executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** The sealed text names the account, so that a row cannot be moved to another one. */
function secretOf(keyring: Keyring, sealed: string, accountId: string): string | undefined {
  const opened = keyring.tryOpen('authenticator apps', sealed)
  if (opened === undefined) return undefined
  const content: { accountId: string; secret: string } = JSON.parse(opened)
  return content.accountId === accountId ? content.secret : undefined
}

/** A secret whose first code was checked. `step` is the time step of that code. */
interface NewApp extends FactorOwner {
  secret: string
  step: number
}

/** Stores an authenticator app in place of an earlier one. Returns recovery codes if the account had none. */
export const setUpApp = (database: SchoolDatabase, keyring: Keyring, app: NewApp): Promise<string[] | undefined> =>
  database.transaction(async (writer) => {
    await saveApp(writer, keyring, app)
    const { recoveryCodes } = await ownFactors(writer, app)
    return recoveryCodes === 0 ? renewRecoveryCodes(writer, keyring, app) : undefined
  })

/**
 * Stores an authenticator app during a sign-in with the password alone. Returns its recovery codes; undefined if the account has a second
 * factor already, which a password must not replace.
 */
export const setUpFirstApp = (database: SchoolDatabase, keyring: Keyring, app: NewApp): Promise<string[] | undefined> =>
  database.transaction(async (writer) => {
    await lockFactors(writer, app)
    if (hasFactor(await ownFactors(writer, app))) return undefined
    await saveApp(writer, keyring, app)
    return renewRecoveryCodes(writer, keyring, app)
  })

/**
 * Removes a second factor of an account, and the recovery codes with the last one. Returns what `remove` returns, or `last` without a
 * change if the factor is the last one and the account needs one.
 */
export const removeFactor = <Removed>(
  database: SchoolDatabase,
  owner: FactorOwner,
  { isRequired, remove }: { isRequired: boolean; remove(writer: SchoolWriter): Promise<Removed> },
): Promise<Removed | 'last'> =>
  database.transaction(async (writer) => {
    await lockFactors(writer, owner)
    if (isRequired && isLast(await ownFactors(writer, owner))) return 'last'
    const removed = await remove(writer)
    if (!hasFactor(await ownFactors(writer, owner))) await removeRecoveryCodes(writer, owner)
    return removed
  })

/** Removes every second factor of an account with its recovery codes. Returns the number of removed passkeys, and whether there was an app. */
export async function removeSecondFactors(writer: SchoolWriter, owner: FactorOwner): Promise<{ passkeys: number; hadApp: boolean }> {
  const { numDeletedRows } = await writer.deleteFrom('passkey').where('account_id', '=', owner.accountId).executeTakeFirstOrThrow()
  const hadApp = await removeApp(writer, owner)
  await removeRecoveryCodes(writer, owner)
  return { passkeys: Number(numDeletedRows), hadApp }
}

type NamedPasskey = FactorOwner & NewPasskey & { name: string }

/**
 * Stores a passkey. `codes` are recovery codes, if the account had none. Returns undefined if the account has too many passkeys, or if the
 * credential is registered already.
 */
export const setUpPasskey = (
  database: SchoolDatabase,
  keyring: Keyring,
  passkey: NamedPasskey,
): Promise<{ codes?: string[] } | undefined> =>
  database.transaction(async (writer) => {
    if ((await savePasskey(writer, passkey)) === undefined) return undefined
    const { recoveryCodes } = await ownFactors(writer, passkey)
    return recoveryCodes === 0 ? { codes: await renewRecoveryCodes(writer, keyring, passkey) } : {}
  })

/**
 * Stores a passkey during a sign-in with the password alone. Returns its recovery codes; undefined if the account has a second factor
 * already, to which a password must not add another one.
 */
export const setUpFirstPasskey = (database: SchoolDatabase, keyring: Keyring, passkey: NamedPasskey): Promise<string[] | undefined> =>
  database.transaction(async (writer) => {
    await lockFactors(writer, passkey)
    if (hasFactor(await ownFactors(writer, passkey)) || (await savePasskey(writer, passkey)) === undefined) return undefined
    return renewRecoveryCodes(writer, keyring, passkey)
  })
