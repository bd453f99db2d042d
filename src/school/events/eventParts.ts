import { type Expression, ExpressionWrapper } from 'kysely'
import { jsonArrayFrom, jsonObjectFrom } from 'kysely/helpers/postgres'
import { audienceOf, type Caller, type PersonCaller } from '../../base/caller.ts'
import { toPublicId } from '../../base/ids.ts'
import type { SchoolReader, Stored } from '../../database/connection/database.ts'
import { type Builder, type Condition, daySeconds, now, secondsAgo } from '../../database/statements/expressions.ts'
import type { DB } from '../../gen/kysely/tables.ts'
import { isKnownLecturer } from '../courses/visibleCourses.ts'
import { hasHost, hasSeat, isAnnounced, mayJoin, maySeeLocation, mayTakePart, mayWatch } from './eventAccess.ts'

type Events = Builder<'event'>

export const hasShownHost = (event: Events, lecturerIds: readonly string[], caller: Caller): Condition =>
  audienceOf(caller) === 'staff' ? hasHost(event, lecturerIds) : event.and([hasHost(event, lecturerIds), maySeeLocation(event, caller)])

/** Selects the hosts of an event, in order: `[{ id, display_name, slug }]`. */
export function hostsOf(event: Events, caller: Caller): Expression<unknown> {
  return jsonArrayFrom(
    event
      .selectFrom('event_host')
      .innerJoin('lecturer', 'lecturer.id', 'event_host.lecturer_id')
      .select(['lecturer.id', 'lecturer.display_name', 'lecturer.slug'])
      .whereRef('event_host.event_id', '=', 'event.id')
      .where((lecturer) => isKnownLecturer(lecturer, caller))
      .orderBy('event_host.position')
      .orderBy('lecturer.id'),
  )
}

export const plansOf = (event: Events): Expression<unknown> =>
  event
    .selectFrom((inner) =>
      inner
        .selectFrom('event_plan')
        .select('event_plan.plan_id')
        .whereRef('event_plan.event_id', '=', 'event.id')
        .orderBy('event_plan.plan_id')
        .as('plans'),
    )
    .select((plans) => plans.fn.agg<string[]>('array_agg', ['plans.plan_id']).as('plan_ids'))

/** Selects a column, or null for callers that the rule excludes. Staff see every value. */
const onlyFor =
  (column: 'location' | 'join_url' | 'recording_url', rule: (event: Events, caller: Caller) => Condition) =>
  (event: Events, caller: Caller): Expression<unknown> =>
    audienceOf(caller) === 'staff'
      ? event.ref(`event.${column}`)
      : event
          .case()
          .when(rule(event, caller))
          .then(event.ref(`event.${column}`))
          .end()

export const shownLocation = onlyFor('location', maySeeLocation)
export const shownJoinUrl = onlyFor('join_url', mayJoin)
export const shownRecordingUrl = onlyFor('recording_url', mayWatch)

/** Selects the caller's own RSVP: `{ id, status, waitlist_position, offered_until }`. Undefined for callers who are not a person of the school. */
export function ownRsvpOf(event: Events, caller: Caller): Expression<unknown> | undefined {
  const personId = caller.kind === 'person' ? caller.personId : null
  if (personId === null) return undefined
  return jsonObjectFrom(
    event
      .selectFrom('rsvp')
      .select((rsvp) => ['rsvp.id', 'rsvp.status', waitlistPosition(rsvp).as('waitlist_position'), 'rsvp.offered_until'])
      .whereRef('rsvp.event_id', '=', 'event.id')
      .where('rsvp.person_id', '=', personId),
  )
}

