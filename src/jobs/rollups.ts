import type { Database } from '../store/database.ts'
import { refreshSchool } from '../store/rollups/refreshSchool.ts'
import { listSchools } from '../store/schools.ts'
import type { Job } from './schedule.ts'

/** Whoever computes figures holds this name: two at once would write the same days. */
export const rollupLock = 'analytics_rollups'

/** Brings the figures of every school up to date, soon after the start and then every five minutes. */
export function rollupJobs({ database }: { database: Database }): Job[] {
  return [
    {
      name: rollupLock,
      everySeconds: 300,
      firstAfterSeconds: 2,
      run: () =>
        database.exclusively(rollupLock, async () => {
          let changed = 0
          const failures: unknown[] = []
          for (const { id } of await listSchools(database.sql)) {
            // What is wrong with one school keeps no other from its figures.
            try {
              changed += await refreshSchool(database, { schoolId: id, now: new Date() })
            } catch (error) {
              failures.push(error)
            }
          }
          if (failures.length > 0) throw new AggregateError(failures, `the figures of ${failures.length} schools could not be computed`)
          return { changed }
        }),
    },
  ]
}
