import type { School } from '../../base/school.ts'
import type { Database } from '../../database/connection/database.ts'
import type { FileStorage } from '../../database/files/fileStorage.ts'
import type { MissingFile } from '../../database/files/missingFiles.ts'
import type { SendMessage } from '../../database/outbox/sendMessage.ts'
import type { AuditRetention } from '../../database/tables/auditRetention.ts'
import type { WatchedOperations } from '../../database/tables/findSignals.ts'
import type { DatabaseArtifacts } from '../../identity/tokens/databaseArtifacts.ts'
import type { FreeSeats } from '../../school/events/jobs/fillFreeSeats.ts'
import type { NotificationArguments } from '../../school/notifications/jobs/sendNews.ts'
import type { EndGrant } from '../../school/students/eraseAccount.ts'

export interface JobContext {
  database: Database
  storage: FileStorage
  artifacts: DatabaseArtifacts
  send: SendMessage
  endGrant: EndGrant
  /** The schools that are served. */
  schools(): Promise<readonly School[]>
  watched: WatchedOperations
  hasPages: NotificationArguments['hasPages']
  externalServices: FreeSeats['externalServices']
  registration(): { never_used_days: number; idle_days: number }
  retention(): AuditRetention
  /** Called for each object that names a file that is gone. */
  onMissingFile(missing: MissingFile): void
}

/** The members of the context that a job needs. */
export type With<Member extends keyof JobContext> = Pick<JobContext, Member>

export interface ScheduledWork {
  everySeconds: number
  /** Delay of the first run, if it should start earlier than `everySeconds`. */
  firstAfterSeconds?: number
  /** Returns counts for the log. Ends soon after the signal aborts. */
  run(context: JobContext, signal?: AbortSignal): Promise<Record<string, number>>
}
