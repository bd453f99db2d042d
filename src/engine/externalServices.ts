import type { Readable } from 'node:stream'
import type { Caller, PersonCaller } from '../base/caller.ts'
import type { School } from '../base/school.ts'
import type { Reader, SchoolWriter, Writer } from '../database/connection/database.ts'
import type { SendMessage } from '../database/outbox/sendMessage.ts'
import type { BrowserSessions } from '../database/tables/browserSessions.ts'
import type { RowChange, ShownChange } from '../database/undo/capture.ts'
import type { CheckoutItem } from './checkout.ts'
import type { ParameterValues } from './declare/expressions.ts'
import type { EndingGrant, GrantRevocation } from './grantRevocation.ts'

export interface Authorization {
  grantId: string
  clientId: string
  /** The name that the client registered; undefined if it has none or was removed. */
  clientName: unknown
  /** The name that the person gave it; undefined if they gave it none. */
  ownName: string | undefined
  scopes: ReadonlySet<string>
  /** Scopes that the app requested and the person refused. */
  refusedScopes: ReadonlySet<string>
  allowedAt: Date
  lastUsedAt: Date | undefined
  endsAt: Date
  /** When the person or the school paused it; undefined if it is not paused. */
  pausedAt: Date | undefined
}

/**
 * Services outside the transaction that rules of the school use. They are passed in, so that declarations do not depend on implementations.
 */
export interface ExternalServices {
  markup: MarkupRenderer
  files: FileServices
  checkoutAddress(school: School, item: CheckoutItem, code?: string): string | undefined
  /** Returns false if another site shows the public pages of the school. */
  hasPages(school: School): boolean
  /** Writes an e-mail to the outbox, in the transaction of the change. */
  send: SendMessage
  /** Returns the number of e-mails that jobs will send about what the transaction has changed. */
  countNews(writer: SchoolWriter, school: School): Promise<{ emails: number; at: Date | null }>
  emailLimits: EmailLimits
  /** Encrypts the tokens in the addresses of calendars, so that only their people see them. */
  calendarTokens: Sealing
  /** Encrypts the responses that are kept under an Idempotency-Key: they can contain signed addresses. */
  storedResponses: Sealing
  /** Encrypts the requests of apps about which people decide. */
  approvals: Sealing
  /** Encrypts the rows that requests changed. */
  undo: UndoRules &
    Sealing & {
      /** How long requests can be taken back; 0 if they cannot. */
      days(): number
    }
  authorizations: {
    /** Newest first. Pass the writer within a transaction. */
    list(schoolId: string, accountId: string, transaction?: Reader): Promise<Authorization[]>
    /** Revokes a grant and all its tokens, and records who did it, within the transaction of `writer`. */
    end(writer: Writer, grant: EndingGrant, revocation: GrantRevocation): Promise<void>
  }
  sessions: BrowserSessions
  apps: {
    /** For how many seconds e-mails and webhooks about changes of apps wait; 0 if they leave immediately. */
    outgoingDelay(): number
    /** Returns the remaining requests of an app with a person. Empty if limits are off. */
    limitsLeft(schoolId: string, holder: { clientId: string; accountId: string }): Promise<LimitLeft[]>
    /** Returns the apps that the operator lets owners allow. */
    offered(): readonly OfferedApp[]
  }
}

/** An app that identifies itself by a document, which owners can allow. */
export interface OfferedApp {
  id: string
  name: string
  /** The address of the document. */
  clientId: string
  /** True if the operator accepts its document for every school. */
  isTrusted: boolean
}

interface LimitLeft {
  name: string
  requests: number
  remaining: number
  /** In seconds. */
  resets_in: number
}

/** Encrypts what is stored. */
interface Sealing {
  seal(text: string): string
  /** Returns undefined if the secret key with which it was encrypted has been removed. */
  open(sealed: string): string | undefined
}

