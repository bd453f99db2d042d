import type { z } from 'zod'
import type { Caller } from '../policy/caller.ts'
import type { ExternalServices } from '../policy/externalServices.ts'
import type { School } from '../policy/school.ts'
import type { Database, Reader } from '../store/database.ts'
import type { Operation } from './declare/operations.ts'
import type { QueryScope } from './declare/queryScope.ts'
import type { Representation } from './declare/representation.ts'
import type { ParameterValues } from './declare/values.ts'
import type { CursorSigner } from './read/cursor.ts'
import type { Precondition } from './write/preconditions.ts'
import type { SentForm } from './write/writing.ts'

/** The environment of a call. */
export interface Surroundings {
  database: Reader
  /** The whole database: where it is absent nothing can be written, and statements have no limit of their own. */
  store?: Pick<Database, 'kind' | 'transaction'> | undefined
  school: School
  signer: CursorSigner
  externalServices: ExternalServices
  requestId?: string | undefined
  address?: string | undefined
}

export type Format = 'json' | 'csv' | 'ndjson' | 'html' | Representation

/** The request of a caller. Each part is read when it is needed. */
export interface Sent {
  /** Values by parameter name, as text of an address or JSON of a tool call. */
  parameters(): Readonly<Record<string, unknown>>
  /** The parsed body. Throws invalid_json and the like. */
  body?(): Promise<unknown>
  /** The parsed form, up to so many bytes of its file. Whoever asks for it discards it. */
  form?(maxBytes: number): Promise<SentForm & { discard(): Promise<void> }>
  ifMatch?: string | undefined
  idempotencyKey?: string | undefined
  /** The address with its query: an idempotency key belongs to it. */
  target?: string | undefined
  format?: Format | undefined
}

/** The parameters that the framework adds to lists and reads of rows, with their values. */
export type FrameworkParameters = {
  limit: z.ZodInt
  cursor: z.ZodOptional<z.ZodString>
  q: z.ZodOptional<z.ZodString>
  fields: z.ZodOptional<z.ZodArray<z.ZodString>>
  expand: z.ZodOptional<z.ZodArray<z.ZodString>>
}

/** A call that is authorised and whose parameters are parsed. */
export interface Call<Asked extends Operation = Operation> extends Surroundings {
  operation: Asked
  caller: Caller
  parameters: ParameterValues<FrameworkParameters>
  queryScope: QueryScope
  precondition: Precondition
  format: Format
}

/** The response, which REST and MCP render. */
export interface Answer {
  status: number
  body: Record<string, unknown>
  /** The body, written once: what the ETag was made of. */
  text: string
  /** Of the text, where it is not JSON. */
  type?: string | undefined
  etag?: string | undefined
  headers?: Record<string, string> | undefined
  /** Of a list: the parameters of each of its pages but the cursor, as text, and the cursors of its neighbours. */
  list?: { parameters: Record<string, string>; nextCursor: string | null; prevCursor: string | null }
  /** Of a file: the text, piece by piece, instead of the body. */
  stream?: { type: string; pieces: AsyncIterable<string> }
}
