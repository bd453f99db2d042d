import type { SchoolWriter } from '../../database/connection/database.ts'
import type { Columns, RowChange } from '../../database/undo/capture.ts'
import { findExisting, type Tables } from '../../database/undo/rows.ts'

/** A value that a restored row had, and that another row has now. */
export interface Replaced {
  table: string
  id: string
  field: string
  value: string | null
}

const maxTries = 50

/** Gives rows that are restored another slug or code, and no external id, where another row has taken theirs. */
export async function freeValues(writer: SchoolWriter, { columns }: Tables, removed: RowChange[]): Promise<Replaced[]> {
  const replaced: Replaced[] = []
  for (const [table, changes] of Map.groupBy(removed, (change) => change.table)) {
    for (const field of ['slug', 'code', 'external_id']) {
      if (!columns.get(table)?.has(field) || !columns.get(table)?.has('id')) continue
      const named = changes.filter(({ before }) => typeof before?.[field] === 'string')
      const taken = await takenOf(
        writer,
        table,
        field,
        named.map(({ before }) => String(before?.[field])),
      )
      for (const change of named.filter(({ before }) => taken.has(String(before?.[field])))) {
        const value = field === 'external_id' ? null : await freeOf(writer, table, field, String(change.before?.[field]))
        removed[removed.indexOf(change)] = { ...change, before: { ...change.before, [field]: value } }
        replaced.push({ table, id: String(change.key.id), field, value })
      }
    }
  }
  return replaced
}

async function takenOf(writer: SchoolWriter, table: string, field: string, values: readonly string[]): Promise<Set<string>> {
  if (values.length === 0) return new Set()
  const found = await findExisting(
    writer,
    table,
    [field],
    values.map((value) => ({ [field]: value })),
  )
  return new Set(found.map((row: Columns) => String(row[field])))
}

async function freeOf(writer: SchoolWriter, table: string, field: string, value: string): Promise<string> {
  const candidates = Array.from({ length: maxTries }, (_, index) => `${value}-${index + 2}`)
  const taken = await takenOf(writer, table, field, candidates)
  return candidates.find((one) => !taken.has(one)) ?? `${value}-${maxTries + 2}`
}
