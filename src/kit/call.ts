import type { Caller } from '../policy/caller.ts'
import type { School } from '../policy/school.ts'
import type { Reader } from '../store/database.ts'
import type { CursorSigner } from './cursor.ts'
import type { Operation } from './operations.ts'
import type { ParameterValues } from './readParameters.ts'
import type { Sight } from './rows.ts'

/** What a call needs besides itself. */
export interface Surroundings {
  database: Reader
  school: School
  signer: CursorSigner
}

/** A call that may be made and whose parameters have been read. */
export interface Call extends Surroundings {
  operation: Operation
  caller: Caller
  parameters: ParameterValues
  sight: Sight
}

/** What every surface renders in its own way. */
export interface Answer {
  status: number
  body: Record<string, unknown>
  /** The body, written once: what the ETag was made of. */
  text: string
  etag: string
  /** Of a list: the parameters of each of its pages but the cursor, as text, and the cursor of the next page. */
  list?: { parameters: Record<string, string>; nextCursor: string | null }
}
