import type { School } from '../../../base/school.ts'
import type { Stored, Writer } from '../../../database/connection/database.ts'
import { inSchool } from '../../../database/school/inSchool.ts'
import { type Builder, type Condition, now } from '../../../database/statements/expressions.ts'
import type { ExternalServices } from '../../../engine/externalServices.ts'
import { isOfExcluded } from '../eventAccess.ts'
import { fillSeats } from '../eventStates.ts'

export interface FreeSeats {
  schools: readonly School[]
  externalServices: Pick<ExternalServices, 'send' | 'checkoutAddress'>
  limit: number
  after?: EventKey | undefined
}

export type EventKey = Stored<'event', 'school_id' | 'id'>

/** Matches events at which people who cannot come are on the waitlist, or have an offer. */
const hasExcludedWaiting = (event: Builder<'event'>): Condition =>
  event.exists(
    event
      .selectFrom('rsvp')
      .whereRef('rsvp.school_id', '=', 'event.school_id')
      .whereRef('rsvp.event_id', '=', 'event.id')
      .where('rsvp.status', '=', 'waitlisted')
      .where(isOfExcluded),
  )

/**
 * Ends the offers of seats that were not paid in time, gives free seats to the waitlists, and e-mails the people. Skips events that another
 * transaction has locked. Returns the number of people who moved up, and the last event if more may follow. Call it in a transaction.
 */
export async function fillFreeSeats(
  writer: Writer,
  { schools, externalServices, limit, after }: FreeSeats,
): Promise<{ promoted: number; last: EventKey | undefined }> {
  const byId = new Map(schools.map((school) => [school.id, school]))
  if (byId.size === 0) return { promoted: 0, last: undefined }
  const events = await writer
    .selectFrom('event')
    .select(['school_id', 'id', 'title', 'starts_at', 'time_zone'])
    .where('school_id', 'in', [...byId.keys()])
    .where('status', '=', 'published')
    .where((event) =>
      event.or([
        event.and([
          event('ends_at', '>', now),
          event('waitlisted_count', '>', 0),
          event.or([event('capacity', 'is', null), event('going_count', '<', event.ref('capacity'))]),
        ]),
        event(
          event.refTuple('event.school_id', 'event.id'),
          'in',
          event
            .selectFrom('rsvp')
            .select(['rsvp.school_id', 'rsvp.event_id'])
            .where('rsvp.offered_until', '<=', now)
            .$asTuple('school_id', 'event_id'),
        ),
        event.and([event('ends_at', '>', now), hasExcludedWaiting(event)]),
      ]),
    )
    .$if(after !== undefined, (query) =>
      query.where((event) =>
        event(event.refTuple('event.school_id', 'event.id'), '>', event.tuple(after?.school_id ?? '', after?.id ?? '')),
      ),
    )
    .orderBy('school_id')
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()
  let promoted = 0
  for (const { school_id, ...event } of events) {
    const school = byId.get(school_id)
    if (school) promoted += await fillSeats({ writer: inSchool(writer, school_id), school, externalServices }, event)
  }
  const last = events.length < limit ? undefined : events.at(-1)
  return { promoted, last: last && { school_id: last.school_id, id: last.id } }
}
