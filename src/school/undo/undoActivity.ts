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
import { activityId, recordRows, recordStates, recordUndo, type Undoing, type UndoResult } from './recordUndo.ts'
import { keepCurriculum, recount } from './recount.ts'
import { type Inverse, type TakenBack, takeBack } from './takeBack.ts'

/** How many requests one call takes back, and how many rows its response names. */
const maxEntries = 100
export const maxNamedRows = 200

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
  await finish(undoing, [entry], rows, result)
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
  if (done.length > 0) await finish(undoing, done, rows, result)
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

const emptyResult = (): UndoResult => ({ id: null, undone: [], rows: [], rows_count: 0, kept: [], replaced: [], failed: [], next: null })

function join(result: UndoResult, part: UndoResult): void {
  result.undone.push(...part.undone)
  result.rows = namedRows([...result.rows, ...part.rows])
  result.rows_count += part.rows_count
  result.kept.push(...part.kept.slice(0, maxNamedRows - result.kept.length))
  result.replaced.push(...part.replaced)
}

/** Returns the rows that a response names: of many, those of the types with the fewest rows, because a few objects hold many others. */
function namedRows(rows: UndoResult['rows']): UndoResult['rows'] {
  if (rows.length <= maxNamedRows) return rows
  const byType = Map.groupBy(rows, ({ type }) => type)
  const count = ({ type }: { type: string }): number => byType.get(type)?.length ?? 0
  return rows.toSorted((one, other) => count(one) - count(other)).slice(0, maxNamedRows)
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
  const inverse = await takeBack(writer, { tables, changes, subjects, isPart, keepsLater, showsValues, notify, now }).catch(explained)
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

/** Counts what follows from everything that was taken back, once, and records it. */
async function finish(undoing: Undoing, entries: readonly UndoableEntry[], rows: readonly TakenBack[], result: UndoResult): Promise<void> {
  await beginCapture(undoing.writer)
  await recount(undoing.writer, rows, undoing.now)
  await endCapture(undoing)
  const partly = new Set([...result.kept, ...result.replaced].length > 0 ? entries.map(({ id }) => id) : [])
  const ids = entries.map(({ id }) => id)
  await withdrawOutgoing(undoing.writer, { ids, whole: ids.filter((id) => !partly.has(id)) })
  await recordUndo(undoing, entries, result)
  result.id = activityId(undoing.activity.id)
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
  const named = rows.flatMap(({ table, id, action }) => {
    const shown = publicId(table, id)
    return shown === null ? [] : [{ type: typeOf(table), id: shown, action }]
  })
  result.undone.push(activityId(entry.id))
  result.rows = namedRows([...result.rows, ...named])
  result.rows_count += rows.length
  result.kept.push(
    ...kept
      .slice(0, maxNamedRows)
      .map(({ table, id, field, ...why }) => ({ type: typeOf(table), id: publicId(table, id), field: field ?? null, ...why })),
  )
  result.replaced.push(...replaced.map(({ table, id, ...rest }) => ({ type: typeOf(table), id: publicId(table, id) ?? id, ...rest })))
}
