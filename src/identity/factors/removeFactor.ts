import type { SchoolDatabase, SchoolWriter } from '../../database/connection/database.ts'
import type { FactorOwner } from './factorOwner.ts'
import { lockFactors } from './lockFactors.ts'
import { hasFactor, isLast, ownFactors } from './ownFactors.ts'
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
