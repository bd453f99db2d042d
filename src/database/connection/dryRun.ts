import { sql } from 'kysely'
import { withoutSchool } from '../school/inSchool.ts'
import { type ChangeCount, changesOfTransaction } from '../tables/changeLog.ts'
import type { SchoolDatabase, SchoolWriter } from './database.ts'

/** The changes of a transaction before its rollback. */
export interface Effects {
  changes: ChangeCount[]
  /** The number of deleted rows by table, with those that fell with others. */
  deleted: ReadonlyMap<string, number>
  /** The e-mails that jobs would send. */
  laterEmails: number
}

/**
 * Returns the database with transactions that do everything but commit: constraints are checked, then all is rolled back. `effects` returns what
 * the last one wrote, with what `countEmails` counted before the rollback.
 */
export function withoutCommit(
  store: SchoolDatabase,
  countEmails: (writer: SchoolWriter) => Promise<number>,
): { store: SchoolDatabase; effects(): Effects } {
  let effects: Effects = { changes: [], deleted: new Map(), laterEmails: 0 }
  return {
    effects: () => effects,
    store: {
      ...store,
      async transaction<Result>(work: (writer: SchoolWriter) => Promise<Result>, purpose?: 'read' | 'write'): Promise<Result> {
        const rollback = new Error('a dry run is rolled back')
        const finished: { result: Result }[] = []
        try {
          await store.transaction(async (writer) => {
            const before = await deletedRows(writer)
            finished[0] = { result: await work(writer) }
            await sql`SET CONSTRAINTS ALL IMMEDIATE`.execute(withoutSchool(writer))
            const after = await deletedRows(writer)
            const deleted = [...after].map(([table, count]) => [table, count - (before.get(table) ?? 0)] as const)
            effects = {
              changes: await changesOfTransaction(writer),
              deleted: new Map(deleted.filter(([, count]) => count > 0)),
              laterEmails: await countEmails(writer),
            }
            throw rollback
          }, purpose)
        } catch (error) {
          if (error !== rollback) throw error
        }
        if (!finished[0]) throw new Error('a dry run has no result')
        return finished[0].result
      },
    },
  }
}

/**
 * Returns the deleted rows by table, as PostgreSQL counts them: those of the transaction, and those of earlier ones of the connection that it has
 * not added to its statistics yet.
 */
async function deletedRows(writer: SchoolWriter): Promise<Map<string, number>> {
  const { rows } = await sql<{ table: string; count: number }>`
    SELECT relname AS table, n_tup_del::int AS count FROM pg_stat_xact_user_tables WHERE n_tup_del > 0 AND schemaname = current_schema()`.execute(
    withoutSchool(writer),
  )
  return new Map(rows.map(({ table, count }) => [table, count]))
}
