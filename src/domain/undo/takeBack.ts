import { isDeepStrictEqual } from 'node:util'
import { fieldError, Problem, type ProblemDetail } from '../../lib/problem.ts'
import type { SchoolWriter } from '../../store/database.ts'
import { type Columns, keyText, type RowChange } from '../../store/undo/capture.ts'
import { isBookkeeping, isCount, isPlace } from '../../store/undo/columnKinds.ts'
import { deferConstraints, findExisting, lockRows, type Tables } from '../../store/undo/rows.ts'
import { freeValues, type Replaced } from './freeValues.ts'
import { type Plan, writeInverse } from './writeInverse.ts'

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

/** A row or a field that stays as it is. */
export interface Kept {
  table: string
  id: string | undefined
  /** Undefined for a whole row. */
  field: string | undefined
  reason: KeptReason
}

/** The reasons for which something stays as it is. */
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
    const names = Object.keys(ofTable[0]?.key ?? {})
    const byKey = new Map(stored.map((row) => [keyText(table, Object.fromEntries(names.map((name) => [name, row[name]]))), row]))
    for (const change of ofTable) {
      const current = byKey.get(keyText(table, change.key))
      const found = compare(change, current, plan)
      // The request changed rows of people in passing, such as their progress: they do not prevent it.
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
  await writeInverse(writer, tables, plan, now)
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
    if (isBookkeeping(name)) continue
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
    ([name, value]) => !isBookkeeping(name) && !isPlace(name) && !isDeepStrictEqual(current[name], value),
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

const isSet = (value: unknown): boolean => value !== null && value !== undefined
