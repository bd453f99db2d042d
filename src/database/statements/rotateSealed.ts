import type { KeyPurpose, Keyring } from '../../base/keyring.ts'
import type { Sql } from '../connection/sql.ts'
import { readKeptKeys, type SealedColumn, sealedRows, signedCodes, storedPurposes } from './sealedColumns.ts'

/** A row that a request changes at that moment is left to the next pass. */
const maxPasses = 5

export interface Rotation {
  sealed: number
  /** Values that are not sealed with the newest secret: no secret opens them, or processes went on with an older one. */
  left: number
  /** Recovery codes that were deleted. */
  deleted: number
}

/**
 * Seals every stored value with the newest secret that is sealed with another one, a part of a table at a time, while the service runs. An
 * interrupted rotation can be repeated: what is done is not done again. Keeps the keys that verify the lasting signatures of the older
 * secrets. `isLeaked`: keeps no keys, and deletes the recovery codes that depend on a secret, because anybody may know them.
 */
export async function rotateSealed(
  sql: Sql,
  keyring: Keyring,
  { isLeaked, onProgress }: { isLeaked: boolean; onProgress(progress: { what: string; sealed: number }): void },
): Promise<Rotation> {
  // First: a process that starts with the new secret alone needs them.
  const stored = isLeaked ? {} : await readKeptKeys(sql, keyring)
  keyring.accept(stored ?? {})
  const kept = isLeaked ? {} : keyring.olderKeys()
  const keptKeys = Object.keys(kept).length > 0 ? keyring.seal('kept keys', JSON.stringify(kept)) : null
  // Those that no secret opens stay, for a secret that is added again.
  await sql.query('UPDATE installation SET kept_keys = $1 WHERE $2 OR kept_keys IS NULL', [keptKeys, stored !== undefined])
  let [sealed, left] = [0, 0]
  for (let pass = 0; pass < maxPasses; pass += 1) {
    const before = sealed
    left = 0
    for (const { purpose, what, columns } of storedPurposes)
      for (const source of columns)
        for await (const rows of sealedRows(sql, source, `right(${source.text}, 9) <> '=${keyring.secretIds[0]}'`)) {
          const done = await sealAgain(sql, keyring, { purpose, source, rows })
          sealed += done
          left += rows.length - done
          onProgress({ what, sealed })
        }
    if (left === 0 || sealed === before) break
  }
  // The hash for release 1.0.0 could be tried with the leaked secret.
  if (isLeaked) await sql.query('UPDATE recovery_code SET hash = gen_random_uuid()::text WHERE slow_hash IS NOT NULL')
  const deleted = isLeaked ? await sql.query(`DELETE FROM ${signedCodes.table} WHERE ${signedCodes.where} RETURNING 1`) : []
  return { sealed, left, deleted: deleted.length }
}

/** Replaces values, unless they were changed or are locked meanwhile. Returns the number of those that were replaced. */
async function sealAgain(
  sql: Sql,
  keyring: Keyring,
  { purpose, source, rows }: { purpose: KeyPurpose; source: SealedColumn; rows: readonly { at: string; value: string }[] },
): Promise<number> {
  const opened = rows.flatMap(({ at, value }) => {
    const text = keyring.tryOpen(purpose, value)
    return text === undefined ? [] : [{ at, value, sealed: keyring.seal(purpose, text) }]
  })
  if (opened.length === 0) return 0
  const { table, name, text, stored } = source
  const done = await sql.query(
    `WITH given AS (SELECT g.place::tid AS place, g.former, g.fresh FROM unnest($1::text[], $2::text[], $3::text[]) AS g(place, former, fresh)),
          free AS (SELECT given.place, given.fresh FROM "${table}" JOIN given ON "${table}".ctid = given.place AND ${text} = given.former
                      FOR UPDATE OF "${table}" SKIP LOCKED)
     UPDATE "${table}" SET "${name}" = ${stored('free.fresh')} FROM free WHERE "${table}".ctid = free.place RETURNING 1`,
    [opened.map(({ at }) => at), opened.map(({ value }) => value), opened.map(({ sealed: fresh }) => fresh)],
  )
  return done.length
}
