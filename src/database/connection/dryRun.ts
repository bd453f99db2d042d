import { sql } from 'kysely'
import { withoutSchool } from '../school/inSchool.ts'
import type { SchoolDatabase, SchoolWriter } from './database.ts'

/** Returns the database with transactions that do everything but commit: constraints are checked, then all is rolled back. */
export const withoutCommit = (store: SchoolDatabase): SchoolDatabase => ({
  ...store,
  async transaction<Result>(work: (writer: SchoolWriter) => Promise<Result>, purpose?: 'read' | 'write'): Promise<Result> {
    const rollback = new Error('a dry run is rolled back')
    const finished: { result: Result }[] = []
    try {
      await store.transaction(async (writer) => {
        finished[0] = { result: await work(writer) }
        await sql`SET CONSTRAINTS ALL IMMEDIATE`.execute(withoutSchool(writer))
        throw rollback
      }, purpose)
    } catch (error) {
      if (error !== rollback) throw error
    }
    if (!finished[0]) throw new Error('a dry run has no result')
    return finished[0].result
  },
})
