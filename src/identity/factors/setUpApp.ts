import type { Keyring } from '../../base/keyring.ts'
import type { SchoolDatabase } from '../../database/connection/database.ts'
import { saveApp } from './authenticatorApp.ts'
import type { FactorOwner } from './factorOwner.ts'
import { lockFactors } from './lockFactors.ts'
import { hasFactor, ownFactors } from './ownFactors.ts'
import { renewRecoveryCodes } from './recoveryCodes.ts'

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
