import type { SchoolDatabase, SchoolWriter } from '../../database/connection/database.ts'
import { removeApp } from './authenticatorApp.ts'
import { type FactorOwner, hasFactor, isLast, lockFactors, ownFactors } from './ownFactors.ts'
import { removeRecoveryCodes } from './recoveryCodes.ts'

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
