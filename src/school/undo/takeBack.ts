import { isDeepStrictEqual } from 'node:util'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { isCounter, sourcesOf } from '../../database/statements/columnKinds.ts'
import { type Columns, keyText, type RowChange } from '../../database/undo/capture.ts'
import { isBookkeeping, isPlace } from '../../database/undo/columnKinds.ts'
import { deferConstraints, findExisting, lockRows, type Tables } from '../../database/undo/rows.ts'
import type { SubjectRow } from '../../engine/externalServices.ts'
import { freeValues, type Replaced } from './freeValues.ts'
import { conflict, type ExplainedKept, type Kept, type KeptReason, keptReasons } from './kept.ts'
import { keepUsed, type Plan, rowKey, withoutDerived, withoutNamed, withoutParents, writeInverse } from './writeInverse.ts'

export interface TakenBack extends SubjectRow {
  /** The version of a row with versions, if the request that is taken back raised it. */
  version: number | undefined
  /** Columns of the row: all of them, unless it was updated: then those that were changed, and those that name it. */
  before: Columns
  /** True for a row of a person that the request changed in passing. */
  isInPassing: boolean
}

export interface Inverse {
  rows: TakenBack[]
  kept: ExplainedKept[]
  replaced: Replaced[]
}

export interface TakingBack {
  tables: Tables
  changes: readonly RowChange[]
  /** The tables of the rows that the request was about. */
  subjects: ReadonlySet<string>
  /** True for a table whose rows are parts of others, without their own type. */
  isPart(table: string): boolean
  /** True if later changes of the same fields stay; otherwise they are a conflict. */
  keepsLater: boolean
  /** True if conflicts show the values of fields. */
  showsValues: boolean
  /** Adds to what stays, what changed it since, and its values in the words of the API. */
  explain(kept: readonly Kept[]): Promise<ExplainedKept[]>
  /** True if attendees of an event that moves back get an e-mail. Default: if its move had one. */
  notify: boolean | undefined
  now: Date
}

/**
 * Takes the changes of a request back: deletes the rows that it added, inserts the rows that it removed, and restores the columns that it
 * changed. What was changed since is never overwritten, and what others use stays.
 * @throws Problem changed_since or resource_in_use if something of it stays, unless `keepsLater` and something else is taken back
 */
export async function takeBack(writer: SchoolWriter, taking: TakingBack): Promise<Inverse> {
  const { tables } = taking
  // References to files follow from the rows that name them.
  const { file_reference: references = [], rows: changes = [] } = Object.groupBy(taking.changes, ({ table }) =>
    table === 'file_reference' ? table : 'rows',
  )
  const plan: Plan = { added: [], staying: [], removed: [], updated: [] }
  const raised: Plan['updated'] = []
  const kept = await goneFiles(writer, references)
  const conflicts: Kept[] = []
  // The request changed rows of people in passing, such as their progress: they do not prevent it.
  const isInPassing = ({ table, personId }: RowChange): boolean => !taking.subjects.has(table) && personId !== null
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
      const found = compare(change, current, plan, taking)
      if (current && isOnlyRaised(change)) raised.push({ change, current, set: {}, counts: {} })
      if (isInPassing(change) || found.every(({ reason }) => reason === 'exists')) kept.push(...found)
      else conflicts.push(...found)
    }
  }
  for (const { change, message } of await keepUsed(writer, taking, plan))
    (isInPassing(change) ? kept : conflicts).push(keptRow(change, 'in_use', message))
  for (const { change } of await withoutParents(writer, tables, plan))
    (change.personId === null ? conflicts : kept).push(keptRow(change, 'parent_deleted'))
  for (const { change, field } of await withoutNamed(writer, tables, plan))
    (isInPassing(change) ? kept : conflicts).push({ ...keptRow(change, 'named_deleted'), field })
  plan.updated = withoutDerived(plan.updated, [...conflicts, ...kept])
  const isEmpty = plan.added.length + plan.removed.length + plan.updated.length === 0
  if (conflicts.length > 0 && (!taking.keepsLater || isEmpty)) throw conflict(await taking.explain(conflicts), taking.keepsLater)
  if (!isEmpty) plan.updated.push(...raised)
  const replaced = await freeValues(writer, tables, plan.removed)
  await deferConstraints(writer)
  await writeInverse(writer, tables, plan, taking)
  return { rows: rowsOf(plan, isInPassing), kept: await taking.explain([...conflicts, ...kept]), replaced }
}

