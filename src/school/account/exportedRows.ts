import type { SchoolReader } from '../../database/connection/database.ts'
import { type PersonRows, personRows } from '../../database/tables/personRows.ts'

export interface ExportedRows extends Omit<PersonRows, 'schoolId' | 'where'> {
  where: { column: string; ofGrants?: string | undefined }
  value: string
  present(row: Readonly<Record<string, unknown>>): Record<string, unknown>
}

export async function* exportedRows(
  database: SchoolReader,
  { table, columns, keys, where, value, present }: ExportedRows,
): AsyncGenerator<Record<string, unknown>[]> {
  for await (const batch of personRows(database, { table, columns, keys, schoolId: database.schoolId, where: { ...where, value } })) {
    yield batch.map((row) => present(row))
  }
}
