import { tmpdir } from 'node:os'
import { describe, expect, test } from 'vitest'
import { isOutage } from '../../src/base/process/outage.ts'
import { openDatabase } from '../../src/database/connection/openDatabase.ts'
import { createStatementNames } from '../../src/database/connection/statementNames.ts'
import { availableServices, throwawayPostgres } from '../support/databases.ts'

const { postgresql } = await availableServices()

async function withOneConnection(work: (database: Awaited<ReturnType<typeof openDatabase>>) => Promise<void>, namedStatements = true) {
  const { url, drop } = await throwawayPostgres()
  const database = await openDatabase({ databaseUrl: url, dataDirectory: tmpdir(), poolSize: 1, namedStatements })
  try {
    await work(database)
  } finally {
    await database.close()
    await drop()
  }
}

type Opened = Awaited<ReturnType<typeof openDatabase>>

const prepared = async ({ sql }: Opened): Promise<string[]> =>
  (await sql.query<{ statement: string }>('SELECT statement FROM pg_prepared_statements')).map(({ statement }) => statement)

const schools = ({ kysely }: Opened) => kysely.selectFrom('school').select(['id', 'name']).where('slug', '=', 'none').execute()

describe.runIf(postgresql)('named statements', () => {
  test('are prepared once for each connection, from the second run on, from Kysely and from raw text', async () => {
    await withOneConnection(async (database) => {
      await schools(database)
      expect((await prepared(database)).filter((text) => text.includes('"school"'))).toEqual([])
      for (let run = 0; run < 4; run += 1) {
        await schools(database)
        await database.sql.query('SELECT slug FROM school WHERE id = $1', ['00000000-0000-7000-8000-000000000000'])
      }
      expect((await prepared(database)).filter((text) => /from "?school"?/i.test(text))).toHaveLength(2)
    })
  })

  test('run in transactions too', async () => {
    await withOneConnection(async (database) => {
      for (let run = 0; run < 3; run += 1) {
        await database.transaction(async (writer) => {
          await writer.updateTable('school').set({ name: 'New' }).where('slug', '=', 'none').execute()
        })
      }
      expect((await prepared(database)).filter((text) => text.startsWith('update "school"'))).toHaveLength(1)
    })
  })

  test('have named columns: a column that a migration adds fails no statement, in or outside of a transaction', async () => {
    await withOneConnection(async (database) => {
      const all = ({ kysely }: Pick<Opened, 'kysely'>) => kysely.selectFrom('school').selectAll().where('slug', '=', 'none').execute()
      const inTransaction = () =>
        database.transaction(async (writer) => {
          await all({ kysely: writer })
          const updating = writer.updateTable('school').set({ name: 'New' }).where('slug', '=', 'none')
          await updating.returningAll().execute()
          await writer.selectFrom('school').innerJoin('staff', 'school.id', 'staff.school_id').selectAll('school').execute()
          const newest = writer.selectFrom('school').select(['id']).where('slug', '=', 'none')
          await writer.selectFrom(newest.as('newest')).selectAll().execute()
        })
      for (let run = 0; run < 3; run += 1) {
        await all(database)
        await inTransaction()
      }
      expect((await prepared(database)).filter((text) => text.includes('"newest"'))).toHaveLength(1)
      await database.script(async ({ query }) => void (await query('ALTER TABLE school ADD COLUMN added_later text')))
      for (let run = 0; run < 3; run += 1) {
        expect(await all(database)).toEqual([])
        await inTransaction()
      }
    })
  })

  test('with a plan that a migration has outdated fail once as an outage, and work again on new connections', async () => {
    await withOneConnection(async (database) => {
      for (let run = 0; run < 3; run += 1) await schools(database)
      await database.script(async ({ query }) => void (await query('ALTER TABLE school ALTER COLUMN name TYPE varchar(500)')))
      const failure = await schools(database).then(
        () => undefined,
        (error: unknown) => error,
      )
      expect(isOutage(failure)).toBe(true)
      expect(await schools(database)).toEqual([])
      expect(await schools(database)).toEqual([])
    })
  })

  test('are forgotten by the connection too when many others came after them, and prepared again later', async () => {
    await withOneConnection(async (database) => {
      const run = async (shape: number) =>
        (await database.sql.query<{ shape: number }>(`SELECT ${shape} AS shape WHERE $1::int = 1`, [1])).map(({ shape }) => shape)
      const hot = () => database.sql.query('SELECT slug FROM school WHERE id = $1', ['00000000-0000-7000-8000-000000000000'])
      await hot()
      for (let shape = 0; shape < 450; shape += 1) {
        for (let time = 0; time < 2; time += 1) expect(await run(shape)).toEqual([shape])
        await hot()
      }
      const found = await prepared(database)
      expect(found.length).toBeLessThanOrEqual(401)
      expect(found.filter((text) => text.startsWith('SELECT slug'))).toHaveLength(1)
      expect(found.filter((text) => /^SELECT (0|449) AS/.test(text))).toEqual(['SELECT 449 AS shape WHERE $1::int = 1'])
      for (let time = 0; time < 3; time += 1) expect(await run(0)).toEqual([0])
      expect((await prepared(database)).filter((text) => text.startsWith('SELECT 0 AS'))).toHaveLength(1)
    })
  })

  test('are not used where they are switched off', async () => {
    await withOneConnection(async (database) => {
      for (let run = 0; run < 3; run += 1) await schools(database)
      expect(await prepared(database)).toEqual([])
    }, false)
  })
})

test('statements whose text depends on the number of values are not named', () => {
  const names = createStatementNames()
  const twice = (text: string) => [names.nameOf(text), names.nameOf(text)]
  for (const text of [
    'select "id" from "course" where "school_id" = $1 and "id" in ($2, $3, $4, $5, $6)',
    'insert into "order_item" ("school_id", "id") values ($1, $2), ($3, $4)',
  ]) {
    expect(twice(text)).toEqual([undefined, undefined])
  }
  for (const text of [
    'select "id" from "course" where "school_id" = $1 and "status" in ($2, $3)',
    'insert into "school" ("a", "b", "c", "d", "e", "f") values ($1, $2, $3, $4, $5, $6)',
  ]) {
    expect(twice(text)).toEqual([undefined, expect.stringMatching(/^s/)])
  }
})

test('only statements that are planned have names', () => {
  const names = createStatementNames()
  for (const text of ['BEGIN', 'SET LOCAL statement_timeout = 0', 'COPY school FROM STDIN']) {
    expect([names.nameOf(text), names.nameOf(text)]).toEqual([undefined, undefined])
  }
})

test('one process names 400 statements: a new one takes the name of the one that was not used for longest', () => {
  const names = createStatementNames()
  const text = (shape: number): string => `select ${shape} from school where id = $1`
  const twice = (shape: number): string | undefined => {
    names.nameOf(text(shape))
    return names.nameOf(text(shape))
  }
  for (let shape = 0; shape < 500; shape += 1) {
    expect(twice(shape)).toMatch(/^s/)
    expect(names.nameOf(text(0))).toMatch(/^s/)
  }
  const named = Array.from({ length: 500 }, (_, shape) => names.nameOf(text(shape)) !== undefined)
  expect(named.filter(Boolean)).toHaveLength(400)
  expect([named[0], named[1], named[499]]).toEqual([true, false, true])
})
