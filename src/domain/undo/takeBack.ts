import { isDeepStrictEqual } from 'node:util'
import { fieldError, Problem, type ProblemDetail } from '../../lib/problem.ts'
import type { SchoolWriter } from '../../store/database.ts'
import { type Columns, keyText, type RowChange } from '../../store/undo/capture.ts'
import { deferConstraints, deleteRows, findExisting, insertRows, lockRows, type Tables, updateRows } from '../../store/undo/rows.ts'
import { noteMove } from '../events/moveNotices.ts'
import type { Occasion } from '../events/occasion.ts'
import { freeValues, type Replaced } from './freeValues.ts'

/** How a row was taken back. */
export interface TakenBack {
  table: string
  /** Undefined for a row without one. */
  id: string | undefined
  action: 'restored' | 'updated' | 'deleted'
  /** The version of a row with versions, if the request that is taken back raised it. */
  version: number | undefined
  /** Columns of the row: all of them, unless it was updated. */
  before: Columns
}

/** What stays as it is. */
export interface Kept {
  table: string
  id: string | undefined
  /** Undefined for a whole row. */
  field: string | undefined
  reason: KeptReason
}

/** Why something stays as it is. */
export const keptReasons = {
  changed_since: 'It was changed since.',
  deleted_since: 'It was deleted since.',
  parent_deleted: 'What it belonged to was deleted since.',
  exists: 'It exists again.',
} as const

export type KeptReason = keyof typeof keptReasons

export interface Inverse {
  rows: TakenBack[]
  kept: Kept[]
  replaced: Replaced[]
}

export interface TakingBack {
  tables: Tables
  changes: readonly RowChange[]
  /** The tables of the rows that the request was about. */
  subjects: ReadonlySet<string>
  /** True if later changes of the same fields stay; otherwise they are a conflict. */
  keepsLater: boolean
  now: Date
}

/** Counts of other rows: what the request added to them is subtracted. */
const isCount = (name: string): boolean => /_count$|_minutes$|^progress_percent$/.test(name)
/** Columns that follow from what is written. */
const bookkeeping: ReadonlySet<string> = new Set(['version', 'updated_at', 'tree_version', 'moved_from', 'move_notice_at'])
/** Where a row stands also follows from other rows. `keepOrder` closes what is left of gaps. */
const isPlace = (name: string): boolean => name === 'position'

interface Plan {
  added: RowChange[]
  removed: RowChange[]
  updated: { change: RowChange; current: Columns; set: Record<string, unknown>; counts: Record<string, number> }[]
}

/**
 * Takes the changes of a request back: deletes the rows that it added, inserts the rows that it removed, and restores the columns that it
 * changed. What was changed since is never overwritten.
 * @throws Problem conflict if something of it was changed since, unless `keepsLater`; resource_in_use if an added row is used
 */
export async function takeBack(writer: SchoolWriter, taking: TakingBack): Promise<Inverse> {
  const { tables, changes, now } = taking
  const plan: Plan = { added: [], removed: [], updated: [] }
  const kept: Kept[] = []
  const conflicts: ProblemDetail[] = []
  const byTable = Map.groupBy(changes, ({ table }) => table)
  for (const table of tables.order) {
    const ofTable = byTable.get(table) ?? []
    if (ofTable.length === 0) continue
    const stored = await lockRows(
      writer,
      table,
      ofTable.map(({ key }) => key),
    )
    for (const change of ofTable) {
      const current = stored.find((row) => Object.entries(change.key).every(([name, value]) => isDeepStrictEqual(row[name], value)))
      const found = compare(change, current, plan)
      // Rows of people that the request changed in passing, such as their progress, are no reason to refuse.
      const isInPassing = !taking.subjects.has(table) && change.personId !== null
      if (isInPassing || taking.keepsLater || found.every(({ reason }) => reason === 'exists')) kept.push(...found)
      else conflicts.push(...found.map(conflictOf))
    }
  }
  if (conflicts.length > 0) throw changedSince(conflicts)
  const missing = await withoutParents(writer, tables, plan)
  const lost = missing.filter(({ change: { table, personId } }) => personId === null && table !== 'file_reference')
  if (lost.length > 0 && !taking.keepsLater) throw changedSince(lost.map(({ change }) => conflictOf(keptRow(change, 'parent_deleted'))))
  kept.push(...missing.map(({ change }) => keptRow(change, 'parent_deleted')))
  const replaced = await freeValues(writer, tables, plan.removed)
  await deferConstraints(writer)
  await write(writer, tables, plan, now)
  return { rows: rowsOf(plan), kept, replaced }
}

function rowsOf({ added, removed, updated }: Plan): TakenBack[] {
  return [
    ...added.map((change) => rowOf(change, 'deleted', change.after?.version)),
    ...removed.map((change) => rowOf(change, 'restored', Number(change.before?.version) + 1)),
    ...updated.map(({ change, current }) =>
      rowOf(change, 'updated', 'version' in (change.after ?? {}) ? Number(current.version) + 1 : undefined),
    ),
  ]
}

