import { setImmediate } from 'node:timers/promises'
import { CompiledQuery } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../src/database/connection/database.ts'
import { withinDeadline } from '../../src/database/connection/withinDeadline.ts'
import { everyDatabase } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'

describe.each(await everyDatabase())('inside a transaction of the $name database', ({ open }) => {
  const opened = duringTests(open)
  let database: Database
  beforeAll(async () => {
    database = opened.database
    await (await database.prisma()).school.count()
  })

  const outer: Record<string, () => unknown> = {
    'sql.query': () => database.sql.query('SELECT 1'),
    'a named sql.query': () => database.sql.query('SELECT 1', [], 'one'),
    'kysely.selectFrom': () => database.kysely.selectFrom('school').selectAll().execute(),
    'kysely.executeQuery': () => database.kysely.executeQuery(CompiledQuery.raw('SELECT 1')),
    'kysely.connection': () => database.kysely.connection().execute(async () => 1),
    'kysely.transaction': () => database.kysely.transaction().execute(async () => 1),
    'kysely.startTransaction': () => database.kysely.startTransaction().execute(),
    transaction: () => database.transaction(async () => 1),
    script: () => database.script(async () => 1),
    exclusively: () => database.exclusively('x', async () => 1),
    ping: () => database.ping(),
    'prisma()': () => database.prisma(),
  }

  test.each(Object.entries(outer))('%s throws immediately, and the transaction continues', async (_, use) => {
    const result = database.transaction(async (_writer, sql) => {
      await expect((async () => use())()).rejects.toThrow(/inside a transaction/)
      return await sql.query('SELECT 1 AS one')
    })
    expect(await withinDeadline(result, 2000, 'the transaction')).toEqual([{ one: 1 }])
  })

  test('a Prisma client that was taken before throws too', async () => {
    const prisma = await database.prisma()
    const work = database.transaction(() => prisma.school.count())
    await expect(withinDeadline(work, 2000, 'the transaction')).rejects.toThrow(/inside a transaction/)
    expect(await prisma.school.count()).toBe(0)
  })

  test('a path that awaits an outer handle deep below ends with the error of the guard while others use the database', async () => {
    const deep = async () => {
      await setImmediate()
      return await database.kysely.selectFrom('school').selectAll().execute()
    }
    const others = Array.from({ length: 5 }, () => database.kysely.selectFrom('school').selectAll().execute())
    const work = database.transaction(async (_, sql) => {
      await sql.query('SELECT 1')
      return await deep()
    })
    await expect(withinDeadline(work, 2000, 'the transaction')).rejects.toThrow(/database\.kysely was used inside a transaction/)
    await Promise.all(others)
  })

  test('the outer handles stay usable outside of the transaction and after it', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    let late: Promise<unknown> | undefined
    const work = database.transaction(async () => {
      late = released.then(() => database.sql.query('SELECT 1'))
    })
    const beside = database.sql.query('SELECT 2 AS two')
    await work
    release()
    await expect(late).resolves.toHaveLength(1)
    expect(await beside).toEqual([{ two: 2 }])
  })

  test('one database does not know of the transactions of another', async () => {
    const another = await open()
    try {
      expect(await database.transaction(() => another.database.sql.query('SELECT 1 AS one'))).toEqual([{ one: 1 }])
    } finally {
      await another.drop()
    }
  })
})

describe.each(await everyDatabase())('outside a transaction of the $name database', ({ open }) => {
  test('database.kysely starts none itself: its inside would have no guard', async () => {
    const { database, drop } = await open()
    await expect(database.kysely.transaction().execute(async () => 1)).rejects.toThrow('use database.transaction')
    await expect(database.kysely.startTransaction().execute()).rejects.toThrow('use database.transaction')
    expect(await database.sql.query('SELECT 1 AS one')).toEqual([{ one: 1 }])
    await drop()
  })
})
