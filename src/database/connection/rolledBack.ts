import { sql as text } from 'kysely'
import type { Database, Reader, Writer } from './database.ts'
import type { Sql } from './sql.ts'

/** The rows of a table that a transaction deleted, changed and added. */
export interface RowCounts {
  deleted: number
  changed: number
  added: number
}

export interface RolledBack {
  /** Its transactions are parts of a single one, which reads from the first of them on belong to. */
  database: Database
  /** Checks the constraints, rolls everything back and returns the counts by table, without those of the audit trail. */
  end(): Promise<ReadonlyMap<string, RowCounts>>
}

interface Handles {
  writer: Writer
  sql: Sql
}

/** Returns a database that does everything but commit. Other work throws, also Prisma once the transaction has begun. */
export function rolledBack(database: Database): RolledBack {
  const finished = Promise.withResolvers<void>()
  const rollback = new Error('a dry run is rolled back')
  let counts: ReadonlyMap<string, RowCounts> = new Map()
  let open: Handles | undefined
  let running: Promise<void> | undefined

  const begin = async (): Promise<Handles> => {
    const begun = Promise.withResolvers<Handles>()
    running = database
      .transaction(async (writer, sql) => {
        const before = await rowCounts(writer)
        begun.resolve({ writer, sql })
        await finished.promise
        await text`SET CONSTRAINTS ALL IMMEDIATE`.execute(writer)
        counts = difference(await rowCounts(writer), before)
        throw rollback
      })
      .catch((error: unknown) => {
        begun.reject(error)
        if (error !== rollback) throw error
      })
    running.catch(() => undefined)
    return await begun.promise
  }
  const refuse = (): never => {
    throw new Error('a dry run is a single transaction')
  }

  const dry: Database = {
    kind: database.kind,
    facts: database.facts,
    lane: () => dry,
    get kysely(): Reader {
      return open?.writer ?? database.kysely
    },
    get sql() {
      return open?.sql ?? database.sql
    },
    prisma: () => (open ? refuse() : database.prisma()),
    async transaction(work) {
      open ??= await begin()
      return await work(open.writer, open.sql)
    },
    afterCommit: () => undefined,
    script: refuse,
    alone: refuse,
    exclusively: refuse,
    figures: () => database.figures(),
    ping: () => database.ping(),
    close: async () => undefined,
  }
  return {
    database: dry,
    async end() {
      finished.resolve()
      await running
      return counts
    },
  }
}

/**
 * Returns the rows by table that PostgreSQL counts for the transaction, and for earlier ones of the connection that it has not added to its
 * statistics yet.
 */
async function rowCounts(writer: Writer): Promise<Map<string, RowCounts>> {
  const { rows } = await text<RowCounts & { table: string }>`
    SELECT relname AS table, n_tup_del::int AS deleted, n_tup_upd::int AS changed, n_tup_ins::int AS added
      FROM pg_stat_xact_user_tables WHERE schemaname = current_schema() AND relname <> 'audit_log' ORDER BY relname`.execute(writer)
  return new Map(rows.map(({ table, ...counts }) => [table, counts]))
}

function difference(after: Map<string, RowCounts>, before: Map<string, RowCounts>): Map<string, RowCounts> {
  const changes = [...after].map(([table, now]): [string, RowCounts] => {
    const then = before.get(table) ?? { deleted: 0, changed: 0, added: 0 }
    return [table, { deleted: now.deleted - then.deleted, changed: now.changed - then.changed, added: now.added - then.added }]
  })
  return new Map(changes.filter(([, counts]) => Object.values(counts).some((count) => count > 0)))
}
