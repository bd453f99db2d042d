import type { Writer } from '../../store/database.ts'
import type { FactorOwner } from './factorOwner.ts'

const mostCharacters = 60

/** Returns a name for a passkey: one line of 1 to 60 characters. Undefined for any other text. */
export function passkeyName(typed: string): string | undefined {
  const name = typed
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/[\p{Cc}\p{Cs}]/gu, '')
    .normalize('NFC')
    .trim()
  return name !== '' && [...name].length <= mostCharacters ? name : undefined
}

/** Renames a passkey of the account. Returns false if it has no such passkey. */
export async function renamePasskey(
  writer: Writer,
  { schoolId, accountId, id, name }: FactorOwner & { id: string; name: string },
): Promise<boolean> {
  const { numUpdatedRows } = await writer
    .updateTable('passkey')
    .set({ name })
    .where('school_id', '=', schoolId)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Removes a passkey of the account. Returns its name; undefined if the account has no such passkey. */
export async function removePasskey(
  writer: Writer,
  { schoolId, accountId, id }: FactorOwner & { id: string },
): Promise<string | undefined> {
  const removed = await writer
    .deleteFrom('passkey')
    .where('school_id', '=', schoolId)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returning('name')
    .executeTakeFirst()
  return removed?.name
}
