import type { Database } from '../store/database.ts'
import { refreshSchool } from '../store/rollups/refreshSchool.ts'
import { listSchools } from '../store/schools.ts'
import type { Job } from './schedule.ts'

/** Name of the lock for the computation of figures. Two concurrent computations would write the same days. */
export const rollupLock = 'analytics_rollups'

/** Returns the job that updates the figures of every school, shortly after the start and then every five minutes. */
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
          for (const { id } of await listSchools(database.kysely)) {
            // A failure in one school does not affect the others.
            try {
              changed += await refreshSchool(database, { schoolId: id, now: new Date() })
            } catch (error) {
              failures.push(error)
            }
          }
          if (failures.length > 0) throw new AggregateError(failures, `computing the figures failed for ${failures.length} schools`)
          return { changed }
        }),
    },
  ]
}
