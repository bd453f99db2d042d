import { isDeepStrictEqual } from 'node:util'
import type { Expression } from 'kysely'
import { jsonObjectFrom } from 'kysely/helpers/postgres'
import { audienceOf, type Caller } from '../../base/caller.ts'
import type { Builder } from '../../database/statements/expressions.ts'
import { attendingStatuses } from './eventEmails.ts'
import type { Occasion } from './occasion.ts'

/** For how long further changes are added to the e-mail about a change. That of an app waits as long as people can stop it, if that is longer. */
const quietMs = 120_000

/** The activity of an app, and for how many seconds what leaves because of it waits. */
export interface Held {
  activity: string
  seconds: number
}

interface MovableEvent extends Occasion {
  status: string
  moved_from?: unknown
}

/**
 * Returns the columns by which a job notifies the attendees of a new time or place, if a change of a published event that is not over has one.
 * The e-mail compares with the time and place before the first change that it covers.
 */
export function noteMove(event: MovableEvent, values: Partial<Occasion> & { notify?: boolean | undefined }, now: Date, held?: Held) {
  const [before, after] = [occasionOf(event), occasionOf({ ...event, ...values })]
  if (event.status !== 'published' || before.ends_at <= now.toISOString() || isDeepStrictEqual(before, after)) return {}
  const first = event.moved_from ?? before
  if (isDeepStrictEqual(first, after) || after.ends_at <= now.toISOString())
    return { moved_from: null, move_notice_at: null, move_activity_id: null }
  if (values.notify === false) return {}
  const due = now.getTime() + Math.max(quietMs, (held?.seconds ?? 0) * 1000)
  return { moved_from: JSON.stringify(first), move_notice_at: new Date(due), move_activity_id: held?.activity ?? null }
}

const occasionOf = ({ starts_at, ends_at, location = null }: Occasion) => ({
  starts_at: new Date(starts_at).toISOString(),
  ends_at: new Date(ends_at).toISOString(),
  location,
})

/** Selects the e-mail about a new time or place that is due: `{ notified, due_at }`. Undefined for callers who do not manage events. */
export function moveNoticeOf(event: Builder<'event'>, caller: Caller): Expression<unknown> | undefined {
  if (!['lecturer', 'staff'].includes(audienceOf(caller))) return undefined
  return jsonObjectFrom(
    event
      .selectFrom('rsvp')
      .innerJoin('person', 'person.id', 'rsvp.person_id')
      .select((rsvp) => [rsvp.cast<number>(rsvp.fn.countAll(), 'int4').as('notified'), rsvp.ref('event.move_notice_at').as('due_at')])
      .whereRef('rsvp.event_id', '=', 'event.id')
      .where('rsvp.status', 'in', attendingStatuses)
      .where('person.erased_at', 'is', null)
      .having('event.move_notice_at', 'is not', null),
  )
}
