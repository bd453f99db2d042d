import { ownRows } from '../../engine/output/ownRows.ts'
import type { Section } from '../../engine/output/sectionsJson.ts'
import type { Reading } from '../../engine/read/reading.ts'
import { type ExportedRows, exportedRows } from './exportedRows.ts'
import { personalSections } from './personalData.ts'
import type { TableSection } from './personalDataSections.ts'

/** Returns every section of the caller's data. Nothing is read before its rows are. */
export function personalRowsOf({ database, school, caller, externalServices }: Reading): Section[] {
  if (caller.kind !== 'person') return []
  const context = { database, school, caller, externalServices }
  return personalSections.map((section) => {
    const { name } = section
    if ('resource' in section) return { name, rows: ownRows({ ...section, also: Object.keys(section.also ?? {}) }, context) }
    const value = caller[section.where.is]
    return { name, rows: value === null ? noRows() : exportedRows(database, { ...section, ...columnsOf(section), value }) }
  })
}

function columnsOf({ fields, columns, present = (row) => ({ ...row }) }: TableSection): Pick<ExportedRows, 'columns' | 'present'> {
  const names = Object.keys(fields.shape)
  return {
    columns: columns ?? names,
    present(row) {
      const shown = present(row)
      return Object.fromEntries(names.map((name) => [name, shown[name] ?? null]))
    },
  }
}

async function* noRows(): AsyncGenerator<Record<string, unknown>[]> {}
