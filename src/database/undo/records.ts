import { sql } from 'kysely'
import type { Reader, SchoolReader, SchoolWriter, Stored } from '../connection/database.ts'
import { now } from '../statements/expressions.ts'
import { unnest } from '../statements/unnest.ts'
import type { NamedAuditEvent } from '../tables/auditEvents.ts'
import type { RowChange } from './capture.ts'
import type { Effect } from './effect.ts'
import { firstShown } from './shownChanges.ts'

/** Encrypts images of rows. */
export interface Sealing {
  seal(text: string): string
  /** Returns undefined if the secret key with which the text was encrypted has been removed. */
  open(sealed: string): string | undefined
}

interface KeptChanges {
  /** The id of the entry in the audit trail. */
  id: string
  /** How long they are kept. */
  days: number
  /** False if they are only shown. */
  isUndoable: boolean
  changes: readonly RowChange[]
  effect: Effect
}

/** Keeps the changes of a request until they expire. */
export async function saveUndo(
  writer: SchoolWriter,
  { id, days, isUndoable, changes, effect }: KeptChanges,
  { seal }: Pick<Sealing, 'seal'>,
): Promise<void> {
  const sealed = (part: readonly unknown[]): string | null => (part.length > 0 ? seal(JSON.stringify(part)) : null)
  const images = Map.groupBy(isUndoable ? changes.map(({ same: _, ...image }) => image) : [], ({ personId }) => personId)
  const effects = Map.groupBy(firstShown(effect.changes), ({ personId }) => personId)
  await writer
    .insertInto('undo_record')
    .values({
      school_id: writer.schoolId,
      id,
      expires_at: sql<Date>`now() + make_interval(days => ${days}::int)`,
      is_undoable: isUndoable,
      sealed: sealed(images.get(null) ?? []),
      effect: seal(JSON.stringify({ ...effect, changes: effects.get(null) ?? [] })),
    })
    .execute()
  const released = [...images.values()]
    .flat()
    .flatMap(({ table, before }) => (table === 'file_reference' && before ? [String(before.file_id)] : []))
  if (released.length > 0)
    await writer
      .insertInto('undo_file')
      .values([...new Set(released)].map((file_id) => ({ school_id: writer.schoolId, record_id: id, file_id })))
      .execute()
  const people = [...new Set([...images.keys(), ...effects.keys()])].filter((person) => person !== null)
  if (people.length === 0) return
  await writer
    .insertInto('undo_image')
    .columns(['record_id', 'person_id', 'sealed', 'effect'])
    .expression((one) =>
      one
        .selectFrom(
          unnest('image', {
            person_id: { type: 'uuid', values: people },
            sealed: { type: 'text', values: people.map((person) => sealed(images.get(person) ?? [])) },
            effect: { type: 'text', values: people.map((person) => sealed(effects.get(person) ?? [])) },
          }),
        )
        .select(({ ref, val }) => [
          sql<string>`${val(id)}::uuid`.as('record_id'),
          ref('image.person_id').as('person_id'),
          ref('image.sealed').as('sealed'),
          ref('image.effect').as('effect'),
        ]),
    )
    .execute()
}

export interface UndoRecord extends Stored<'undo_record', 'id' | 'undone_at' | 'expires_at'> {
  is_expired: boolean
}

/** Returns the record, locked until the transaction ends. */
export async function lockUndo(writer: SchoolWriter, id: string): Promise<UndoRecord | undefined> {
  return await writer
    .selectFrom('undo_record')
    .select(['id', 'undone_at', 'expires_at'])
    .select((record) => record.cast<boolean>(record('expires_at', '<=', now), 'boolean').as('is_expired'))
    .where('id', '=', id)
    .where('is_undoable', '=', true)
    .forUpdate()
    .executeTakeFirst()
}

/** Returns the changes of a request. Those of people who have been erased since are gone. */
export async function openUndo(writer: SchoolWriter, id: string, { open }: Pick<Sealing, 'open'>): Promise<RowChange[] | undefined> {
  const record = await writer.selectFrom('undo_record').select('sealed').where('id', '=', id).executeTakeFirst()
  const images = await writer.selectFrom('undo_image').select('sealed').where('record_id', '=', id).orderBy('person_id').execute()
  const opened = [...(record ? [record] : []), ...images].map(({ sealed }) => (sealed === null ? '[]' : open(sealed)))
  return opened.includes(undefined) ? undefined : opened.flatMap((text): RowChange[] => JSON.parse(text ?? '[]'))
}

/** Marks a request as taken back, and deletes its images. What it changed is still shown. */
export async function markUndone(writer: SchoolWriter, { id, by }: { id: string; by: string }): Promise<void> {
  await writer.updateTable('undo_record').set({ undone_at: now, undone_by: by, sealed: null }).where('id', '=', id).execute()
  await writer.updateTable('undo_image').set({ sealed: null }).where('record_id', '=', id).execute()
  await writer.deleteFrom('undo_file').where('record_id', '=', id).execute()
}

