import { sql } from 'kysely'
import { type Handle, kyselyOf } from './rawSql.ts'

/** Runs `work` inside a transaction. If it throws, its changes are rolled back and the transaction can go on. */
export async function withinSavepoint<Result>(db: Handle, work: () => Promise<Result>): Promise<Result> {
  const writer = kyselyOf(db)
  await sql`SAVEPOINT part`.execute(writer)
  try {
    const result = await work()
    await sql`RELEASE SAVEPOINT part`.execute(writer)
    return result
  } catch (error) {
    // A savepoint that was lost with its connection needs no rollback, and the first error says more than that of the attempt.
    await sql`ROLLBACK TO SAVEPOINT part`.execute(writer).catch(() => undefined)
    throw error
  }
}