function rowsOf({ added, removed, updated }: Plan, isInPassing: (change: RowChange) => boolean): TakenBack[] {
  const rowOf = (change: RowChange, action: TakenBack['action'], version: unknown, named?: Columns): TakenBack => ({
    table: change.table,
    id: idOf(change),
    action,
    version: typeof version === 'number' && !Number.isNaN(version) ? version : undefined,
    before: { ...named, ...(change.before ?? change.after) },
    isInPassing: isInPassing(change),
  })
  return [
    ...added.map((change) => rowOf(change, 'deleted', change.after?.version)),
    ...removed.map((change) => rowOf(change, 'restored', Number(change.before?.version) + 1)),
    ...updated.map(({ change, current }) =>
      rowOf(change, 'updated', 'version' in (change.after ?? {}) ? Number(current.version) + 1 : undefined, {
        title: current.title,
        code: current.code,
      }),
    ),
  ]
}

/** Adds to the plan how a change is taken back. Returns what stays. */
function compare(change: RowChange, current: Columns | undefined, plan: Plan, taking: Pick<TakingBack, 'showsValues'>): Kept[] {
  const { before, after } = change
  if (before === null) return current === undefined ? [] : compareAdded(change, current, plan, taking)
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
    // The sums of other rows lose what the request added to them.
    if (isCounter(change.table, name) && typeof old === 'number' && typeof value === 'number') counts[name] = old - value
    else if (isDeepStrictEqual(current[name], value) || sourcesOf(change.table, name)) set[name] = old
    else if (!isPlace(name) && !isDeepStrictEqual(current[name], old)) kept.push(keptField(change, current, name, taking))
  }
  if (Object.keys(set).length + Object.keys(counts).length > 0) plan.updated.push({ change, current, set, counts })
  return kept
}

/** An added row is deleted if nothing of it was changed since. */
function compareAdded(change: RowChange, current: Columns, plan: Plan, taking: Pick<TakingBack, 'showsValues'>): Kept[] {
  const changed = Object.entries(change.after ?? {}).filter(
    ([name, value]) => !isBookkeeping(name) && !isPlace(name) && !isCounter(change.table, name) && !isDeepStrictEqual(current[name], value),
  )
  ;(changed.length === 0 ? plan.added : plan.staying).push(change)
  return changed.map(([name]) => keptField(change, current, name, taking))
}

/** True for a row of which only parts in other tables were changed: it gets a new version with them. */
const isOnlyRaised = ({ before, after }: RowChange): boolean =>
  before !== null && after !== null && 'version' in after && Object.keys(after).every(isBookkeeping)

const idOf = ({ key }: RowChange): string | undefined => (typeof key.id === 'string' ? key.id : undefined)

function keptRow(change: RowChange, reason: KeptReason, more = ''): Kept {
  const row = { table: change.table, id: idOf(change), row: rowKey(change) }
  return { ...row, field: undefined, reason, message: `${nameOf(change)} ${keptReasons[reason]}${more}` }
}

function keptField(change: RowChange, current: Columns, field: string, { showsValues }: Pick<TakingBack, 'showsValues'>): Kept {
  const time = typeof current.updated_at === 'string' ? `, last at ${new Date(current.updated_at).toISOString()}` : ''
  const values =
    showsValues && change.before !== null && isShort(current[field]) && isShort(change.before[field])
      ? `: it is ${JSON.stringify(current[field])}, and would be ${JSON.stringify(change.before[field])}`
      : ''
  const message = `${nameOf(change, current)} ${keptReasons.changed_since}${time}${values}`
  const [present, former] = [current[field], change.before?.[field]]
  return {
    ...{ table: change.table, id: idOf(change), row: rowKey(change), field, reason: 'changed_since', message },
    ...(change.before !== null && { change: { ...change, before: { [field]: present }, after: { [field]: former }, same: current } }),
  }
}

const isShort = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value) && String(value).length <= 80

/** Returns the type of a row with its title. Names are left out: they can be those of people. */
function nameOf({ table, before, after }: RowChange, current?: Columns): string {
  const { title, code } = current ?? { ...after, ...before }
  const label = title ?? code
  return `the ${table.replaceAll('_', ' ')}${typeof label === 'string' ? ` '${label.slice(0, 80)}'` : ''}`
}

/** Returns the files that were let go and are gone now. */
async function goneFiles(writer: SchoolWriter, references: readonly RowChange[]): Promise<Kept[]> {
  const ids = [...new Set(references.flatMap(({ before }) => (before ? [String(before.file_id)] : [])))]
  if (ids.length === 0) return []
  const existing = await findExisting(
    writer,
    'file',
    ['id'],
    ids.map((id) => ({ id })),
  )
  return ids
    .filter((id) => !existing.some((file) => file.id === id))
    .map((id) => ({
      table: 'file',
      id,
      row: id,
      field: undefined,
      reason: 'deleted_since',
      message: `The file ${keptReasons.deleted_since}`,
    }))
}
