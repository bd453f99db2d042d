import type { EndGrant } from '../domain/students/eraseAccount.ts'
import { sweepApprovals, sweepContents } from '../store/approvals.ts'
import { sweepSignals } from '../store/appSignals.ts'
import { type AuditRetention, deleteExpiredAudit, shortenAuditAddresses } from '../store/auditRetention.ts'
import { sweepChanges } from '../store/changeLog.ts'
import { pruneClients } from '../store/clients.ts'
import { sweepTombstones } from '../store/clientTombstones.ts'
import type { Database } from '../store/database.ts'
import type { DatabaseArtifacts } from '../store/databaseArtifacts.ts'
import { sweepFormerSlugs } from '../store/formerSlugs.ts'
import { sweepGrantUse } from '../store/grantUse.ts'
import { sweepStoredResponses } from '../store/idempotency.ts'
import { sweepMailedLinks } from '../store/mailedLinks.ts'
import { sweepOutbox } from '../store/outbox/sweepOutbox.ts'
import { countSchools } from '../store/schoolCounts.ts'
import { listSchools } from '../store/schools.ts'
import { sweepNotifications } from '../store/sweepNotifications.ts'
import { sweepUndo } from '../store/undo/records.ts'
import { sweepChallenges } from '../store/usedChallenges.ts'
import { parkAbandoned } from '../store/webhooks/endpointState.ts'
import { drain } from './drain.ts'
import { deleteDueAccounts } from './due/deleteDueAccounts.ts'
import type { Job } from './schedule.ts'

export interface SweepArguments {
  database: Database
  artifacts: DatabaseArtifacts
  endGrant: EndGrant
  registration(): { never_used_days: number; idle_days: number }
  retention(): AuditRetention
}

const batch = 1000

/** Returns the jobs that delete expired data: artefacts, stored responses, mailed links, changes, accounts and unused registrations. */
export function sweepJobs({ database, artifacts, endGrant, registration, retention }: SweepArguments): Job[] {
  const exclusive =
    (name: string, work: (signal?: AbortSignal) => Promise<Record<string, number>>): Job['run'] =>
    (signal) =>
      database.exclusively(name, () => work(signal))
  return [
    {
      name: 'forget_answers',
      everySeconds: 15,
      run: exclusive('forget_answers', async (signal) => ({ forgotten: await drain(() => artifacts.forgetSuccessors(batch), signal) })),
    },
    {
      name: 'sweep_artifacts',
      everySeconds: 60,
      run: exclusive('sweep_artifacts', async (signal) => ({ removed: await drain(() => artifacts.sweep(batch), signal) })),
    },
    {
      name: 'sweep_mailed_links',
      everySeconds: 600,
      run: exclusive('sweep_mailed_links', async (signal) => ({
        removed: await drain(() => sweepMailedLinks(database.kysely, batch), signal),
      })),
    },
    {
      name: 'count_schools',
      everySeconds: 300,
      run: exclusive('count_schools', async () => ({ changed: await countSchools(database.kysely) })),
    },
    {
      name: 'sweep_records',
      everySeconds: 600,
      run: exclusive('sweep_records', async (signal) => ({
        answers: await drain(() => sweepStoredResponses(database.kysely, batch), signal),
        changes: await drain(() => sweepChanges(database.kysely, batch), signal),
        slugs: await drain(() => sweepFormerSlugs(database.kysely, batch), signal),
        notifications: await drain(() => sweepNotifications(database.kysely, batch), signal),
        approvals: await drain(() => sweepApprovals(database.kysely, batch), signal),
        contents: await sweepContents(database.kysely),
        undo: await drain(() => sweepUndo(database.kysely, batch), signal),
        challenges: await drain(() => sweepChallenges(database.kysely, batch), signal),
        signals: await drain(() => sweepSignals(database.kysely, batch), signal),
        uses: await drain(() => sweepGrantUse(database.kysely, batch), signal),
      })),
    },
    {
      name: 'sweep_outbox',
      everySeconds: 600,
      run: exclusive('sweep_outbox', async (signal) => ({
        abandoned: await parkAbandoned(database.kysely),
        removed: await drain(() => sweepOutbox(database.kysely, batch), signal),
      })),
    },
    {
      name: 'sweep_audit',
      everySeconds: 3600,
      run: exclusive('sweep_audit', async (signal) => {
        const done = { deleted: 0, shortened: 0 }
        for (const { id } of await listSchools(database.kysely)) {
          if (signal?.aborted) break
          done.deleted += await drain(() => deleteExpiredAudit(database.kysely, id, { ...retention(), limit: batch }), signal)
          done.shortened += await drain(() => shortenAuditAddresses(database.kysely, id, { ...retention(), limit: batch }), signal)
        }
        return done
      }),
    },
    {
      name: 'delete_accounts',
      everySeconds: 600,
      run: exclusive('delete_accounts', async (signal) => ({
        deleted: await drain(() => deleteDueAccounts(database, endGrant, 100), signal),
      })),
    },
    {
      name: 'prune_clients',
      everySeconds: 3600,
      run: exclusive('prune_clients', async () => {
        const { never_used_days: neverUsedDays, idle_days: idleDays } = registration()
        const removed = await database.transaction((writer) => pruneClients(writer, { neverUsedDays, idleDays }))
        return { removed, forgotten: await sweepTombstones(database.kysely) }
      }),
    },
  ]
}
