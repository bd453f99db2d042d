import type { SqlDriverAdapterFactory } from '@prisma/client/runtime/client'
import { CompiledQuery, type Dialect, Kysely } from 'kysely'
import type { DB } from '../gen/kysely/tables.ts'
import { PrismaClient } from '../gen/prisma/client.ts'
import type { Database } from './database.ts'
import { guardedKysely } from './guardedKysely.ts'
import type { Sql } from './sql.ts'
import type { TransactionGuard } from './transactionGuard.ts'
import { withinDeadline } from './withinDeadline.ts'

/** What PostgreSQL and the embedded database do each in their own way. */
export interface Engine extends Sql, Pick<Database, 'kind' | 'script' | 'exclusively'> {
  dialect: Dialect
  prismaAdapter(): SqlDriverAdapterFactory
  end(): Promise<void>
}

/** The database that the other rooms see, over either engine. */
export function assembleDatabase(engine: Engine, guard: TransactionGuard): Database {
  const inner = new Kysely<DB>({ dialect: engine.dialect })
  let prisma: PrismaClient | undefined
  let closing: Promise<void> | undefined

  const letGo = async (): Promise<void> => {
    try {
      await prisma?.$disconnect()
    } finally {
      await engine.end()
    }
  }
  const assertUsable = (handle: string): void => {
    if (closing !== undefined) throw new Error(`${handle} was used after the database had been closed`)
    guard.assertOutside(handle)
  }

  return {
    kind: engine.kind,
    sql: {
      async query(text, values, name) {
        assertUsable('database.sql')
        return await engine.query(text, values, name)
      },
    },
    kysely: guardedKysely(inner, guard, () => {
      throw new Error('database.kysely starts no transaction: use database.transaction, which guards its inside')
    }),
    prisma() {
      assertUsable('database.prisma()')
      prisma ??= new PrismaClient({ adapter: engine.prismaAdapter() })
      return prisma
    },
    async transaction(work) {
      assertUsable('database.transaction')
      return await inner.transaction().execute((writer) => guard.inside(() => work(writer, sqlOver(writer))))
    },
    async script(work) {
      assertUsable('database.script')
      return await engine.script((script) => guard.inside(() => work(script)))
    },
    async exclusively(name, work) {
      assertUsable('database.exclusively')
      return await engine.exclusively(name, work)
    },
    async ping() {
      await withinDeadline(engine.query('SELECT 1'), 2000, 'the database')
    },
    close() {
      // Kysely is not destroyed: it would end the connections a second time.
      closing ??= letGo()
      return closing
    },
  }
}

/** Raw SQL on the connection of a Kysely transaction. Statements are not named there: Kysely has no place for a name. */
function sqlOver(writer: Kysely<DB>): Sql {
  return {
    async query<Row extends object>(text: string, values: readonly unknown[] = []) {
      return (await writer.executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows
    },
  }
}
