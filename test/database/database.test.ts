import { setTimeout } from 'node:timers/promises'
import { PrismaPg } from '@prisma/adapter-pg'
import { DummyDriver, sql as fragment, type Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { newId } from '../../src/base/ids.ts'
import { assembleDatabase } from '../../src/database/connection/assembleDatabase.ts'
import type { Database } from '../../src/database/connection/database.ts'
import { createTransactionGuard } from '../../src/database/connection/servicePool.ts'
import { embeddedDatabase, everyDatabase } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { until } from '../support/poll.ts'

describe.each(await everyDatabase())('the $name database', ({ open }) => {
  const opened = duringTests(open)
  let database: Database
  beforeAll(() => {
    database = opened.database
  })

  const school = (slug: string) => ({
    id: newId(),
    slug,
    name: 'Quill Harbour',
    locale: 'en',
    supported_locales: ['en', 'de'],
    time_zone: 'Europe/Berlin',
    currency: 'EUR',
  })
  const slugs = async () => (await database.kysely.selectFrom('school').select('slug').orderBy('slug').execute()).map((row) => row.slug)
  beforeEach(async () => {
    await database.kysely.deleteFrom('school').execute()
  })

  test('answers the same shapes: int8, DATE and numeric as text, jsonb parsed, times as Date in UTC, text arrays with null', async () => {
    const expected = {
      int8: '9007199254740993',
      count: '1',
      date: '2026-03-29',
      dates: ['2026-03-29'],
      numeric: '1.50',
      float: 1.5,
      json: { a: [1, 'x', null] },
      time: new Date('2026-03-29T00:30:00.123Z'),
      texts: ['x', null],
      uuid: '0191a0c0-0000-7000-8000-000000000000',
      yes: true,
      zone: 'UTC',
    }
    const text = `SELECT 9007199254740993::int8 AS int8, count(*) AS count, DATE '2026-03-29' AS date, ARRAY[DATE '2026-03-29'] AS dates,
      1.50::numeric AS numeric, 1.5::float8 AS float, '{"a":[1,"x",null]}'::jsonb AS json,
      '2026-03-29T02:30:00.123+02:00'::timestamptz AS time, ARRAY['x', NULL] AS texts,
      '0191a0c0-0000-7000-8000-000000000000'::uuid AS uuid, true AS yes, current_setting('TimeZone') AS zone`
    expect(await database.sql.query(text)).toEqual([expected])
    expect(await database.sql.query(text, [], 'shapes')).toEqual([expected])
    expect(await database.transaction((_, sql) => sql.query(text))).toEqual([expected])
    expect((await fragment.raw(text).execute(database.kysely)).rows).toEqual([expected])
  })

  test('takes the same values: null, Date, arrays, JSON as text, bytes', async () => {
    const at = new Date('2026-03-29T00:30:00.123Z')
    const rows = await database.sql.query(
      `SELECT $1::text AS nothing, $2::timestamptz AS at, $3::text[] AS texts, $4::jsonb AS json, encode($5::bytea, 'hex') AS bytes, $6::int8 AS big`,
      [null, at, ['a"b', '{}', null], JSON.stringify([{ a: 1 }]), Buffer.from([0, 255]), '9007199254740993'],
    )
    expect(rows).toEqual([{ nothing: null, at, texts: ['a"b', '{}', null], json: [{ a: 1 }], bytes: '00ff', big: '9007199254740993' }])
  })

  test('lets Kysely, raw SQL and Prisma see each other’s rows', async () => {
    await database.kysely.insertInto('school').values(school('kysely')).execute()
    const made = await (await database.prisma()).school.create({ data: { ...school('prisma'), settings: { open: [true] } } })
    expect(await (await database.prisma()).school.findUnique({ where: { slug: 'kysely' } })).toMatchObject({
      supported_locales: ['en', 'de'],
    })
    expect(await database.sql.query('SELECT slug, settings, created_at FROM school WHERE id = $1', [made.id], 'by_id')).toEqual([
      { slug: 'prisma', settings: { open: [true] }, created_at: made.created_at },
    ])
    expect(Math.abs(Date.now() - made.created_at.getTime())).toBeLessThan(60_000)
  })

  test('keeps what a transaction did when it ends, and shows none of it before', async () => {
    const { promise: looked, resolve: hasLooked } = Promise.withResolvers<void>()
    const { promise: written, resolve: hasWritten } = Promise.withResolvers<void>()
    const transaction = database.transaction(async (writer, sql) => {
      await writer.insertInto('school').values(school('kysely')).execute()
      await sql.query(`UPDATE school SET tagline = $1 WHERE slug = 'kysely'`, ['seen by both handles'])
      hasWritten()
      await looked
      return 'done'
    })
    await written
    // The embedded database lets the others wait instead.
    const externalServices = slugs()
    const early = await Promise.race([externalServices, setTimeout(100, [])])
    hasLooked()
    expect(early).toEqual([])
    expect(await transaction).toBe('done')
    await externalServices
    expect(await slugs()).toEqual(['kysely'])
  })

  test('undoes everything when the work throws, and passes the error on', async () => {
    const failure = new Error('no')
    const work = database.transaction(async (writer, sql) => {
      await writer.insertInto('school').values(school('kysely')).execute()
      await sql.query('DELETE FROM school WHERE slug = $1', ['nobody'])
      throw failure
    })
    await expect(work).rejects.toBe(failure)
    expect(await slugs()).toEqual([])
  })

  test('undoes everything after a failed statement, although the work caught the error', async () => {
    const work = database.transaction(async (writer, sql) => {
      await writer.insertInto('school').values(school('kysely')).execute()
      await sql.query('SELECT 1 / 0').catch(() => {})
    })
    await expect(work).rejects.toThrow()
    expect(await slugs()).toEqual([])
  })

  test('keeps concurrent transactions and queries apart', async () => {
    await database.kysely.insertInto('school').values(school('counter')).execute()
    const count = 20
    await Promise.all([
      ...Array.from({ length: count }, () =>
        database.transaction(async (writer, sql) => {
          const [row] = await sql.query<{ version: number }>(`SELECT version FROM school WHERE slug = 'counter' FOR UPDATE`)
          await writer
            .updateTable('school')
            .set({ version: (row?.version ?? 0) + 1 })
            .where('slug', '=', 'counter')
            .execute()
        }),
      ),
      ...Array.from({ length: count }, () => database.sql.query('SELECT 1')),
      ...Array.from({ length: count }, slugs),
    ])
    expect(await database.sql.query('SELECT version FROM school')).toEqual([{ version: 1 + count }])
  })

  test('reports a unique violation with its code, on every handle', async () => {
    await database.kysely.insertInto('school').values(school('taken')).execute()
    const values = [newId(), 'taken']
    const text = `INSERT INTO school (id, slug, name, locale, time_zone, currency) VALUES ($1, $2, 'n', 'en', 'UTC', 'EUR')`
    await expect(database.sql.query(text, values, 'insert_school')).rejects.toMatchObject({ code: '23505' })
    await expect(database.kysely.insertInto('school').values(school('taken')).execute()).rejects.toMatchObject({ code: '23505' })
    const prisma = await database.prisma()
    await expect(prisma.school.create({ data: school('taken') })).rejects.toMatchObject({ code: 'P2002' })
  })

  test('runs exclusive work once at a time for each name, and again when it is over, also after a failure', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    let running = 0
    const work = async () => {
      running += 1
      await released
      return 'ran'
    }
    const first = database.exclusively('sweep', work)
    await until(() => running === 1, { what: 'the first work runs' })
    expect(await database.exclusively('sweep', work)).toBeUndefined()
    expect(await database.exclusively('rollup', async () => 'another name')).toBe('another name')
    release()
    expect(await first).toBe('ran')
    await expect(database.exclusively('sweep', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await until(() => database.exclusively('sweep', work), { what: 'the name is free again' })).toBe('ran')
  })

  test('gives exclusive work to one of many concurrent callers', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<string>()
    const results = Array.from({ length: 5 }, () => database.exclusively('race', () => released))
    const losers = await Promise.race([Promise.all(results.map((result) => result.then(() => 1))), countSettled(results, 4)])
    expect(losers).toBe(4)
    release('won')
    expect((await Promise.all(results)).filter((result) => result === 'won')).toHaveLength(1)
  })

  test('lets exclusive work use every handle', async () => {
    const work = async () => {
      await database.transaction((writer) => writer.insertInto('school').values(school('job')).execute())
      return await slugs()
    }
    expect(await database.exclusively('job', work)).toEqual(['job'])
  })

  test('answers a ping', async () => {
    await expect(database.ping()).resolves.toBeUndefined()
  })
})

