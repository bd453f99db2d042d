import { sql } from 'kysely'
import type { Reader } from './database.ts'

/** Runs `work` inside a transaction. If it throws, its changes are rolled back and the transaction can go on. */
export async function withinSavepoint<Result>(db: Reader, work: () => Promise<Result>): Promise<Result> {
  await sql`SAVEPOINT part`.execute(db)
  try {
    const result = await work()
    await sql`RELEASE SAVEPOINT part`.execute(db)
    return result
  } catch (error) {
    // A savepoint that was lost with its connection needs no rollback, and the first error says more than that of the attempt.
    await sql`ROLLBACK TO SAVEPOINT part`.execute(db).catch(() => undefined)
    throw error
  }
}
