import { readableLine } from '../../base/text/visibleText.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import type { FactorOwner } from './factorOwner.ts'

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
