import type { School } from '../../policy/school.ts'

/** A format of a row and of a list other than JSON, requested with `Accept`. It shows the fields of the caller's view. */
export interface Representation {
  /** The media type: `text/calendar`. */
  type: string
  /** The maximum and default number of rows of a list in this format. */
  maxRows: number
  /** The example in the documents. */
  example: string
  write(bodies: readonly Readonly<Record<string, unknown>>[], context: { school: School }): string
}
