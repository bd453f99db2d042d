import { deleteDueAccounts } from '../domain/accountDeletion.ts'
import { sweepChanges } from '../store/changeLog.ts'
import { pruneClients } from '../store/clients.ts'
import { sweepTombstones } from '../store/clientTombstones.ts'
import type { Database } from '../store/database.ts'
import type { DatabaseArtifacts } from '../store/databaseArtifacts.ts'
import { sweepAnswers } from '../store/idempotency.ts'
import { sweepMailedLinks } from '../store/mailedLinks.ts'
import { countSchools } from '../store/schoolCounts.ts'
import type { Sql } from '../store/sql.ts'
import type { Job } from './schedule.ts'

export interface SweepArguments {
  database: Database
  artifacts: DatabaseArtifacts
  endGrant(sql: Sql, schoolId: string, grantId: string): Promise<void>
  registration(): { never_used_days: number; idle_days: number }
}

const batch = 1000

/** Removes what has expired: artefacts, answers kept for the refresh window, registrations that nobody ever authorized. */
export function sweepJobs({ database, artifacts, endGrant, registration }: SweepArguments): Job[] {
  const alone =
    (name: string, work: () => Promise<Record<string, number>>): Job['run'] =>
    () =>
      database.exclusively(name, work)
  return [
    {
      name: 'forget_answers',
      everySeconds: 15,
      run: alone('forget_answers', async () => ({ forgotten: await artifacts.forgetSuccessors(batch) })),
    },
    { name: 'sweep_artifacts', everySeconds: 60, run: alone('sweep_artifacts', async () => ({ removed: await artifacts.sweep(batch) })) },
    {
      name: 'sweep_mailed_links',
      everySeconds: 600,
      run: alone('sweep_mailed_links', async () => ({ removed: await sweepMailedLinks(database.sql, batch) })),
    },
    { name: 'count_schools', everySeconds: 300, run: alone('count_schools', async () => ({ changed: await countSchools(database.sql) })) },
    {
      name: 'sweep_records',
      everySeconds: 600,
      run: alone('sweep_records', async () => ({
        answers: await sweepAnswers(database.sql, batch),
        changes: await sweepChanges(database.sql, batch),
      })),
    },
    {
      name: 'delete_accounts',
      everySeconds: 600,
      run: alone('delete_accounts', async () => ({ deleted: await deleteDueAccounts(database, endGrant, 100) })),
    },
    {
      name: 'prune_clients',
      everySeconds: 3600,
      run: alone('prune_clients', async () => {
        const { never_used_days: neverUsedDays, idle_days: idleDays } = registration()
        const removed = await pruneClients(database.sql, { neverUsedDays, idleDays })
        return { removed, forgotten: await sweepTombstones(database.sql) }
      }),
    },
  ]
}
