import type { School } from '../../policy/school.ts'

/** Another form of a row, and of a list of rows, than JSON: asked for with `Accept`. Made of what the caller's view shows. */
export interface Representation {
  /** `text/calendar`. */
  type: string
  /** Of a list in this form, so many rows at most, and where nothing else is asked. */
  maxRows: number
  /** What documents show. */
  example: string
  write(bodies: readonly Readonly<Record<string, unknown>>[], context: { school: School }): string
}
