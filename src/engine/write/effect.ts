import type { PersonCaller } from '../../base/caller.ts'
import { isObject } from '../../base/text/jsonValue.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { isCounter, sourcesOf } from '../../database/statements/columnKinds.ts'
import { changeActionOf } from '../../database/tables/changeActions.ts'
import { type ChangeCount, changesOfTransaction } from '../../database/tables/changeLog.ts'
import type { Captured, RowChange } from '../../database/undo/capture.ts'
import { isBookkeeping, isPlace } from '../../database/undo/columnKinds.ts'
import type { AffectedObjects, Effect, Losses } from '../../database/undo/effect.ts'
import { asksFirstOf, type Operation } from '../declare/operations.ts'
import type { Presentation } from '../declare/rowSerializer.ts'
import type { Activity, RecordedEntry } from './activity.ts'

/** A request that changes more rows, or sends more e-mails, needs a decision whatever its operation. */
const [maxRows, maxEmails] = [100, 20]

interface Written extends Presentation {
  writer: SchoolWriter
  caller: PersonCaller
  operation: Operation
  activity: Activity
  entry: RecordedEntry
  undoDays: number
  isTooLarge: boolean
  /** The figures of earlier requests in the transaction. */
  earlier: Before | undefined
}

interface Before {
  feed: readonly ChangeCount[]
  emails: number
}

/** Returns what the transaction has written before a request. */
export const writtenBefore = async ({
  writer,
  school,
  externalServices,
}: Pick<Written, 'writer' | 'school' | 'externalServices'>): Promise<Before> => ({
  feed: await changesOfTransaction(writer),
  emails: (await externalServices.countNews(writer, school)).emails,
})

/** Describes what a request wrote, before its transaction ends. */
export async function effectOf(written: Written, captured: Captured): Promise<Effect> {
  const { writer, operation, activity, entry, school, externalServices, undoDays, isTooLarge } = written
  const { undo, countNews } = externalServices
  const { changes, uncaptured } = captured
  const own = operation.resource.table
  const feed = since(await changesOfTransaction(writer), written.earlier?.feed ?? [])
  const news = changes.some(announces) ? await countNews(writer, school) : undefined
  const later = { emails: news ? news.emails - (written.earlier?.emails ?? 0) : 0, at: news?.at ?? null }
  const losses = lossesIn(captured, { own, isObject: (table) => undo.typesOf(table).length > 0 })
  const recorded = feed.map(({ type, action, count }): AffectedObjects => ({ type, action: changeActionOf(action), count }))
  const gone = Map.groupBy([...changes.filter(({ after }) => after === null), ...uncaptured], ({ table }) => table)
  const fallen = [...gone].flatMap(([table, rows]): AffectedObjects[] => {
    const types = undo.typesOf(table)
    const count = rows.reduce((sum, row) => sum + ('count' in row ? row.count : 1), 0)
    const rest = recorded.reduce((sum, one) => sum - (one.action === 'deleted' && types.includes(one.type) ? one.count : 0), count)
    return types[0] !== undefined && rest > 0 ? [{ type: types[0], action: 'deleted', count: rest }] : []
  })
  const affected = [...recorded, ...fallen]
  const { now, held } = activity.emails
  const heldUntil = held > 0 ? new Date(Date.now() + externalServices.apps.outgoingDelay() * 1000) : null
  const emails = { now, later: later.emails + held, laterAt: (later.at ?? heldUntil)?.toISOString() ?? null }
  return {
    operation: operation.id,
    event: entry.event,
    target: targetOf(entry),
    changes: await undo.show(writer, changes, own, written),
    affected,
    people: new Set(changes.flatMap(({ personId }) => personId ?? [])).size,
    emails,
    webhooks: feed.reduce((sum, { webhooks }) => sum + webhooks, 0),
    losses,
    undoDays,
    isTooLarge,
    reason: asksFirstOf(operation) ?? reasonIn({ affected, emails, losses, undoDays, isTooLarge }),
  }
}

/** Returns the changes without those of earlier requests. */
function since(changes: readonly ChangeCount[], earlier: readonly ChangeCount[]): ChangeCount[] {
  const before = new Map(earlier.map((one) => [`${one.type} ${one.action}`, one]))
  return changes.flatMap((one) => {
    const { count = 0, entries = 0, webhooks = 0 } = before.get(`${one.type} ${one.action}`) ?? {}
    if (one.entries === entries) return []
    return [{ ...one, count: Math.max(one.count - count, 1), entries: one.entries - entries, webhooks: one.webhooks - webhooks }]
  })
}

/** True for a change about which a job sends e-mails. */
const announces = ({ table, after }: RowChange): boolean => table === 'notification' || (after?.move_notice_at ?? null) !== null

function targetOf({ details: { resource } }: RecordedEntry): Effect['target'] {
  const { type, id, label, ids } = isObject(resource) ? resource : {}
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)
  return { type: text(type) ?? '', id: text(id), label: text(label), ids: Array.isArray(ids) ? ids.map(String) : [] }
}

function reasonIn({
  affected,
  emails,
  losses,
  undoDays,
  isTooLarge,
}: Pick<Effect, 'affected' | 'emails' | 'losses' | 'undoDays' | 'isTooLarge'>): Effect['reason'] {
  if (isTooLarge || (undoDays === 0 && losses.any)) return 'irreversible'
  if (emails.now + emails.later > maxEmails) return 'outward'
  return affected.reduce((sum, { action, count }) => (action === 'created' ? sum : sum + count), 0) > maxRows ? 'many' : null
}

/** Counts what changes of rows removed and overwrote. `isObject` is true for the tables of resources, `own` is that of the operation. */
function lossesIn(
  { changes, uncaptured, isComplete }: Captured,
  { own, isObject }: { own: string; isObject(table: string): boolean },
): Losses {
  const isCounted = ({ table, isOfPerson }: { table: string; isOfPerson: boolean }) => isObject(table) && (!isOfPerson || table === own)
  const counted = changes.filter(({ table, personId }) => isCounted({ table, isOfPerson: personId !== null }))
  return {
    deleted: uncaptured.filter(isCounted).reduce((sum, { count }) => sum + count, counted.filter(isGone).length),
    overwritten: counted.filter(
      (change) => !isGone(change) && changedColumns(change).some((name) => !isPlace(name) && !isEmpty(change.before?.[name])),
    ).length,
    any: !isComplete || changes.some((change) => change.after === null || changedColumns(change).length > 0),
  }
}

/** True for a row that is gone, an erased person, and a file in the trash. */
const isGone = ({ table, before, after }: RowChange): boolean =>
  after === null || (before !== null && ((after.erased_at ?? null) !== null || (table === 'file' && after.status === 'deleted')))

/** The columns of a row that was there and still is, except those that follow from other columns or rows. */
const changedColumns = ({ table, before, after }: RowChange): string[] =>
  before === null || after === null
    ? []
    : Object.keys(after).filter((name) => !isBookkeeping(name) && !isCounter(table, name) && !sourcesOf(table, name))

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
