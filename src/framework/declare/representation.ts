import type { ExternalServices } from '../../policy/externalServices.ts'
import type { School } from '../../policy/school.ts'

/** A format of a row and of a list other than JSON, requested with `Accept`. It shows the fields of the caller's view. */
export interface Representation {
  type: string
  maxRows: number
  example: string
  write(rows: readonly RepresentedRow[], context: { school: School; externalServices: ExternalServices }): string
}

export interface RepresentedRow {
  body: Readonly<Record<string, unknown>>
  version: number
}
