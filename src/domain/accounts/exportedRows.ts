import type { Reader } from '../../store/database.ts'
import { type PersonRows, personRows } from '../../store/personRows.ts'

/** Rows of a table for the export of a person's data. */
export interface ExportedRows extends Omit<PersonRows, 'schoolId' | 'where'> {
  where: { column: string }
  value: string
  present(row: Readonly<Record<string, unknown>>): Record<string, unknown>
}

/** Reads these rows in batches, and converts each. */
export async function* exportedRows(
  database: Reader,
  schoolId: string,
  { table, columns, keys, where, value, present }: ExportedRows,
): AsyncGenerator<Record<string, unknown>[]> {
  for await (const batch of personRows(database, { table, columns, keys, schoolId, where: { ...where, value } })) {
    yield batch.map((row) => present(row))
  }
}
