import type { SchoolWriter } from '../../database/connection/database.ts'
import { sourcesOf } from '../../database/statements/columnKinds.ts'
import { type Columns, keyText, type RowChange } from '../../database/undo/capture.ts'
import { deleteRows, findExisting, findUses, insertRows, type Tables, updateRows } from '../../database/undo/rows.ts'
import { noteMove } from '../events/moveNotices.ts'

/** The statements that take a request back. */
export interface Plan {
  /** Rows that it added, which are deleted. */
  added: RowChange[]
  /** Rows that it added, which stay. */
  staying: RowChange[]
  /** Rows that it deleted, which are inserted. */
  removed: RowChange[]
  /** Rows with the columns that are set, and with the numbers that are added to counts. */
  updated: { change: RowChange; current: Columns; set: Record<string, unknown>; counts: Record<string, number> }[]
}

/** Executes a plan: children are deleted before their parents, and inserted after them. */
export async function writeInverse(
  writer: SchoolWriter,
  tables: Tables,
  plan: Plan,
  { now, notify }: { now: Date; notify: boolean | undefined },
): Promise<void> {
  for (const table of tables.order.toReversed()) {
    const keys = plan.added.filter((change) => change.table === table).map(({ key }) => key)
    if (keys.length > 0) await deleteRows(writer, table, keys)
  }
  for (const table of tables.order) {
    const known = tables.columns.get(table) ?? new Set()
    const rows = plan.removed.filter((change) => change.table === table).map(({ before }) => raised(before ?? {}, now))
    for (const group of Map.groupBy(rows, (row) => Object.keys(row).toSorted().join()).values())
      await insertRows(
        writer,
        table,
        namesIn(group).filter((name) => name !== 'school_id' && known.has(name)),
        group,
      )
  }
  for (const table of tables.order) {
    const known = tables.columns.get(table) ?? new Set()
    const rows = plan.updated
      .filter(({ change }) => change.table === table)
      .map(({ change, current, set, counts }) => ({
        key: change.key,
        set: {
          ...set,
          ...(table === 'event' && movedBack({ ...current, ...set }, current, { now, notify: notify ?? isTold(change) })),
          ...('updated_at' in (change.after ?? {}) && { updated_at: now }),
        },
        added: { ...counts, ...('version' in (change.after ?? {}) && { version: 1 }) },
      }))
    for (const group of Map.groupBy(rows, ({ set, added }) =>
      [...Object.keys(set).toSorted(), '+', ...Object.keys(added).toSorted()].join(),
    ).values()) {
      const [first] = group
      if (!first) continue
      const columns = {
        key: Object.keys(first.key),
        set: Object.keys(first.set).filter((name) => known.has(name)),
        added: Object.keys(first.added).filter((name) => known.has(name)),
      }
      if (columns.set.length + columns.added.length === 0) continue
      await updateRows(
        writer,
        table,
        columns,
        group.map(({ key, set, added }) => ({ ...key, ...set, ...added })),
      )
    }
  }
}

/** True if the change of an event has an e-mail: only then it writes this column. */
const isTold = ({ after }: RowChange): boolean => after !== null && 'move_notice_at' in after

/** Attendees of a moved event get another e-mail when it is moved back. */
function movedBack(back: Columns, current: Columns, { now, notify }: { now: Date; notify: boolean }): Columns {
  const occasion = ({ starts_at, ends_at, location }: Columns) => ({ starts_at: String(starts_at), ends_at: String(ends_at), location })
  const event = { ...occasion(current), status: String(current.status), moved_from: current.moved_from }
  const { moved_from, ...columns } = noteMove(event, { ...occasion(back), notify }, now)
  return { ...columns, ...(moved_from !== undefined && { moved_from: moved_from === null ? null : JSON.parse(moved_from) }) }
}

const namesIn = ([first = {}]: readonly Columns[]): string[] => Object.keys(first)

/** A restored row has a version that it never had. */
const raised = (row: Columns, now: Date): Columns => ({
  ...row,
  ...('updated_at' in row && { updated_at: now }),
  ...(typeof row.version === 'number' && { version: row.version + 1 }),
})

/** Leaves the added rows that others use, with their parts. Returns them with the reasons. */
export async function keepUsed(
  writer: SchoolWriter,
  { tables, isPart }: { tables: Tables; isPart(table: string): boolean },
  plan: Plan,
): Promise<{ change: RowChange; message: string }[]> {
  const kept: { change: RowChange; message: string }[] = []
  // Rows that stay use others in turn.
  for (;;) {
    const images = Map.groupBy(
      plan.added.map(({ table, key, after }) => ({ table, key, image: after ?? {} })),
      ({ table }) => table,
    )
    const emptied = plan.updated.filter(({ set }) => Object.values(set).includes(null)).map(({ change }) => change)
    const own = Map.groupBy([...plan.added, ...emptied], ({ table }) => table)
    const uses = await findUses(writer, tables, images, new Map([...own].map(([table, changes]) => [table, changes.map(({ key }) => key)])))
    const byRow = Map.groupBy(uses, ({ table, key }) => keyText(table, key))
    const used = plan.added.filter(({ table, key }) => byRow.has(keyText(table, key)))
    const ids = new Set([...plan.staying, ...used].map(({ key }) => key.id))
    const parts = plan.added.filter(({ table, after }) => isPart(table) && Object.values(after ?? {}).some((value) => ids.has(value)))
    if (used.length + parts.length === 0) return kept
    kept.push(...used.map((change) => ({ change, message: ` ${usesText(byRow.get(keyText(change.table, change.key)) ?? [])} of others` })))
    const left = new Set([...used, ...parts])
    plan.added = plan.added.filter((change) => !left.has(change))
    plan.staying.push(...left)
  }
}

const usesText = (uses: readonly { by: string; count: number }[]): string =>
  uses.map(({ by, count }) => `${count} ${by.replaceAll('_', ' ')}${count === 1 ? '' : 's'}`).join(' and ')

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

/** Returns the key of a row, which its text has as well. */
export const rowKey = ({ key }: RowChange): string => Object.values(key).join()

/** Leaves columns that follow from others, of their row or its text, as they are if those stay. */
export function withoutDerived(
  updated: Plan['updated'],
  kept: readonly { row: string | undefined; field: string | undefined }[],
): Plan['updated'] {
  const staying = new Set(kept.map(({ row, field }) => `${row} ${field}`))
  const stays = (change: RowChange, name: string): boolean =>
    sourcesOf(change.table, name)?.some((source) => staying.has(`${rowKey(change)} ${source}`)) ?? false
  return updated
    .map(({ set, ...update }) => ({
      ...update,
      set: Object.fromEntries(Object.entries(set).filter(([name]) => !stays(update.change, name))),
    }))
    .filter(({ set, counts }) => Object.keys(set).length + Object.keys(counts).length > 0)
}