const rowOf = (change: RowChange, action: TakenBack['action'], version: unknown): TakenBack => ({
  table: change.table,
  id: idOf(change),
  action,
  version: typeof version === 'number' && !Number.isNaN(version) ? version : undefined,
  before: change.before ?? change.after ?? {},
})

/** Adds to the plan how a change is taken back. Returns what stays. */
function compare(change: RowChange, current: Columns | undefined, plan: Plan): Kept[] {
  const { before, after } = change
  if (before === null) return current === undefined ? [] : compareAdded(change, current, plan)
  if (after === null) {
    if (current !== undefined) return [keptRow(change, 'exists')]
    plan.removed.push(change)
    return []
  }
  if (current === undefined) return [keptRow(change, 'deleted_since')]
  const set: Record<string, unknown> = {}
  const counts: Record<string, number> = {}
  const kept: Kept[] = []
  for (const [name, value] of Object.entries(after)) {
    const old = before[name]
    if (bookkeeping.has(name)) continue
    if (isCount(name) && typeof old === 'number' && typeof value === 'number') counts[name] = old - value
    else if (isDeepStrictEqual(current[name], value)) set[name] = old
    else if (!isPlace(name) && !isDeepStrictEqual(current[name], old)) kept.push({ ...keptRow(change, 'changed_since'), field: name })
  }
  if (Object.keys(set).length + Object.keys(counts).length > 0) plan.updated.push({ change, current, set, counts })
  return kept
}

/** An added row is deleted if nothing of it was changed since, not even a count of what belongs to it. */
function compareAdded(change: RowChange, current: Columns, plan: Plan): Kept[] {
  const changed = Object.entries(change.after ?? {}).filter(
    ([name, value]) => !bookkeeping.has(name) && !isPlace(name) && !isDeepStrictEqual(current[name], value),
  )
  if (changed.length === 0) plan.added.push(change)
  return changed.map(([name]) => ({ ...keptRow(change, 'changed_since'), field: name }))
}

const idOf = ({ key }: RowChange): string | undefined => (typeof key.id === 'string' ? key.id : undefined)

const keptRow = (change: RowChange, reason: KeptReason): Kept => ({ table: change.table, id: idOf(change), field: undefined, reason })

const conflictOf = ({ table, field, reason }: Kept): ProblemDetail =>
  fieldError(field ?? table, reason, `${table.replaceAll('_', ' ')}: ${keptReasons[reason]}`)

const changedSince = (details: readonly ProblemDetail[]): Problem => new Problem('changed_since', { details: details.slice(0, 20) })

/** Removes from the plan the removed rows whose parents are gone, with the rows below them; a reference that may be empty is emptied. */
async function withoutParents(writer: SchoolWriter, tables: Tables, plan: Plan): Promise<{ change: RowChange }[]> {
  const missing: { change: RowChange }[] = []
  const restored = new Set(plan.removed.map(({ table, key }) => keyText(table, key)))
  for (const { table, columns, parent, parent_columns, is_optional } of tables.order.flatMap((name) =>
    tables.references.filter((reference) => reference.table === name),
  )) {
    const referring = plan.removed.filter((change) => change.table === table && columns.every((name) => isSet(change.before?.[name])))
    const parentOf = (change: RowChange): Columns =>
      Object.fromEntries(columns.map((name, index) => [parent_columns[index] as string, change.before?.[name]]))
    const outside = referring.filter((change) => !restored.has(keyText(parent, parentOf(change))))
    if (outside.length === 0) continue
    const existing = await findExisting(writer, parent, parent_columns, outside.map(parentOf))
    const names = new Set(existing.map((one) => keyText(parent, Object.fromEntries(parent_columns.map((name) => [name, one[name]])))))
    for (const change of outside.filter((one) => !names.has(keyText(parent, parentOf(one))))) {
      const at = plan.removed.indexOf(change)
      if (is_optional) {
        plan.removed[at] = { ...change, before: { ...change.before, ...Object.fromEntries(columns.map((name) => [name, null])) } }
        continue
      }
      plan.removed.splice(at, 1)
      restored.delete(keyText(table, change.key))
      missing.push({ change })
    }
  }
  return missing
}

const isSet = (value: unknown): boolean => value !== null && value !== undefined

async function write(writer: SchoolWriter, tables: Tables, plan: Plan, now: Date): Promise<void> {
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
          ...(table === 'event' && movedBack(current, set, now)),
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

/** Attendees who were told of a new time or place are told that it moves back. */
function movedBack(event: Columns, set: Columns, now: Date): Columns {
  const { moved_from, ...columns } = noteMove(event as unknown as Occasion & { status: string }, set as Partial<Occasion>, now)
  return { ...columns, ...(moved_from !== undefined && { moved_from: moved_from === null ? null : JSON.parse(moved_from) }) }
}

const namesIn = ([first = {}]: readonly Columns[]): string[] => Object.keys(first)

/** A restored row has a version that it never had. */
const raised = (row: Columns, now: Date): Columns => ({
  ...row,
  ...('updated_at' in row && { updated_at: now }),
  ...(typeof row.version === 'number' && { version: row.version + 1 }),
})
