import { sql } from 'kysely'
import type { SchoolReader, SchoolWriter } from '../connection/database.ts'
import { isAmong, now } from '../statements/expressions.ts'
import { addressedEmailKinds } from './outboxKinds.ts'

/**
 * Counts the messages of an app that wait: e-mails and webhooks in the outbox, news in `notification`, and e-mails about moved events in
 * `event`. Each row has the id of the activity. The change feed never waits: a copy of the school would differ from the API meanwhile.
 */
export interface Outgoing {
  /** E-mails that wait. */
  emails: number
  /** News that waits. Who gets an e-mail is decided when it leaves. */
  announcements: number
  /** When the first of them leaves; null if none waits. */
  leaves_at: Date | null
  /** E-mails and news that were stopped. */
  stopped: number
}

/** Returns what waits because of these activities, or was stopped, by their ids. Activities without any are left out. */
export async function outgoingOf(reader: SchoolReader, ids: readonly string[]): Promise<Map<string, Outgoing>> {
  if (ids.length === 0) return new Map()
  const inOutbox = await reader
    .selectFrom('outbox')
    .select((row) => [
      row.ref('activity_id').$notNull().as('activity_id'),
      row.cast<number>(row.fn.countAll().filterWhere('state', '=', 'pending'), 'int4').as('emails'),
      row.cast<number>(row.fn.countAll().filterWhere('state', '=', 'stopped'), 'int4').as('stopped'),
      row.fn.min('next_at').filterWhere('state', '=', 'pending').as('leaves_at'),
    ])
    .where((row) => isAmong(row.ref('activity_id').$notNull(), ids))
    .where('kind', 'in', addressedEmailKinds)
    .where((row) => row.or([row('state', '=', 'stopped'), row.and([row('state', '=', 'pending'), row('attempts', '=', 0)])]))
    .groupBy('activity_id')
    .execute()
  const news = await reader
    .selectFrom('notification')
    .select((row) => [
      row.ref('activity_id').$notNull().as('activity_id'),
      row.cast<number>(row.fn.countAll(), 'int4').as('announcements'),
      row.fn.min('due_at').as('leaves_at'),
    ])
    .where((row) => isAmong(row.ref('activity_id').$notNull(), ids))
    .where('finished_at', 'is', null)
    .where('after_person_id', 'is', null)
    .groupBy('activity_id')
    .execute()
  const moves = await reader
    .selectFrom('event')
    .leftJoin('rsvp', (join) => join.onRef('rsvp.event_id', '=', 'event.id').on('rsvp.status', 'in', ['going', 'waitlisted']))
    .select((row) => [
      row.ref('move_activity_id').$notNull().as('activity_id'),
      row.cast<number>(row.fn.count('rsvp.id'), 'int4').as('emails'),
      row.fn.min('move_notice_at').as('leaves_at'),
    ])
    .where((row) => isAmong(row.ref('move_activity_id').$notNull(), ids))
    .where('move_notice_at', 'is not', null)
    .groupBy('move_activity_id')
    .execute()
  const groups = Map.groupBy([...inOutbox, ...news, ...moves], ({ activity_id }) => activity_id)
  return new Map([...groups].map(([id, parts]) => [id, joined(parts)]))
}

function joined(parts: readonly Partial<Outgoing>[]): Outgoing {
  const sum = (name: 'emails' | 'announcements' | 'stopped'): number => parts.reduce((total, part) => total + (part[name] ?? 0), 0)
  const times = parts.flatMap(({ leaves_at: at }) => (at ? [at.getTime()] : []))
  return {
    emails: sum('emails'),
    announcements: sum('announcements'),
    stopped: sum('stopped'),
    leaves_at: times.length > 0 ? new Date(Math.min(...times)) : null,
  }
}

/**
 * Stops the e-mails of an activity that still wait, and returns what they were. Its webhooks leave: the change stays, and receivers have to learn
 * of it.
 */
export async function stopOutgoing(writer: SchoolWriter, id: string): Promise<Outgoing> {
  const stopped = (await outgoingOf(writer, [id])).get(id) ?? joined([])
  await ofActivities(writer, [id])
    .set({ state: 'stopped', payload: null, finished_at: now, reason: 'stopped by a person' })
    .where('kind', 'in', addressedEmailKinds)
    .execute()
  await writer
    .updateTable('notification')
    .set({ finished_at: now })
    .where('activity_id', '=', id)
    .where('finished_at', 'is', null)
    .where('after_person_id', 'is', null)
    .execute()
  await writer
    .updateTable('event')
    .set({ moved_from: null, move_notice_at: null, move_activity_id: null })
    .where('move_activity_id', '=', id)
    .execute()
  return stopped
}

/**
 * Removes the waiting messages of activities that were taken back: all e-mails, and the webhooks of objects that are as before, those of this
 * transaction included. `whole`: the activities that were taken back completely. An object that was changed by others meanwhile keeps its
 * webhooks, in their order.
 */
export async function withdrawOutgoing(writer: SchoolWriter, { ids, whole }: { ids: readonly string[]; whole: readonly string[] }) {
  await ofActivities(writer, ids)
    .set({ state: 'stopped', payload: null, finished_at: now, reason: 'taken back' })
    .where('kind', 'in', addressedEmailKinds)
    .execute()
  await writer
    .deleteFrom('notification')
    .where((row) => isAmong(row.ref('activity_id').$notNull(), ids))
    .where('finished_at', 'is', null)
    .where('after_person_id', 'is', null)
    .execute()
  const first = writer
    .selectFrom('outbox as held')
    .select('held.order_key')
    .select((row) => row.fn.min('held.id').as('id'))
    .where((row) => isAmong(row.ref('held.activity_id').$notNull(), whole))
    .where('held.kind', '=', 'webhook')
    .where('held.state', '=', 'pending')
    .where('held.attempts', '=', 0)
    .groupBy('held.order_key')
  await writer
    .deleteFrom('outbox')
    .using(first.as('first'))
    .whereRef('outbox.order_key', '=', 'first.order_key')
    .whereRef('outbox.id', '>=', 'first.id')
    .where('outbox.state', '=', 'pending')
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom('outbox as other')
            .select('other.id')
            .whereRef('other.order_key', '=', 'first.order_key')
            .where('other.state', '=', 'pending')
            .where(sql<boolean>`age(other.xmin) > 0`)
            .where((other) => sql<boolean>`${other.ref('other.activity_id')} = ANY(${[...whole]}::uuid[]) IS NOT TRUE`),
        ),
      ),
    )
    .execute()
}

/** Rows whose delivery has not begun. */
const ofActivities = (writer: SchoolWriter, ids: readonly string[]) =>
  writer
    .updateTable('outbox')
    .where((row) => isAmong(row.ref('activity_id').$notNull(), ids))
    .where('state', '=', 'pending')
    .where('attempts', '=', 0)
