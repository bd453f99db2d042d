import type { School } from '../../base/school.ts'
import type { ExternalServices } from '../externalServices.ts'

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
