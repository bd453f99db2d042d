import { audienceOf, type PersonCaller } from '../../base/caller.ts'
import { fromPublicId } from '../../base/ids.ts'
import { fieldProblem, Problem } from '../../base/problem.ts'
import { violationOf } from '../../database/connection/databaseErrors.ts'
import { withinSavepoint } from '../../database/connection/savepoint.ts'
import { withdrawOutgoing } from '../../database/outbox/outgoing.ts'
import { beginCapture, takeCaptured } from '../../database/undo/capture.ts'
import { findUndoable, findUndone, lockUndo, markUndone, openUndo, type UndoableEntry } from '../../database/undo/records.ts'
import { checkConstraints, readTables, type Tables } from '../../database/undo/rows.ts'
import type { ExternalServices } from '../../engine/externalServices.ts'
import { labelOf } from '../../engine/write/write.ts'
import { explainKept } from './explainKept.ts'
import type { Kept } from './kept.ts'
import { activityId, recordRows, recordStates, recordUndo, type Undoing, type UndoResult } from './recordUndo.ts'
import { keepCurriculum, recount } from './recount.ts'
import { type Inverse, type TakenBack, takeBack } from './takeBack.ts'

/** How many requests one call takes back, and how many rows its response names. */
const maxEntries = 100
export const maxNamedRows = 50

/**
 * Takes back one request: of the caller, or of anybody if the caller is of the staff.
 * @throws Problem not_found, access_denied, insufficient_scope, not_undoable, changed_since, resource_in_use
 */
export async function undoOne(undoing: Undoing, { id: publicId, ...choices }: UndoChoices & { id: string }): Promise<UndoResult> {
  const id = fromPublicId('act', publicId)
  const entry = id === undefined ? undefined : await findUndone(undoing.writer, id)
  if (!entry || !isOpenTo(undoing.caller, entry)) throw new Problem('not_found', { description: 'The activity does not exist.' })
  const result = emptyResult()
  const rows = await undoEntry(undoing, entry, { ...choices, tables: await readTables(undoing.writer), result })
  await finish(undoing, 'undoActivity', { entries: [entry], rows, result })
  return result
}

interface UndoChoices {
  /** True if what was changed since stays; otherwise it is a conflict. */
  keepsLater: boolean
  /** True if attendees of an event that moves back get an e-mail. Default: if its move had one. */
  notify: boolean | undefined
}

export interface UndoFilter {
  /** The app. Default: that of the first activity, or the calling app. */
  clientId: string | undefined
  /** Undefined: of everybody, which is for the staff. */
  accountId: string | undefined
  /** A time (RFC 3339), or the id of the first activity that is taken back. */
  since: string
  /** Continues before this activity. */
  before: string | undefined
}

/**
 * Takes back what an app did since a time, the newest first. A request that cannot be taken back is reported and left. `next` continues with the
 * older ones.
 * @throws Problem access_denied, not_found, validation_failed
 */
export async function undoSince(undoing: Undoing, filter: UndoFilter, choices: UndoChoices): Promise<UndoResult> {
  const { writer, caller } = undoing
  if (filter.accountId !== caller.accountId && audienceOf(caller) !== 'staff')
    throw new Problem('access_denied', { description: 'Only the staff can take back what apps of other people did.' })
  const before = filter.before === undefined ? undefined : fromPublicId('act', filter.before)
  const first = await firstOf(undoing, filter.since)
  const clientId = filter.clientId ?? first.clientId ?? caller.clientId
  const entries = await findUndoable(writer, { ...first, clientId, accountId: filter.accountId, before }, maxEntries + 1)
  const result = emptyResult()
  const tables = await readTables(writer)
  const done: UndoableEntry[] = []
  const rows: TakenBack[] = []
  for (const entry of entries.slice(0, maxEntries)) {
    const part = emptyResult()
    try {
      rows.push(...(await withinSavepoint(writer, () => undoEntry(undoing, entry, { ...choices, tables, result: part }))))
    } catch (error) {
      if (!(error instanceof Problem) || error.status >= 500) throw error
      result.failed.push({ id: activityId(entry.id), error: error.code, error_description: error.description })
      continue
    }
    done.push(entry)
    join(result, part)
  }
  const last = entries[maxEntries - 1]
  result.next = entries.length > maxEntries && last ? activityId(last.id) : null
  if (done.length === 0) return result
  await finish(undoing, 'undoActivities', { entries: done, rows, result })
  return result
}

/** Returns the time or the oldest activity at which taking back ends. */
async function firstOf({ writer, caller }: Undoing, since: string): Promise<{ since?: Date; first?: string; clientId?: string }> {
  const id = fromPublicId('act', since)
  if (id === undefined) {
    const time = new Date(since)
    if (!Number.isNaN(time.getTime())) return { since: time }
    throw fieldProblem('validation_failed', 'since', 'invalid', 'must be a time, or the id of an activity')
  }
  const entry = await findUndone(writer, id)
  if (!entry || !isOpenTo(caller, entry)) throw new Problem('not_found', { description: 'The activity does not exist.' })
  return { first: id, ...(entry.client_id !== null && { clientId: entry.client_id }) }
}

const isOpenTo = (caller: PersonCaller, { account_id }: UndoableEntry): boolean =>
  account_id === caller.accountId || audienceOf(caller) === 'staff'

const emptyResult = (): UndoResult => ({ id: null, undone: [], affected: [], rows: [], kept: [], replaced: [], failed: [], next: null })