/** Deletes what was kept of the rows of a person. */
export async function forgetImagesOf(writer: SchoolWriter, personId: string): Promise<void> {
  await writer.deleteFrom('undo_image').where('person_id', '=', personId).execute()
}

export interface UndoState {
  /** True if it can be taken back. */
  possible: boolean
  /** Null if it never could be. */
  until: Date | null
  undone_at: Date | null
}

/** Returns which of these entries of the audit trail can be taken back, or were. */
export async function undoStates(reader: SchoolReader, ids: readonly string[]): Promise<Map<string, UndoState>> {
  if (ids.length === 0) return new Map()
  const rows = await reader
    .selectFrom('undo_record')
    .select(['id', 'expires_at as until', 'undone_at'])
    .select((record) =>
      record.cast<boolean>(record.and([record('undone_at', 'is', null), record('expires_at', '>', now)]), 'boolean').as('possible'),
    )
    .where('is_undoable', '=', true)
    .where((record) => record('id', '=', record.fn.any(record.val([...ids]))))
    .execute()
  return new Map(rows.map(({ id, ...state }) => [id, state]))
}

/** Removes up to `limit` expired records. Returns their number. */
export async function sweepUndo(database: Reader, limit: number): Promise<number> {
  const { numDeletedRows } = await database
    .with('expired', (one) =>
      one
        .selectFrom('undo_record')
        .select(['school_id', 'id'])
        .where('expires_at', '<', now)
        .orderBy('expires_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .deleteFrom('undo_record')
    .using('expired')
    .whereRef('undo_record.school_id', '=', 'expired.school_id')
    .whereRef('undo_record.id', '=', 'expired.id')
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/** An entry of the audit trail with what taking it back needs. */
export interface UndoableEntry {
  id: string
  account_id: string | null
  client_id: string | null
  event: string
  /** The operations whose permission is needed. */
  operations: string[]
  resource: Record<string, unknown> | undefined
  /** The request that it took back, if it was a single one. */
  reverses: Reversed | undefined
}

/** A request that another one took back, or made again by taking that back. */
export interface Reversed {
  operation: string
  event: string
  isAgain: boolean
}

interface Details {
  operation?: string
  operations?: string[]
  resource?: Record<string, unknown>
  reverses?: Reversed
}

const entryOf = ({
  details,
  ...row
}: Pick<UndoableEntry, 'id' | 'account_id' | 'client_id' | 'event'> & { details: Details }): UndoableEntry => ({
  ...row,
  operations: details.operations ?? (details.operation === undefined ? [] : [details.operation]),
  resource: details.resource,
  reverses: details.reverses,
})

/** Returns an entry of the audit trail. */
export async function findUndone(reader: SchoolReader, id: string): Promise<UndoableEntry | undefined> {
  const row = await reader
    .selectFrom('audit_log')
    .select(['id', 'account_id', 'client_id', 'event', 'details'])
    .where('id', '=', id)
    .$narrowType<{ details: Details }>()
    .executeTakeFirst()
  return row && entryOf(row)
}

interface UndoableFilter {
  clientId: string
  accountId: string | undefined
  since?: Date | undefined
  /** The id of the oldest entry. */
  first?: string | undefined
  before: string | undefined
}

/** Returns up to `limit` entries of an app that can be taken back, the newest first. Entries that take others back are left out. */
export async function findUndoable(
  reader: SchoolReader,
  { clientId, accountId, since, first, before }: UndoableFilter,
  limit: number,
): Promise<UndoableEntry[]> {
  const rows = await reader
    .selectFrom('undo_record')
    .innerJoin('audit_log', 'audit_log.id', 'undo_record.id')
    .select(['audit_log.id', 'audit_log.account_id', 'audit_log.client_id', 'audit_log.event', 'audit_log.details'])
    .where('audit_log.client_id', '=', clientId)
    .where('audit_log.event', '<>', 'activity.undone' satisfies NamedAuditEvent)
    .where('undo_record.is_undoable', '=', true)
    .where('undo_record.undone_at', 'is', null)
    .where('undo_record.expires_at', '>', now)
    .$if(since !== undefined, (query) => query.where('undo_record.created_at', '>=', since ?? new Date()))
    .$if(first !== undefined, (query) => query.where('audit_log.id', '>=', first ?? ''))
    .$if(accountId !== undefined, (query) => query.where('audit_log.account_id', '=', accountId ?? null))
    .$if(before !== undefined, (query) => query.where('audit_log.id', '<', before ?? ''))
    .orderBy('audit_log.id', 'desc')
    .limit(limit)
    .$narrowType<{ details: Details }>()
    .execute()
  return rows.map(entryOf)
}
