import { sql } from 'kysely'
import { withoutSchool } from '../school/inSchool.ts'
import type { SchoolDatabase, SchoolWriter } from './database.ts'
import { withinSavepoint } from './savepoint.ts'

/** Returns the database with transactions that do everything but commit: constraints are checked, then all is rolled back. */
export const withoutCommit = (store: SchoolDatabase): SchoolDatabase => ({
  ...store,
  transaction: (work, purpose) => rolledBackIn(store, (writer) => checked(writer, work), purpose),
})

/** Returns the database whose transactions are parts of the one of the writer. Constraints are checked at the end of each. */
export const within = (store: SchoolDatabase, writer: SchoolWriter): SchoolDatabase => ({
  ...store,
  kysely: writer,
  transaction: (work) => withinSavepoint(writer, () => checked(writer, work)),
})

export async function rolledBackIn<Result>(
  store: Pick<SchoolDatabase, 'transaction'>,
  work: (writer: SchoolWriter) => Promise<Result>,
  purpose?: 'read' | 'write',
): Promise<Result> {
  const rollback = new Error('a dry run is rolled back')
  const finished: { result: Result }[] = []
  try {
    await store.transaction(async (writer) => {
      finished[0] = { result: await work(writer) }
      throw rollback
    }, purpose)
  } catch (error) {
    if (error !== rollback) throw error
  }
  if (!finished[0]) throw new Error('a dry run has no result')
  return finished[0].result
}

/** Does work, and checks the constraints that wait for the end of the transaction. Those of later statements wait again. */
async function checked<Result>(writer: SchoolWriter, work: (writer: SchoolWriter) => Promise<Result>): Promise<Result> {
  const result = await work(writer)
  await sql`SET CONSTRAINTS ALL IMMEDIATE`.execute(withoutSchool(writer))
  await sql`SET CONSTRAINTS ALL DEFERRED`.execute(withoutSchool(writer))
  return result
}