/** Selects the position of an RSVP on the waitlist, from 1; null for other RSVPs. */
export function waitlistPosition(rsvp: Builder<'rsvp'>) {
  const ahead = rsvp
    .selectFrom('rsvp as ahead')
    .select((row) => row.fn.countAll<number>().as('place'))
    .whereRef('ahead.event_id', '=', 'rsvp.event_id')
    .where('ahead.status', '=', 'waitlisted')
    .where('ahead.offered_until', 'is', null)
    .where((row) => row(row.refTuple('ahead.queued_at', 'ahead.id'), '<=', row.refTuple('rsvp.queued_at', 'rsvp.id')))
  return rsvp
    .case()
    .when(rsvp.and([rsvp('rsvp.status', '=', 'waitlisted'), rsvp('rsvp.offered_until', 'is', null)]))
    .then(rsvp.cast<number>(ahead, 'int4'))
    .end()
}

export type Phase = 'upcoming' | 'live' | 'ended'

export function phaseOf({ starts_at, ends_at }: { starts_at: Date; ends_at: Date }, time = new Date()): Phase {
  if (time < starts_at) return 'upcoming'
  return time < ends_at ? 'live' : 'ended'
}

/** Returns the seats that a new RSVP can take; null without a limit. People on a waitlist by party come first, even to seats that stay free. */
export function seatsLeftOf({ capacity, going_count, waitlisted_count, waitlist_mode }: SeatCounts): number | null {
  if (capacity === null) return null
  return waitlisted_count > 0 && waitlist_mode === 'party' ? 0 : Math.max(0, capacity - going_count)
}

type SeatCounts = Stored<'event', 'capacity' | 'going_count' | 'waitlisted_count' | 'waitlist_mode'>

export const isInPhase = (event: Events, phases: readonly Phase[]): Condition => {
  const [begun, over] = [event('event.starts_at', '<=', now), event('event.ends_at', '<=', now)]
  const conditions: Record<Phase, Condition> = { upcoming: event.not(begun), live: event.and([begun, event.not(over)]), ended: over }
  return event.or(phases.map((phase) => conditions[phase]))
}

const most = 500

const pastDays = 90

/**
 * Returns the events of a person's calendar, with the fields that the person sees: those at which the person has a seat, and the live
 * lessons of the courses in which the person is enrolled. Cancelled events are included, so that calendars remove them.
 */
export async function personalCalendar(database: SchoolReader, caller: PersonCaller) {
  const rows = await database
    .selectFrom('event')
    .select([
      'id',
      'version',
      'created_at',
      'updated_at',
      'title',
      'slug',
      'status',
      'description',
      'description_html',
      'starts_at',
      'ends_at',
    ])
    .select((event) => [
      new ExpressionWrapper<DB, 'event', unknown>(shownLocation(event, caller).toOperationNode()).as('location'),
      new ExpressionWrapper<DB, 'event', unknown>(shownJoinUrl(event, caller).toOperationNode()).as('join_url'),
    ])
    .where((event) => isAnnounced(event))
    .where('ends_at', '>', secondsAgo(daySeconds(pastDays)))
    .where((event) => event.or([hasSeat(event, caller), event.and([isLiveLesson(event, caller), mayTakePart(event, caller)])]))
    .orderBy('starts_at')
    .orderBy('id')
    .limit(most)
    .execute()
  return rows.map(({ id, created_at, updated_at, starts_at, ends_at, ...event }) => ({
    ...event,
    id: toPublicId('evt', id),
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
    starts_at: starts_at.toISOString(),
    ends_at: ends_at.toISOString(),
  }))
}

/** Selects events of published lessons in courses in which the person is enrolled. */
const isLiveLesson = (event: Builder<'event'>, { personId }: PersonCaller): Condition =>
  personId === null
    ? event.lit(false)
    : event.exists(
        event
          .selectFrom('lesson')
          .innerJoin('enrollment', 'enrollment.course_id', 'lesson.course_id')
          .whereRef('lesson.event_id', '=', 'event.id')
          .where('lesson.status', '=', 'published')
          .where('enrollment.person_id', '=', personId)
          .where('enrollment.status', 'in', ['active', 'completed'])
          .where('enrollment.starts_at', '<=', now)
          .where((row) => row.or([row('enrollment.expires_at', 'is', null), row('enrollment.expires_at', '>', now)])),
      )