/** The facts about operations that taking a change back needs. */
export interface UndoRules {
  /**
   * Checks that the caller may call the operation whose changes are taken back. Returns the table of its resource.
   * @throws Problem access_denied or insufficient_scope; not_undoable for an operation that no longer exists
   */
  requireAllowed(operationId: string, caller: PersonCaller): { table: string }
  /**
   * Reads the rows that a request of these operations is about. Returns a function that checks, after they were taken back, that the caller may
   * change them like that, and returns which states changed.
   * @throws Problem access_denied, insufficient_scope
   */
  requireCaller(
    undoing: UndoCall,
    operationIds: readonly string[],
    ids: readonly string[],
  ): Promise<(rows: readonly SubjectRow[]) => Promise<StateChange[]>>
  /** Returns what changes of rows mean in the words of the API: first those of the table that a request is about, then those of no person. */
  show(writer: SchoolWriter, changes: readonly RowChange[], own: string, context: ShowContext): Promise<ShownChange[]>
  /** The types of the change feed whose rows are in this table. */
  typesOf(table: string): readonly string[]
  /** The public id of a row in this table; undefined if no type has its rows. */
  publicId(table: string, id: string): string | undefined
}

/** The request whose changes are described. */
export interface ShowContext {
  school: School
  caller: Caller
  parameters: ParameterValues
  externalServices: ExternalServices
}

/** The request that takes something back. */
export interface UndoCall {
  writer: SchoolWriter
  school: School
  caller: PersonCaller
  now: Date
  externalServices: ExternalServices
}

/** How a row was taken back. */
export interface SubjectRow {
  table: string
  /** Undefined for a row without one. */
  id: string | undefined
  action: 'restored' | 'updated' | 'deleted'
}

/** A row whose status was taken back, and the action that has this effect. */
export interface StateChange {
  table: string
  id: string
  type: string
  action: string
}

/**
 * Renders rich texts. Texts with much markup are rendered outside of the event loop, within a time limit.
 * @throws Problem validation_failed above the limits of markup, temporarily_unavailable if too many texts are waiting
 */
export interface MarkupRenderer {
  html(texts: readonly RichText[]): Promise<string[]>
  words(texts: readonly RichText[]): Promise<string[]>
  /** Returns what sanitising removes from the texts, such as `script`. */
  removed(texts: readonly RichText[]): Promise<string[]>
}

export interface RichText {
  text: string
  format: 'markdown' | 'html'
  field: string
  /** The origin whose pictures pages load. */
  origin?: string
}

/** Limits of e-mails that one person or their app can trigger again and again. */
export interface EmailLimits {
  /**
   * Counts an e-mail with a link that a person requests for an address.
   * @throws Problem rate_limited
   */
  requireRequested(school: School, email: string): Promise<void>
  /** Counts a notice about an account. Returns false if the account has received too many of this kind. */
  isNoticeAllowed(school: School, notice: { account_id: string; kind: string }): Promise<boolean>
}

export interface WaitingBytes {
  contentType: string
  bytes: number
  read(): Readable
}

/** File storage, signed URLs and limits, for declarations. */
export interface FileServices {
  limits: { quotaBytes: number; uploadsPerMinute: number; bytesPerDay: number }
  /** The signed URL to which the bytes of an upload are sent until it expires. */
  uploadAddress(school: School, uploadId: string, expiresAt: Date): string
  /** The signed URL of a private file; it lives longer for video and audio. */
  downloadAddress(school: School, file: { id: string; filename: string; content_type: string }): { url: string; expires_at: string }
  /**
   * Stores bytes before the transaction that creates their row, and removes them if no row is created. Throws a Problem if the bytes do not
   * match their declared type.
   */
  store(
    school: School,
    key: string,
    waiting: WaitingBytes,
    /** A public picture is stored without its metadata. */
    about: { isPublic: boolean },
  ): Promise<{ byteSize: number; checksum: string; width: number | null; height: number | null; metadataRemoved: string[] | null }>
  /** Returns the public id of a row that refers to a file: `crs_…` for a `course`. */
  publicId(object: string, id: string): string
}