function join(result: UndoResult, part: UndoResult): void {
  result.undone.push(...part.undone)
  addAffected(result, part.affected)
  result.rows.push(...part.rows.slice(0, maxNamedRows - result.rows.length))
  result.kept.push(...part.kept.slice(0, maxNamedRows - result.kept.length))
  result.replaced.push(...part.replaced)
}

/** Adds numbers of objects to those of the same type and action. */
function addAffected(result: UndoResult, affected: UndoResult['affected']): void {
  for (const one of affected) {
    const same = result.affected.find(({ type, action }) => type === one.type && action === one.action)
    if (same) same.count += one.count
    else result.affected.push({ ...one })
  }
}

async function undoEntry(
  undoing: Undoing,
  entry: UndoableEntry,
  { keepsLater, notify, tables, result }: UndoChoices & { tables: Tables; result: UndoResult },
): Promise<TakenBack[]> {
  const { writer, caller, now, activity } = undoing
  const { undo } = undoing.externalServices
  const subjects = new Set(entry.operations.map((operation) => undo.requireAllowed(operation, caller).table))
  const record = await lockUndo(writer, entry.id)
  if (!record) throw new Problem('not_undoable', { description: 'This request cannot be taken back.' })
  if (record.undone_at) throw new Problem('not_undoable', { description: 'This request has been taken back already.' })
  if (record.is_expired)
    throw new Problem('not_undoable', { description: `This could be taken back until ${record.expires_at.toISOString()}.` })
  const changes = await openUndo(writer, entry.id, undo)
  if (!changes)
    throw new Problem('not_undoable', { description: 'What was changed cannot be read any more, because a secret key was removed.' })
  const ids = changes.flatMap(({ table, key }) => (subjects.has(table) && typeof key.id === 'string' ? [key.id] : []))
  const requireCaller = await undo.requireCaller(undoing, entry.operations, ids)
  await beginCapture(writer)
  const isPart = (table: string): boolean => undo.typesOf(table).length === 0
  const showsValues = audienceOf(caller) === 'staff'
  const explain = (kept: readonly Kept[]) => explainKept(undoing, entry, kept)
  const taking = { tables, changes, subjects, isPart, keepsLater, showsValues, explain, notify, now }
  const inverse = await takeBack(writer, taking).catch(explained)
  await keepCurriculum(writer, inverse.rows)
  await checkConstraints(writer).catch(explained)
  const states = await requireCaller(inverse.rows)
  await endCapture(undoing)
  await recordRows(writer, undo, inverse.rows, states)
  await recordStates(undoing, entry, states)
  await markUndone(writer, { id: entry.id, by: activity.id })
  describe(result, entry, inverse, undo)
  return inverse.rows
}

/** @throws Problem not_undoable if that was too much to keep: it could not be taken back in turn */
async function endCapture({ writer, activity }: Undoing): Promise<void> {
  const captured = await takeCaptured(writer)
  if (!captured.isComplete)
    throw new Problem('not_undoable', { description: 'This changes too much for one request. Take it back in smaller parts.' })
  activity.changes.push(...captured.changes)
}

/** Counts what follows from everything that was taken back, once, withdraws what has not left, and records it. */
async function finish(
  undoing: Undoing,
  operation: Parameters<typeof recordUndo>[1],
  { entries, rows, result }: { entries: readonly UndoableEntry[]; rows: readonly TakenBack[]; result: UndoResult },
): Promise<void> {
  await beginCapture(undoing.writer)
  await recount(undoing.writer, rows, undoing.now)
  await endCapture(undoing)
  const ids = entries.map(({ id }) => id)
  const isWhole = result.kept.length === 0 && result.replaced.length === 0
  await withdrawOutgoing(undoing.writer, { ids, whole: isWhole ? ids : [] })
  result.id = activityId(undoing.activity.id)
  await recordUndo(undoing, operation, entries, result)
}

function explained(error: unknown): never {
  const violation = error instanceof Problem ? undefined : violationOf(error)
  if (violation?.kind === 'reference') throw new Problem('resource_in_use', { cause: error })
  if (violation?.kind === 'unique') throw new Problem('changed_since', { cause: error })
  throw error
}

function describe(result: UndoResult, entry: UndoableEntry, { rows, kept, replaced }: Inverse, undo: ExternalServices['undo']): void {
  const typeOf = (table: string): string => undo.typesOf(table)[0] ?? table
  const publicId = (table: string, id: string | undefined): string | null => (id === undefined ? null : (undo.publicId(table, id) ?? null))
  const named = rows.flatMap(({ table, id, action, ...row }) => {
    const shown = publicId(table, id)
    return shown === null ? [] : [{ ...row, shown: { type: typeOf(table), id: shown, action, label: labelOf(row.before) ?? null } }]
  })
  const groups = Map.groupBy(named, ({ shown: { type, action } }) => `${type} ${action}`)
  addAffected(
    result,
    [...groups.values()].flatMap((group) =>
      group.slice(0, 1).map(({ shown: { type, action } }) => ({ type, action, count: group.length })),
    ),
  )
  result.undone.push(activityId(entry.id))
  // Rows of people that followed, such as their progress, are counted only.
  const objects = named.filter(({ isInPassing }) => !isInPassing).map(({ shown }) => shown)
  result.rows.push(...objects.slice(0, maxNamedRows - result.rows.length))
  result.kept.push(...kept.slice(0, maxNamedRows))
  result.replaced.push(...replaced.map(({ table, id, ...rest }) => ({ type: typeOf(table), id: publicId(table, id) ?? id, ...rest })))
}
