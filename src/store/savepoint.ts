import type { Sql } from './sql.ts'

/** Runs `work` inside the transaction of `sql`. Where it throws, what it wrote is taken back and the transaction can go on. */
export async function withinSavepoint<Result>(sql: Sql, work: () => Promise<Result>): Promise<Result> {
  await sql.query('SAVEPOINT part')
  try {
    const result = await work()
    await sql.query('RELEASE SAVEPOINT part')
    return result
  } catch (error) {
    // One that was lost with its connection needs no taking back, and its error says more than the one of the attempt.
    await sql.query('ROLLBACK TO SAVEPOINT part').catch(() => undefined)
    throw error
  }
}
