import { sql } from 'kysely'
import type { SchoolWriter } from '../connection/database.ts'
import { withoutSchool } from '../school/inSchool.ts'

/** Columns of a row by name, as `to_jsonb` returns them. */
export type Columns = Readonly<Record<string, unknown>>

/** The change of one row by a request. Without `before` the row is new, without `after` it is gone; otherwise both have the changed columns. */
export interface RowChange {
  table: string
  /** The key columns without the school. */
  key: Columns
  /** The person to whom the row belongs. */
  personId: string | null
  before: Columns | null
  after: Columns | null
  /** Columns of an updated row that have not changed: those that name it, and the currencies of its prices. */
  same?: Columns
}

/** A change of an object in the words of the API. */
export interface ShownChange {
  type: string
  /** The public id; null for a row without one. */
  id: string | null
  action: 'created' | 'updated' | 'deleted'
  /** The title, name or code. */
  label: string | null
  /** The person to whom it belongs. */
  personId: string | null
  /** The changed fields of an updated object, in the order of its schema. */
  fields: ShownField[]
}

export interface ShownField {
  field: string
  /** Values as in the API; a long one is shortened text. Of a list of other objects, those that were removed and those that were added. */
  before: unknown
  after: unknown
  /** The narrowest view that shows it; absent if everybody sees it. */
  view?: 'own' | 'staff'
}

const onlyShown: ReadonlySet<string> = new Set([
  ...(['account', 'coupon_redemption', 'file', 'form', 'form_submission', 'notification', 'orders', 'staff'] as const),
  'subscription',
])

/** True for a table whose changes are described, but cannot be taken back. */
export const isOnlyShown = (table: string): boolean => onlyShown.has(table)

/** The bytes of images that one request may leave. See the function `capture_change`. */
export const maxCapturedBytes = 4_194_304

/**
 * From now on, the transaction captures the rows that it changes. What leaves the service because of it belongs to the activity `held`, and waits
 * as long as it says: see src/database/outbox/outgoing.ts.
 */
export async function beginCapture(writer: SchoolWriter, held?: { activity: string; seconds: number }): Promise<void> {
  const undo = sql`set_config('schoolgate.undo', ${String(maxCapturedBytes)}, true), set_config('schoolgate.uncaptured', '', true)`
  const activity = sql`set_config('schoolgate.activity', ${held?.activity}, true), set_config('schoolgate.hold', ${String(held?.seconds)}, true)`
  await sql`SELECT ${held ? sql`${undo}, ${activity}` : undo}`.execute(withoutSchool(writer))
}

/** The changes of a transaction, one for each row. */
export interface Captured {
  /** False if it was too much to keep: `changes` then has the first ones. */
  isComplete: boolean
  changes: RowChange[]
  /** The number of deleted rows beyond those, by table and by whether they belong to people. */
  uncaptured: { table: string; isOfPerson: boolean; count: number }[]
}

/** Returns what was changed since the capture began. */
export async function takeCaptured(writer: SchoolWriter): Promise<Captured> {
  const { rows } = await sql<{ is_complete: boolean; changes: CapturedRow[] | null; uncaptured: Record<string, number> | null }>`
    WITH taken AS (
      DELETE FROM undo_capture WHERE school_id = ${writer.schoolId} AND transaction = pg_current_xact_id()::text::bigint
      RETURNING n, table_name, row_key, person_id, before, after
    )
    SELECT current_setting('schoolgate.undo') <> '0' AS is_complete, nullif(current_setting('schoolgate.uncaptured', true), '')::json AS uncaptured,
           (SELECT json_agg(taken ORDER BY n) FROM taken) AS changes`.execute(withoutSchool(writer))
  const [captured] = rows
  return {
    isComplete: captured?.is_complete === true,
    changes: joinChanges(captured?.changes ?? []),
    uncaptured: Object.entries(captured?.uncaptured ?? {}).map(([name, count]) => {
      const [table = '', ofPerson] = name.split(' ')
      return { table, isOfPerson: ofPerson !== undefined, count }
    }),
  }
}

interface CapturedRow {
  table_name: string
  row_key: Columns
  person_id: string | null
  before: Columns | null
  after: Columns | null
}

function joinChanges(captured: readonly CapturedRow[]): RowChange[] {
  const joined = new Map<string, RowChange>()
  for (const { table_name: table, row_key: key, person_id: personId, before, after } of captured) {
    const id = keyText(table, key)
    const earlier = joined.get(id)
    joined.set(id, earlier ? followedBy(earlier, { before, after }) : { table, key, personId, before, after })
  }
  return [...joined.values()].flatMap(withoutUnchanged)
}

/** Identifies a row. */
export const keyText = (table: string, key: Columns): string =>
  JSON.stringify([table, ...Object.entries(key).toSorted(([one], [other]) => (one < other ? -1 : 1))])

/** Joins a change of a row with the next one. */
export function followedBy(first: RowChange, { before, after }: Pick<RowChange, 'before' | 'after'>): RowChange {
  // A later change may name columns that had not changed until then.
  const wholeBefore = first.before === null || first.after === null ? first.before : { ...before, ...first.before }
  const wholeAfter = after === null || before === null ? after : { ...first.after, ...after }
  return { ...first, before: wholeBefore, after: wholeAfter }
}

/** Leaves out columns that have the same value as before, and rows that are as before. */
export function withoutUnchanged(change: RowChange): RowChange[] {
  const { before, after } = change
  if (before === null) return after === null ? [] : [change]
  if (after === null) return [change]
  const isChanged = (name: string): boolean => JSON.stringify(before[name]) !== JSON.stringify(after[name])
  const [changed, unchanged] = [Object.keys(after).filter(isChanged), Object.keys(after).filter((name) => !isChanged(name))]
  const pick = (columns: Columns, names: readonly string[]): Columns => Object.fromEntries(names.map((name) => [name, columns[name]]))
  if (changed.length === 0) return []
  return [{ ...change, before: pick(before, changed), after: pick(after, changed), same: { ...change.same, ...pick(after, unchanged) } }]
}
