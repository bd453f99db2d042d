import type { Readable } from 'node:stream'
import type { Sql } from '../store/sql.ts'
import type { CheckoutItem } from './checkout.ts'
import type { SendMessage } from './messages.ts'
import type { School } from './school.ts'

/** What a person allowed one client, once. */
export interface Authorization {
  /** Of the grant, as the engine keeps it. */
  grantId: string
  clientId: string
  /** As the client calls itself; undefined where it says nothing, or is gone. */
  clientName: unknown
  scopes: ReadonlySet<string>
  allowedAt: Date
  lastUsedAt: Date | undefined
}

/** One browser in which a person is signed in. */
export interface BrowserSession {
  /** Hash of what the browser holds. */
  id: string
  signedInAt: Date
  expiresAt: Date
}

/**
 * What a rule of the school can ask of the world outside its transaction. Handed in where the service is put together:
 * a declaration knows what it needs and nothing of who does it.
 */
export interface ExternalServices {
  files: FileServices
  /** Where an item is paid; undefined where the school names no checkout. */
  checkoutAddress(school: School, item: CheckoutItem, code?: string): string | undefined
  /** Leaves work for the time after the answer: nobody waits for it, and no request fails with it. Never throws. */
  enqueue(name: string, work: () => Promise<void>): void
  /** Sends a message now, and fails where it cannot be sent: for work that was left for afterwards. */
  send: SendMessage
  authorizations: {
    /** Newest first. Within a transaction, its `sql` is handed in. */
    list(schoolId: string, accountId: string, sql?: Sql): Promise<Authorization[]>
    /** Ends a grant and every token of it, within the transaction of `sql`. */
    end(sql: Sql, schoolId: string, grantId: string): Promise<void>
  }
  sessions: {
    list(schoolId: string, accountId: string, sql?: Sql): Promise<BrowserSession[]>
    end(sql: Sql, schoolId: string, sessionId: string): Promise<void>
  }
}

/** Bytes that wait in this process to be stored. */
export interface WaitingBytes {
  contentType: string
  bytes: number
  read(): Readable
}

/** File storage, signed addresses and limits, as declarations reach them. */
export interface FileServices {
  limits: { quotaBytes: number; uploadsPerMinute: number; bytesPerDay: number }
  /** Where the bytes of an announced file are sent, until then. */
  uploadAddress(school: School, uploadId: string, expiresAt: Date): string
  /** Where a private file can be read for a while: longer where it is watched or listened to. */
  downloadAddress(school: School, file: { id: string; filename: string; content_type: string }): { url: string; expires_at: string }
  /**
   * Stores bytes before the transaction that gives them a row. Where no row comes they are removed again.
   * Throws a Problem where they are not what they are said to be.
   */
  store(
    school: School,
    key: string,
    waiting: WaitingBytes,
  ): Promise<{ byteSize: number; checksum: string; width: number | null; height: number | null }>
  /** The public id of a row that names a file: of a `course`, `crs_…`. */
  publicId(object: string, id: string): string
}
