import type { SqlDriverAdapterFactory } from '@prisma/client/runtime/client'
import { type Dialect, Kysely } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'
import type { PrismaClient } from '../../gen/prisma/client.ts'
import { compiledBySchool } from '../school/schoolParameter.ts'
import type { Database, Lane } from './database.ts'
import { guardedKysely } from './guardedKysely.ts'
import { rawSql } from './rawSql.ts'
import type { AfterCommit, Queue, TransactionGuard } from './servicePool.ts'
import type { Sql } from './sql.ts'

/** The connections of one kind of work. */
export interface Connections extends Sql {
  dialect: Dialect
  /** Limits how many transactions change something at a time. */
  write: Queue
  prismaAdapter(): Promise<SqlDriverAdapterFactory>
}

/** The parts that differ between PostgreSQL and the embedded database. */
export interface Engine extends Pick<Database, 'kind' | 'facts' | 'script' | 'alone' | 'exclusively' | 'figures'> {
  lanes: Record<Lane, Connections>
  /** @throws Error when the database does not respond or takes no writes */
  checkWrites(): Promise<void>
  end(): Promise<void>
}

/** The database that the other modules see, over either engine, with the connections of the API. */
export function assembleDatabase(engine: Engine, guard: TransactionGuard): Database {
  const { api, authorization, background } = engine.lanes
  let prisma: Promise<PrismaClient> | undefined
  let closing: Promise<void> | undefined

  const letGo = async (): Promise<void> => {
    try {
      await (await prisma?.catch(() => undefined))?.$disconnect()
    } finally {
      await engine.end()
    }
  }
  const assertOpen = (handle: string): void => {
    if (closing !== undefined) throw new Error(`${handle} was used after the database had been closed`)
  }
  const assertUsable = (handle: string): void => {
    assertOpen(handle)
    guard.assertOutside(handle)
  }

  const over = (connections: Connections): Database => {
    const inner = new Kysely<DB>({ dialect: compiledBySchool(connections.dialect) })
    const kysely = guardedKysely(inner, guard, () => {
      throw new Error('database.kysely starts no transaction: use database.transaction, which guards its inside')
    })
    const sql: Sql = {
      async query(text, values, name) {
        assertUsable('database.sql')
        return await connections.query(text, values, name)
      },
    }
    return {
      kind: engine.kind,
      lane: (lane) => lanes[lane],
      sql,
      kysely,
      facts: engine.facts,
      async prisma() {
        assertUsable('database.prisma()')
        prisma ??= loadPrisma(api)
        return await prisma
      },
      async transaction(work, purpose = 'write') {
        assertUsable('database.transaction')
        const run = async () => {
          const after: AfterCommit = []
          const result = await inner.transaction().execute((writer) => guard.inside(() => work(writer, rawSql(writer)), after))
          for (const one of after) one()
          return result
        }
        return purpose === 'write' ? await connections.write(run) : await run()
      },
      afterCommit: (work) => guard.afterCommit(work),
      async script(work) {
        assertUsable('database.script')
        return await engine.script((script) => guard.inside(() => work(script)))
      },
      async alone(text) {
        assertUsable('database.alone')
        await engine.alone(text)
      },
      async exclusively(name, work) {
        assertUsable('database.exclusively')
        return await engine.exclusively(name, work)
      },
      figures: () => engine.figures(),
      async ping() {
        assertUsable('database.ping')
        await engine.checkWrites()
      },
      close() {
        // Kysely is not destroyed: it would end the connections a second time.
        closing ??= letGo()
        return closing
      },
    }
  }
  const main = over(api)
  const lanes: Record<Lane, Database> = {
    api: main,
    authorization: authorization === api ? main : over(authorization),
    background: background === api ? main : over(background),
  }
  return main
}

/** Loads Prisma on first use: a serving process never needs its 50 MB. */
async function loadPrisma(connections: Connections): Promise<PrismaClient> {
  const [{ PrismaClient }, adapter] = await Promise.all([import('../../gen/prisma/client.ts'), connections.prismaAdapter()])
  return new PrismaClient({ adapter })
}
