import type { z } from 'zod'
import type { Caller } from '../base/caller.ts'
import type { School } from '../base/school.ts'
import { isObject } from '../base/text/jsonValue.ts'
import type { ListedRow, PageOfRows } from '../base/text/pageOfRows.ts'
import type { SchoolDatabase, SchoolReader } from '../database/connection/database.ts'
import type { StatementCache } from '../database/connection/statementCache.ts'
import type { FactVersion } from '../database/facts/fact.ts'
import type { ParameterValues } from './declare/expressions.ts'
import type { Operation } from './declare/operations.ts'
import type { QueryScope } from './declare/queryScope.ts'
import type { Representation } from './declare/representation.ts'
import type { ExternalServices } from './externalServices.ts'
import type { CursorSigner } from './read/cursor.ts'
import type { RowTexts } from './read/rowTextStore.ts'
import type { Merging, RecordedEntry } from './write/activity.ts'
import type { ShowRequests } from './write/dryRunReport.ts'
import type { Precondition } from './write/preconditions.ts'
import type { SentForm } from './write/writing.ts'

export interface RunContext {
  database: SchoolReader
  /** The whole database. Without it nothing can be written, and statements have no time limit. */
  store?: SchoolDatabase | undefined
  school: School
  signer: CursorSigner
  statements?: StatementCache | undefined
  rowTexts?: RowTexts | undefined
  /** The version of the school's content, if it has been read for this request. */
  contentVersion?: VisitorRead['version']
  externalServices: ExternalServices
  requestId?: string | undefined
  address?: string | undefined
  /** True if the transaction has earlier requests of a proposal. */
  isReplayed?: boolean | undefined
  /** The proposal that is merged. */
  merging?: Merging | undefined
  showRequests?: ShowRequests | undefined
}

export type Format = 'json' | 'csv' | 'ndjson' | 'html' | Representation

/** The caller's request. Each part is read when it is needed. */
export interface RequestInput {
  /** Values by parameter name: text from a URL, or JSON from a tool call. */
  parameters(): Readonly<Record<string, unknown>>
  /** Returns the parsed body. Throws invalid_json and similar problems. */
  body?(): Promise<unknown>
  /** Returns the text of a CSV file; undefined if the body has another media type. */
  csv?(): Promise<string | undefined>
  /** Returns the parsed form, with at most `maxBytes` of its file. The code that calls this must call `discard` afterwards. */
  form?(maxBytes: number): Promise<SentForm & { discard(): Promise<void> }>
  ifMatch?: string | undefined
  idempotencyKey?: string | undefined
  /** Why the app makes the request, in its own words. */
  agentReason?: string | undefined
  /** The proposal to which an app adds a write, or with which it reads. */
  proposal?: string | undefined
  /** How long the response may wait for the decision of a person. */
  waitSeconds?: number | undefined
  /** True for a write whose stored response an app requests: it must not change anything. */
  isRepeated?: true
  /** True if the caller asks what a write would do: nothing is kept. */
  isDryRun?: boolean | undefined
  /** The URL with its query. An idempotency key is valid for one target. */
  target?: string | undefined
  format?: Format | undefined
}

export type FrameworkParameters = {
  limit: z.ZodInt
  cursor: z.ZodOptional<z.ZodString>
  q: z.ZodOptional<z.ZodString>
  csv: z.ZodOptional<z.ZodEnum<{ excel: 'excel' }>>
  fields: z.ZodOptional<z.ZodArray<z.ZodString>>
  expand: z.ZodOptional<z.ZodArray<z.ZodString>>
}

/** A call that is authorised and whose parameters are parsed. */
export interface Call<Target extends Operation = Operation> extends RunContext {
  operation: Target
  caller: Caller
  parameters: ParameterValues<FrameworkParameters>
  queryScope: QueryScope
  precondition: Precondition
  format: Format
  waitSeconds?: number | undefined
}

/** The response, which REST and MCP render. */
export interface ApiResponse {
  status: number
  body: Record<string, unknown>
  /** The body, serialized once. The ETag is a hash of it. */
  text: string
  /** `text` in UTF-8, if the response is kept: it is encoded once, not for each request. */
  bytes?: Buffer | undefined
  /** The media type of `text`, if it is not JSON. */
  type?: string | undefined
  etag?: string | undefined
  headers?: Record<string, string> | undefined
  /** True if a write has changed nothing, so that its idempotency key stays free. */
  isUnchanged?: boolean | undefined
  /** Number of rows in the response, if `body` does not show it. */
  rows?: number | undefined
  /** The entry of a write in the audit trail; absent if it has changed nothing. */
  entry?: RecordedEntry | undefined
  /** For a list: the parameters that all its pages share, as text, and the cursors of the next and previous page. */
  list?: { parameters: Record<string, string>; nextCursor: string | null; prevCursor: string | null }
  /** For a file: its text in pieces, sent instead of the body. */
  stream?: ResponseStream
}

/**
 * Returns the page of a list that an operation has responded with: the only way in which code of the service reads a list.
 * @throws Error if the response is not a list
 */
export function pageOf<Row = ListedRow>({ body, list }: ApiResponse): PageOfRows<Row> {
  if (!list || !Array.isArray(body.data)) throw new Error('the response is not a page of a list')
  const total = isObject(body.page) && isObject(body.page.total) ? Number(body.page.total.count) : undefined
  return { rows: body.data, next: list.nextCursor, previous: list.prevCursor, ...(total !== undefined && { total }) }
}

/**
 * Returns the body of a response to a request from the service itself. `Body` is the type that the operation declares: the serializer writes
 * the members of its schema and no others.
 * @throws Error if the response is a page of a list, whose next pages would be lost
 */
export function bodyOf<Body = ListedRow>({ body, list }: ApiResponse): Body {
  if (list) throw new Error('read a list with pageOf')
  return body as Body
}

export interface ResponseStream {
  type: string
  pieces: AsyncIterable<string>
  /** Number of rows in the pieces until now. */
  rows(): number
}

/** A read of a visitor: what its response depends on, except for the content of the school. */
export interface VisitorRead {
  schoolId: string
  operation: Operation
  format: Format
  parameters: Readonly<Record<string, unknown>>
  version?: Promise<FactVersion> | undefined
}

/**
 * Responses to visitors that this process keeps. A response is used only while the school's content has the version that was read before the
 * response was made, so no acknowledged change is missing from it, other than of a counter. It is used for at most a second, because counters
 * change, and because content can also change with time: an event begins, a scheduled post appears.
 */
export interface VisitorAnswers {
  /** Returns the kept response, or the one that `make` returns. Concurrent requests for a response make it once. */
  answer(read: VisitorRead, make: () => Promise<ApiResponse>): Promise<ApiResponse>
  /** Forgets every response, also those that are being made. */
  clear(): void
}
