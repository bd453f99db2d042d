import { randomInt, type ScryptOptions, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { isSame, type Keyring, randomToken } from '../../base/keyring.ts'
import { comparisonForm } from '../../base/text/comparisonForm.ts'
import type { SchoolReader, SchoolWriter } from '../../database/connection/database.ts'
import { now } from '../../database/statements/expressions.ts'
import type { FactorOwner } from './ownFactors.ts'

const count = 10
/** Letters and digits that people do not confuse: 31 of them, so a code of 12 has 59 bits. */
const alphabet = '23456789abcdefghjkmnpqrstuvwxyz'
const length = 12

/** Returns what a person typed as a recovery code in the form that is hashed, or undefined if it cannot be one. */
export function typedRecoveryCode(typed: string): string | undefined {
  const code = comparisonForm(typed.slice(0, 100)).replaceAll(/[ -]/g, '')
  return code.length === length && [...code].every((character) => alphabet.includes(character)) ? code : undefined
}

/** Replaces the recovery codes of an account. Returns the new ones, which are stored as hashes only. */
export async function renewRecoveryCodes(writer: SchoolWriter, keyring: Keyring, { accountId }: FactorOwner): Promise<string[]> {
  const codes = Array.from({ length: count }, newCode)
  const salt = randomToken(128)
  const slowHashes = await Promise.all(codes.map((code) => slowHashOf(code, salt)))
  await removeRecoveryCodes(writer, { schoolId: writer.schoolId, accountId })
  await writer
    .insertInto('recovery_code')
    .values(
      codes.map((code, index) => ({
        ...{ school_id: writer.schoolId, account_id: accountId },
        ...{ hash: keyring.sign('recovery codes', signed(accountId, code)), slow_hash: slowHashes[index] ?? null },
      })),
    )
    .execute()
  return codes.map((code) => code.replace(/(.{4})(?!$)/g, '$1-'))
}

/** Uses up a recovery code. Returns how many are left, or undefined if the code is wrong. Of several requests with one code, one succeeds. */
export async function useRecoveryCode(
  database: SchoolReader,
  keyring: Keyring,
  { accountId, code }: FactorOwner & { code: string },
): Promise<number | undefined> {
  const unused = await database
    .selectFrom('recovery_code')
    .select(['hash', 'slow_hash'])
    .where('account_id', '=', accountId)
    .where('used_at', 'is', null)
    .execute()
  // The codes of an account share their salt, so that an attempt costs one hash.
  const salts = new Set(unused.flatMap(({ slow_hash: slow }) => slow?.split('$')[1] ?? []))
  const typed = await Promise.all([...salts].map((salt) => slowHashOf(code, salt)))
  const found = unused.find(({ hash, slow_hash: slow }) =>
    slow === null ? keyring.verify('recovery codes', signed(accountId, code), hash) : typed.some((one) => isSame(one, slow)),
  )
  if (!found) return undefined
  const { numUpdatedRows } = await database
    .updateTable('recovery_code')
    .set({ used_at: now })
    .where('account_id', '=', accountId)
    .where('hash', '=', found.hash)
    .where('used_at', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n ? unused.length - 1 : undefined
}

export async function removeRecoveryCodes(writer: SchoolWriter, { accountId }: FactorOwner): Promise<void> {
  await writer.deleteFrom('recovery_code').where('account_id', '=', accountId).execute()
}

const newCode = (): string => Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')

const signed = (accountId: string, code: string): string => `${accountId} ${code}`

const hashBytes = promisify<string, string, number, ScryptOptions, Buffer>(scrypt)

/** Needs no secret of the service. A code has 59 random bits, so that a hash of some milliseconds and 2 MiB is slow enough. */
async function slowHashOf(code: string, salt: string): Promise<string> {
  return `scrypt$${salt}$${(await hashBytes(code, salt, 32, { N: 2048, r: 8, p: 1 })).toString('base64url')}`
}
