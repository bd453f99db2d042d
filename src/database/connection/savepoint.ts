import { sql } from 'kysely'
import { withoutSchool } from '../school/inSchool.ts'
import type { Reader } from './database.ts'

/** Runs `work` inside a transaction. If it throws, its changes are rolled back and the transaction can go on. */
export async function withinSavepoint<Result>(db: Reader, work: () => Promise<Result>): Promise<Result> {
  await sql`SAVEPOINT part`.execute(withoutSchool(db))
  try {
    const result = await work()
    await sql`RELEASE SAVEPOINT part`.execute(withoutSchool(db))
    return result
  } catch (error) {
    // A savepoint that was lost with its connection needs no rollback, and the first error says more than that of the attempt.
    await sql`ROLLBACK TO SAVEPOINT part`.execute(withoutSchool(db)).catch(() => undefined)
    throw error
  }
}
