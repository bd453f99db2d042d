import { removeOneDue } from '../../database/files/fileRemovals.ts'
import { findMissingFiles } from '../../database/files/missingFiles.ts'
import { sweepOutbox } from '../../database/outbox/sweepOutbox.ts'
import { sweepSignals } from '../../database/tables/appSignals.ts'
import { deleteExpiredAudit, shortenAuditAddresses } from '../../database/tables/auditRetention.ts'
import { sweepChanges } from '../../database/tables/changeLog.ts'
import { pruneClients } from '../../database/tables/clients.ts'
import { sweepTombstones } from '../../database/tables/clientTombstones.ts'
import { removeTrashedFiles, trashFiles } from '../../database/tables/files.ts'
import { sweepFormerSlugs } from '../../database/tables/formerSlugs.ts'
import { sweepGrantUse } from '../../database/tables/grantUse.ts'
import { sweepStoredResponses } from '../../database/tables/idempotency.ts'
import { sweepMailedLinks } from '../../database/tables/mailedLinks.ts'
import { orderNames } from '../../database/tables/nameOrder.ts'
import { countSchools } from '../../database/tables/schoolCounts.ts'
import { listSchools } from '../../database/tables/schools.ts'
import { sweepNotifications } from '../../database/tables/sweepNotifications.ts'
import { sweepContents, sweepProposals } from '../../database/tables/sweepProposals.ts'
import { sweepChallenges } from '../../database/tables/usedChallenges.ts'
import { sweepUndo } from '../../database/undo/records.ts'
import { parkAbandoned } from '../../database/webhooks/endpointState.ts'
import { deleteDueAccounts } from '../../school/account/jobs/deleteDueAccounts.ts'
import { cleanStoredPicture } from '../../school/files/jobs/cleanStoredPicture.ts'
import { drain, drainIn } from './drain.ts'
import type { ScheduledWork, With } from './jobContext.ts'

const batch = 1000
const maxMissingReported = 200
/** A file that nothing needs stays as long as most changes can be taken back, and then in the trash. */
const [unusedDays, trashDays] = [30, 7]

/** The jobs that keep rows in order, and delete what has expired and what nothing needs. */
export const sweepJobs = {
  forget_answers: {
    everySeconds: 15,
    run: async ({ artifacts }: With<'artifacts'>, signal?: AbortSignal) => ({
      forgotten: await drain(() => artifacts.forgetSuccessors(batch), signal),
    }),
  },
  sweep_artifacts: {
    everySeconds: 60,
    run: async ({ artifacts }: With<'artifacts'>, signal?: AbortSignal) => ({ removed: await drain(() => artifacts.sweep(batch), signal) }),
  },
  sweep_mailed_links: {
    everySeconds: 600,
    run: async ({ database }: With<'database'>, signal?: AbortSignal) => ({
      removed: await drain(() => sweepMailedLinks(database.kysely, batch), signal),
    }),
  },
  order_names: {
    everySeconds: 60,
    firstAfterSeconds: 1,
    run: async ({ database }: With<'database'>, signal?: AbortSignal) => ({ ordered: await orderNames(database, signal) }),
  },
  count_schools: {
    everySeconds: 300,
    run: async ({ database }: With<'database'>) => ({ changed: await countSchools(database.kysely) }),
  },
  sweep_records: {
    everySeconds: 600,
    run: async ({ database: { kysely } }: With<'database'>, signal?: AbortSignal) => ({
      answers: await drain(() => sweepStoredResponses(kysely, batch), signal),
      changes: await drain(() => sweepChanges(kysely, batch), signal),
      slugs: await drain(() => sweepFormerSlugs(kysely, batch), signal),
      notifications: await drain(() => sweepNotifications(kysely, batch), signal),
      proposals: await drain(() => sweepProposals(kysely, batch), signal),
      contents: await sweepContents(kysely),
      undo: await drain(() => sweepUndo(kysely, batch), signal),
      challenges: await drain(() => sweepChallenges(kysely, batch), signal),
      signals: await drain(() => sweepSignals(kysely, batch), signal),
      uses: await drain(() => sweepGrantUse(kysely, batch), signal),
    }),
  },
  sweep_outbox: {
    everySeconds: 600,
    run: async ({ database: { kysely } }: With<'database'>, signal?: AbortSignal) => ({
      abandoned: await parkAbandoned(kysely),
      removed: await drain(() => sweepOutbox(kysely, batch), signal),
    }),
  },
  sweep_audit: {
    everySeconds: 3600,
    async run({ database: { kysely }, retention }: With<'database' | 'retention'>, signal?: AbortSignal) {
      const done = { deleted: 0, shortened: 0 }
      for (const { id } of await listSchools(kysely)) {
        if (signal?.aborted) break
        done.deleted += await drain(() => deleteExpiredAudit(kysely, id, { ...retention(), limit: batch }), signal)
        done.shortened += await drain(() => shortenAuditAddresses(kysely, id, { ...retention(), limit: batch }), signal)
      }
      return done
    },
  },
  delete_accounts: {
    everySeconds: 600,
    run: async ({ database, endGrant }: With<'database' | 'endGrant'>, signal?: AbortSignal) => ({
      deleted: await drain(() => deleteDueAccounts(database, endGrant, 100), signal),
    }),
  },
  prune_clients: {
    everySeconds: 3600,
    async run({ database, registration }: With<'database' | 'registration'>) {
      const { never_used_days: neverUsedDays, idle_days: idleDays } = registration()
      const removed = await database.transaction((writer) => pruneClients(writer, { neverUsedDays, idleDays }))
      return { removed, forgotten: await sweepTombstones(database.kysely) }
    },
  },
  sweep_files: {
    everySeconds: 600,
    run: async ({ database }: With<'database'>, signal?: AbortSignal) => ({
      removed: await drainIn(database, (writer) => removeTrashedFiles(writer, { days: trashDays, limit: 200 }), signal),
      trashed: await drainIn(database, (writer) => trashFiles(writer, { days: unusedDays, limit: 200 }), signal),
    }),
  },
  report_missing_files: {
    everySeconds: 86_400,
    async run({ database, onMissingFile }: With<'database' | 'onMissingFile'>) {
      const missing = await findMissingFiles(database, maxMissingReported)
      missing.forEach(onMissingFile)
      return { missing: missing.length }
    },
  },
  remove_bytes: {
    everySeconds: 60,
    // One file in each transaction. The next run retries a removal that failed.
    run: async ({ database, storage }: With<'database' | 'storage'>, signal?: AbortSignal) => ({
      removed: await drainIn(database, async (writer) => Number(await removeOneDue(writer, (key) => storage.remove(key))), signal),
    }),
  },
  /** Removes the metadata of public pictures that were stored before uploads did. */
  clean_pictures: {
    everySeconds: 600,
    run: async ({ database, storage }: With<'database' | 'storage'>, signal?: AbortSignal) => ({
      changed: await drain(async () => Number(await cleanStoredPicture({ database, storage })), signal),
    }),
  },
} satisfies Record<string, ScheduledWork>
