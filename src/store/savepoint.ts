import { type Handle, rawSql } from './rawSql.ts'

/** Runs `work` inside the transaction of `sql`. Where it throws, what it wrote is taken back and the transaction can go on. */
export async function withinSavepoint<Result>(sql: Handle, work: () => Promise<Result>): Promise<Result> {
  await rawSql(sql).query('SAVEPOINT part')
  try {
    const result = await work()
    await rawSql(sql).query('RELEASE SAVEPOINT part')
    return result
  } catch (error) {
    // One that was lost with its connection needs no taking back, and its error says more than the one of the attempt.
    await rawSql(sql)
      .query('ROLLBACK TO SAVEPOINT part')
      .catch(() => undefined)
    throw error
  }
}
