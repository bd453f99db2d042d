import type { SchoolWriter } from '../../database/connection/database.ts'
import { removeApp } from './authenticatorApp.ts'
import type { FactorOwner } from './factorOwner.ts'
import { removeRecoveryCodes } from './recoveryCodes.ts'

/** Removes every second factor of an account with its recovery codes. Returns the number of removed passkeys, and whether there was an app. */
export async function removeSecondFactors(writer: SchoolWriter, owner: FactorOwner): Promise<{ passkeys: number; hadApp: boolean }> {
  const { numDeletedRows } = await writer.deleteFrom('passkey').where('account_id', '=', owner.accountId).executeTakeFirstOrThrow()
  const hadApp = await removeApp(writer, owner)
  await removeRecoveryCodes(writer, owner)
  return { passkeys: Number(numDeletedRows), hadApp }
}
