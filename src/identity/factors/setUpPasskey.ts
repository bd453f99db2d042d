import type { Keyring } from '../../base/keyring.ts'
import type { SchoolDatabase } from '../../database/connection/database.ts'
import { type FactorOwner, hasFactor, lockFactors, ownFactors } from './ownFactors.ts'
import { type NewPasskey, savePasskey } from './passkeys.ts'
import { renewRecoveryCodes } from './recoveryCodes.ts'

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
