import { describe, expect, test } from 'vitest'
import { createKeyring } from '../../src/base/keyring.ts'
import type { Database } from '../../src/database/connection/database.ts'
import { rotateSealed } from '../../src/database/statements/rotateSealed.ts'
import { countSealed, neededOf, storedPurposes } from '../../src/database/statements/sealedColumns.ts'
import { everyDatabase } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { fillEveryTable } from '../support/everyTable.ts'

const [old, fresh] = ['the secret of last year, in 32 letters', 'the secret of this year, in 32 letters']
const [before, both, after] = [createKeyring([old]), createKeyring([fresh, old]), createKeyring([fresh])]
const quiet = { isLeaked: false, onProgress: () => undefined }

/** Seals the values of every purpose with the former secret; `isNamed`: as this release does. Returns the number of values. */
async function sealEverything({ sql }: Pick<Database, 'sql'>, { isNamed }: { isNamed: boolean }): Promise<number> {
  let count = 0
  // Forms that wait for a sign-in have the table of the sessions.
  for (const { purpose, columns } of storedPurposes.filter(({ purpose }) => purpose !== 'kept forms'))
    for (const { table, name, stored } of columns) {
      const sealed = before.seal(purpose, purpose === 'kept keys' ? '{}' : `the content of ${table}.${name}`)
      const rows = await sql.query(`UPDATE "${table}" SET "${name}" = ${stored('$1::text')} RETURNING 1`, [
        isNamed ? sealed : sealed.split('=')[0],
      ])
      count += rows.length
    }
  // Rows that count have not ended.
  await sql.query(`UPDATE oidc_artifact SET expires_at = now() + interval '1 day', model = 'Session'`)
  await sql.query(`UPDATE idempotency_record SET expires_at = now() + interval '1 day'`)
  await sql.query('UPDATE signing_key SET retired_at = NULL')
  return count
}

describe.each(await everyDatabase())('on $name, secrets rotate', ({ open }) => {
  const opened = duringTests(open)

  test('seals the values of each purpose again, with and without an id, and what it did not reach in the next run', async () => {
    const { sql } = opened.database
    await fillEveryTable(sql, { schools: 2, rows: 3 })
    for (const isNamed of [true, false]) {
      expect(await sealEverything(opened.database, { isNamed })).toBeGreaterThan(20)
      expect(neededOf(await countSealed(sql, both), 1)).toContain('authenticator apps')
      const { sealed, left } = await rotateSealed(sql, both, quiet)
      expect([sealed > 20, left]).toEqual([true, 0])
      const counts = await countSealed(sql, after)
      expect(counts.filter(({ lost }) => lost > 0)).toEqual([])
      for (const { purpose, columns } of storedPurposes)
        for (const { table, name, text, where } of columns)
          for (const { value } of await sql.query<{ value: string }>(`SELECT ${text} AS value FROM "${table}" WHERE ${where}`))
            expect(after.tryOpen(purpose, value), `${table}.${name}`).toMatch(/the content of|^\{/)
      expect(await rotateSealed(sql, both, quiet)).toMatchObject({ sealed: 0, left: 0 })
    }
  }, 120_000)

  test('leaves a value that no secret opens as it is, and says how many', async () => {
    const { sql } = opened.database
    const unknown = createKeyring(['a secret that nobody has any more, really']).seal('calendars', 'lost')
    const rows = await sql.query('UPDATE calendar_feed SET sealed_token = $1 RETURNING 1', [unknown])
    expect(await rotateSealed(sql, both, quiet)).toMatchObject({ left: rows.length })
    expect(await sql.query('SELECT DISTINCT sealed_token FROM calendar_feed')).toEqual([{ sealed_token: unknown }])
    expect((await countSealed(sql, both)).find(({ what }) => what === 'calendar addresses')).toMatchObject({ lost: rows.length })
  })

  test('never overwrites what a request changes meanwhile', async () => {
    const { sql } = opened.database
    await sealEverything(opened.database, { isNamed: true })
    const changed = both.seal('calendars', 'written by a request')
    const write = async (): Promise<void> => {
      for (let times = 0; times < 20; times += 1) await sql.query('UPDATE calendar_feed SET sealed_token = $1', [changed])
    }
    await Promise.all([rotateSealed(sql, both, quiet), rotateSealed(sql, both, quiet), write()])
    expect(await sql.query('SELECT DISTINCT sealed_token FROM calendar_feed')).toEqual([{ sealed_token: changed }])
  })
})
