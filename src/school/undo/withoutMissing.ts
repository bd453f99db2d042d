import type { SchoolWriter } from '../../database/connection/database.ts'
import { type Columns, keyText, type RowChange } from '../../database/undo/capture.ts'
import { findExisting, type Tables } from '../../database/undo/rows.ts'
import type { Plan } from './writeInverse.ts'

/** Removes from the plan the removed rows whose parents are gone, with the rows below them; a reference that may be empty is emptied. */
export async function withoutParents(writer: SchoolWriter, tables: Tables, plan: Plan): Promise<{ change: RowChange }[]> {
  const missing: { change: RowChange }[] = []
  const restored = new Set(plan.removed.map(({ table, key }) => keyText(table, key)))
  for (const { table, columns, parent, parent_columns, is_optional } of tables.order.flatMap((name) =>
    tables.references.filter((reference) => reference.table === name),
  )) {
    const referring = plan.removed.filter((change) => change.table === table && columns.every((name) => isSet(change.before?.[name])))
    const parentOf = (change: RowChange): Columns =>
      Object.fromEntries(parent_columns.map((name, index) => [name, change.before?.[columns[index] ?? '']]))
    const others = referring.filter((change) => !restored.has(keyText(parent, parentOf(change))))
    if (others.length === 0) continue
    const existing = await findExisting(writer, parent, parent_columns, others.map(parentOf))
    const names = new Set(existing.map((one) => keyText(parent, Object.fromEntries(parent_columns.map((name) => [name, one[name]])))))
    const orphans = new Set(others.filter((one) => !names.has(keyText(parent, parentOf(one)))))
    if (orphans.size === 0) continue
    const empty = Object.fromEntries(columns.map((name) => [name, null]))
    plan.removed = plan.removed.flatMap((change) => {
      if (!orphans.has(change)) return [change]
      if (is_optional) return [{ ...change, before: { ...change.before, ...empty } }]
      restored.delete(keyText(table, change.key))
      missing.push({ change })
      return []
    })
  }
  return missing
}

/** Removes from the plan the columns whose earlier values name rows that are gone, such as the former picture. */
export async function withoutNamed(
  writer: SchoolWriter,
  tables: Tables,
  plan: Plan,
): Promise<{ change: RowChange; field: string | undefined }[]> {
  const lost: { change: RowChange; field: string | undefined }[] = []
  const restored = new Set(plan.removed.map(({ table, key }) => keyText(table, key)))
  for (const { table, columns, parent, parent_columns } of tables.references) {
    const naming = plan.updated.flatMap(({ change, current, set }) => {
      const row = { ...current, ...set }
      const isNaming = change.table === table && columns.some((name) => name in set) && columns.every((name) => isSet(row[name]))
      return isNaming
        ? [{ change, set, named: Object.fromEntries(parent_columns.map((name, index) => [name, row[columns[index] ?? '']])) }]
        : []
    })
    const others = naming.filter(({ named }) => !restored.has(keyText(parent, named)))
    if (others.length === 0) continue
    const existing = await findExisting(
      writer,
      parent,
      parent_columns,
      others.map(({ named }) => named),
    )
    const names = new Set(existing.map((one) => keyText(parent, one)))
    for (const { change, set } of others.filter(({ named }) => !names.has(keyText(parent, named)))) {
      const [field] = columns.filter((name) => name in set)
      for (const name of columns) delete set[name]
      lost.push({ change, field })
    }
  }
  plan.updated = plan.updated.filter(({ set, counts }) => Object.keys(set).length + Object.keys(counts).length > 0)
  return lost
}

const isSet = (value: unknown): boolean => value !== null && value !== undefined