describe.each(await everyDatabase())('a closed $name database', ({ open }) => {
  test('may be closed again, and refuses every handle without hanging', async () => {
    const { database, drop } = await open()
    const prisma = await database.prisma()
    await prisma.school.count()
    await Promise.all([database.close(), database.close()])
    await database.close()
    await expect(database.sql.query('SELECT 1')).rejects.toThrow('closed')
    await expect(database.kysely.selectFrom('school').selectAll().execute()).rejects.toThrow()
    await expect(database.transaction(async () => 1)).rejects.toThrow('closed')
    await expect(database.exclusively('x', async () => 1)).rejects.toThrow('closed')
    await expect(database.ping()).rejects.toThrow()
    await expect(database.prisma()).rejects.toThrow('closed')
    await drop()
  })

  test('lets a transaction that is under way end first', async () => {
    const { database, drop } = await open()
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const { promise: closing, resolve: close } = Promise.withResolvers<void>()
    const work = database.transaction(async (_, sql) => {
      begin()
      await closing
      await setTimeout(50)
      return await sql.query('SELECT 1 AS one')
    })
    await begun
    const closed = database.close()
    close()
    expect(await work).toEqual([{ one: 1 }])
    await closed
    await drop()
  })
})

test('makes one Prisma client, on first use', async () => {
  const { sql, ...opened } = await embeddedDatabase()
  let made = 0
  const driver = new DummyDriver()
  const dialect = {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => driver,
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (kysely: Kysely<never>) => new PostgresIntrospector(kysely),
  }
  const prismaAdapter = async () => {
    made += 1
    return new PrismaPg('postgres://127.0.0.1:1/none')
  }
  const session = { query: sql.query, dialect, prismaAdapter, write: <Result>(work: () => Promise<Result>) => work() }
  const lanes = { api: session, authorization: session, background: session }
  const engine = { ...opened, lanes, checkWrites: opened.ping, end: opened.close }
  const database = assembleDatabase(engine, createTransactionGuard())
  await database.ping()
  expect(made).toBe(0)
  expect(await database.prisma()).toBe(await database.prisma())
  expect(made).toBe(1)
  await database.close()
})

/** Resolves with the number that had settled once it reached `wanted`. */
async function countSettled(results: Promise<unknown>[], wanted: number): Promise<number> {
  let settled = 0
  for (const result of results) void result.then(() => (settled += 1))
  return await until(() => settled >= wanted && settled, { what: `${wanted} have an answer` })
}
