import { tmpdir } from 'node:os'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../src/database/connection/database.ts'
import { openDatabase } from '../../src/database/connection/openDatabase.ts'
import { migrationHistory } from '../../src/database/migrations/migrate.ts'
import { type CopyArguments, copyDatabase } from '../../src/database/transfer/copyDatabase.ts'
import { availableServices, embeddedDatabase, migrationsDirectory, throwawayPostgres } from '../support/databases.ts'
import { digestsOf, fillEveryTable } from '../support/everyTable.ts'

describe.runIf((await availableServices()).postgresql)('a copy of an embedded database to PostgreSQL', () => {
  let source: Database
  const undo: (() => unknown)[] = []
  beforeAll(async () => {
    source = await embeddedDatabase()
    undo.push(() => source.close())
    await fillEveryTable(source.sql, { schools: 2, rows: 5 })
  })
  afterAll(async () => {
    for (const step of undo.reverse()) await step()
  })

  async function openTarget(options?: { migrated: boolean }): Promise<Database> {
    const { url, drop } = await throwawayPostgres(options)
    const target = await openDatabase({ databaseUrl: url, dataDirectory: tmpdir(), poolSize: 2 })
    undo.push(drop, () => target.close())
    return target
  }
  const copyTo = (target: Database, more: Partial<CopyArguments> = {}) =>
    copyDatabase({ source, target, migrations: migrationsDirectory, onProgress: () => undefined, ...more })

  test('has every row of every table, unchanged, and new rows get numbers that are free', async () => {
    const target = await openTarget({ migrated: false })
    const before = await digestsOf(source)
    expect(Object.entries(before).filter(([, digest]) => digest.rows === 0)).toEqual([])
    const copied = await copyTo(target)
    expect(copied).toMatchObject({ tables: Object.keys(before).length, isContinued: false })
    expect(await digestsOf(target)).toEqual(before)
    expect(await digestsOf(source)).toEqual(before)
    const [newest] = await target.sql.query<{ id: string }>('SELECT max(id)::text AS id FROM outbox')
    const [next] = await target.sql.query<{ id: string }>(`SELECT nextval('outbox_id_seq')::text AS id`)
    expect(BigInt(next?.id ?? 0)).toBe(BigInt(newest?.id ?? 0) + 1n)
  })

  test('continues after an interruption at any table, and is refused by every process until it is complete', async () => {
    const target = await openTarget()
    const places = ['tables (course)', 'tables (webhook_endpoint)', 'references (comment)', 'compared tables']
    for (const place of places) {
      const interrupted = copyTo(target, {
        onProgress({ name }) {
          if (name === place) throw new Error('killed')
        },
      })
      await expect(interrupted).rejects.toThrow('killed')
      await expect(migrationHistory(target, migrationsDirectory)).rejects.toThrow('run schoolgate database copy again')
    }
    expect(await copyTo(target)).toMatchObject({ isContinued: true })
    expect(await digestsOf(target)).toEqual(await digestsOf(source))
    expect((await migrationHistory(target, migrationsDirectory)).missing).toEqual([])
  })

  test('finds that the source changed after an interruption', async () => {
    const target = await openTarget()
    const interrupted = copyTo(target, {
      onProgress({ name }) {
        if (name === 'tables (webhook_endpoint)') throw new Error('killed')
      },
    })
    await expect(interrupted).rejects.toThrow('killed')
    await source.sql.query(`UPDATE school SET name = name || '!'`)
    await expect(copyTo(target)).rejects.toThrow('the copy differs in school (2 and 2 rows)')
  })

  test('refuses a database with rows, with tables of another program, or with a copy of another installation', async () => {
    const used = await openTarget()
    await copyTo(used)
    await expect(copyTo(used)).rejects.toThrow('the target belongs to another installation')
    const foreign = await openTarget({ migrated: false })
    await foreign.sql.query('CREATE TABLE invoice (id integer)')
    await expect(copyTo(foreign)).rejects.toThrow('tables of another program')
    const begun = await openTarget()
    const stop = (): never => {
      throw new Error('killed')
    }
    await expect(copyTo(begun, { onProgress: stop })).rejects.toThrow('killed')
    const other = await embeddedDatabase()
    undo.push(() => other.close())
    await other.sql.query('UPDATE _prisma_migrations SET id = gen_random_uuid()')
    await expect(copyTo(begun, { source: other })).rejects.toThrow('incomplete copy of another installation')
  })
})
