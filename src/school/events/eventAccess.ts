import type { Caller, PersonCaller } from '../../base/caller.ts'
import { type Builder, type Condition, now } from '../../database/statements/expressions.ts'
import { hasPlan, includesAllEvents, includesProduct } from '../memberships/planVisibility.ts'

type Events = Builder<'event'>
type PersonAtEvent = Builder<'event' | 'person'>
type Me = Pick<PersonCaller, 'personId'>

/** The states of an RSVP that occupies seats. */
export const statusesWithSeat = ['going', 'attended', 'no_show'] as const

/** Selects events that everybody can see: published or cancelled ones, past or future. */
export const isAnnounced = (event: Events): Condition => event('event.status', 'in', ['published', 'canceled'])

/** Selects events that everybody may attend. */
export const isForEverybody = (event: Events): Condition => event('event.access', '=', 'public')

/** Selects events that the lecturer hosts, in every state. */
export function isHosted(event: Events, { lecturerId }: Pick<PersonCaller, 'lecturerId'>): Condition {
  return lecturerId === null ? event.lit(false) : hasHost(event, [lecturerId])
}

/** Selects RSVPs to events that the lecturer hosts. */
export const isToHostedEvent = (rsvp: Builder<'rsvp'>, me: Pick<PersonCaller, 'lecturerId'>): Condition =>
  rsvp.exists(
    rsvp
      .selectFrom('event')
      .whereRef('event.school_id', '=', 'rsvp.school_id')
      .whereRef('event.id', '=', 'rsvp.event_id')
      .where((event) => isHosted(event, me)),
  )

/** Selects events with one of these hosts. */
export const hasHost = (event: Events, lecturerIds: readonly string[]): Condition =>
  event.exists(
    event
      .selectFrom('event_host')
      .whereRef('event_host.school_id', '=', 'event.school_id')
      .whereRef('event_host.event_id', '=', 'event.id')
      .where('event_host.lecturer_id', 'in', [...lecturerIds]),
  )

/** Selects events for subscribers of one of these plans. */
export const isForPlan = (event: Events, planIds: readonly string[]): Condition =>
  event.exists(
    event
      .selectFrom('event_plan')
      .whereRef('event_plan.school_id', '=', 'event.school_id')
      .whereRef('event_plan.event_id', '=', 'event.id')
      .where('event_plan.plan_id', 'in', [...planIds]),
  )

/** Selects events to which the person has an RSVP, in any state. */
export const hasRsvp = (event: Events, { personId }: Me): Condition => (personId === null ? event.lit(false) : rsvpExists(event, personId))

/** Selects events to which the caller has an RSVP with one of these statuses. */
export const hasOwnRsvp = (event: Events, statuses: readonly string[], caller: Caller): Condition =>
  caller.kind === 'person' && caller.personId !== null ? rsvpExists(event, caller.personId, statuses) : event.lit(false)

/** Selects events in which the person has a seat. A blocked person has none. */
export const hasSeat = (event: Events, { personId }: Me): Condition =>
  personId === null ? event.lit(false) : event.and([rsvpExists(event, personId, statusesWithSeat), isWelcome(event, personId)])

/**
 * Selects restricted events that this person may attend: through membership, a plan, or the course of the event.
 * Evaluated for each query: memberships and subscriptions expire with time.
 */
export function isInvited(event: Events, { personId, lecturerId }: PersonCaller): Condition {
  if (personId === null) return event.lit(false)
  const holder = { schoolId: event.ref('event.school_id'), personId: event.val(personId) }
  const byPlan = hasPlan(event, holder, (plan) =>
    plan.exists(
      plan
        .selectFrom('event_plan')
        .whereRef('event_plan.school_id', '=', 'membership_plan.school_id')
        .whereRef('event_plan.plan_id', '=', 'membership_plan.id')
        .where('event_plan.event_id', '=', event.ref('event.id')),
    ),
  )
  const byCourse = [
    isEnrolled(event, personId),
    hasPlan(event, holder, (plan) => includesProduct(plan, 'course', event.ref('event.course_id').$notNull())),
    ...(lecturerId === null ? [] : [teachesCourse(event, lecturerId)]),
  ]
  return event.and([
    isWelcome(event, personId),
    event.or([
      event.and([event('event.access', '=', 'members'), isWelcome(event, personId, (person) => person('person.is_member', '=', true))]),
      event.and([event('event.access', '=', 'plans'), byPlan]),
      event.and([event('event.access', '=', 'course'), event.or(byCourse)]),
      // The access is compared inside: otherwise PostgreSQL may read the plans of the person at all schools, once for all events.
      hasPlan(event, holder, (plan) => plan.and([includesAllEvents(plan), event('event.access', '!=', 'public')])),
    ]),
  ])
}

/** Selects events that the person may attend: public events unless the person is blocked, and restricted ones that admit them. */
export const mayTakePart = (event: Events, me: PersonCaller): Condition =>
  me.personId === null
    ? event.lit(false)
    : event.or([event.and([event('event.access', '=', 'public'), isWelcome(event, me.personId)]), isInvited(event, me)])

/** Selects events whose location the caller sees: public events, and restricted ones that the caller hosts or may attend. */
export const maySeeLocation = (event: Events, caller: Caller): Condition =>
  event.or([
    event('event.access', '=', 'public'),
    ...(caller.kind === 'person' ? [isHosted(event, caller), isInvited(event, caller), hasSeat(event, caller)] : []),
  ])

/** Selects events whose recording the caller may watch: hosts, people with a seat, and people admitted to a restricted event. */
export const mayWatch = (event: Events, caller: Caller): Condition =>
  caller.kind === 'person' ? event.or([isHosted(event, caller), isInvited(event, caller), hasSeat(event, caller)]) : event.lit(false)

/** Selects events whose join URL the caller sees. If the event has a capacity, only hosts and people with a seat see it. */
export const mayJoin = (event: Events, caller: Caller): Condition =>
  caller.kind === 'person'
    ? event.or([
        isHosted(event, caller),
        hasSeat(event, caller),
        event.and([event('event.capacity', 'is', null), isInvited(event, caller)]),
      ])
    : event.lit(false)

function rsvpExists(event: Events, personId: string, states?: readonly string[]): Condition {
  const rows = event
    .selectFrom('rsvp')
    .select('rsvp.id')
    .whereRef('rsvp.school_id', '=', 'event.school_id')
    .whereRef('rsvp.event_id', '=', 'event.id')
    .where('rsvp.person_id', '=', personId)
  return event.exists(states ? rows.where('rsvp.status', 'in', [...states]) : rows)
}

/**
 * Matches RSVPs of people who cannot come: the school has blocked them, they were erased, or their account is disabled. They get no seat
 * from a waitlist.
 */
export const isOfExcluded = (rsvp: Builder<'rsvp'>): Condition =>
  rsvp.exists(
    rsvp
      .selectFrom('person')
      .leftJoin('account', (join) => join.onRef('account.school_id', '=', 'person.school_id').onRef('account.id', '=', 'person.account_id'))
      .whereRef('person.school_id', '=', 'rsvp.school_id')
      .whereRef('person.id', '=', 'rsvp.person_id')
      .where((person) =>
        person.or([
          person('person.member_status', 'in', ['blocked', 'erased']),
          person('person.erased_at', 'is not', null),
          person('account.disabled_at', 'is not', null),
        ]),
      ),
  )

/** Checks that the person exists and is not blocked, and a further condition. */
function isWelcome(event: Events, personId: string, also: (person: PersonAtEvent) => Condition = (person) => person.lit(true)): Condition {
  return event.exists(
    event
      .selectFrom('person')
      .whereRef('person.school_id', '=', 'event.school_id')
      .where('person.id', '=', personId)
      .where('person.member_status', 'not in', ['blocked', 'erased'])
      .where('person.erased_at', 'is', null)
      .where(also),
  )
}

function isEnrolled(event: Events, personId: string): Condition {
  return event.exists(
    event
      .selectFrom('enrollment')
      .whereRef('enrollment.school_id', '=', 'event.school_id')
      .whereRef('enrollment.course_id', '=', 'event.course_id')
      // Otherwise PostgreSQL may read the enrolments of the person at all schools, once for all events.
      .where(event.ref('event.course_id'), 'is not', null)
      .where('enrollment.person_id', '=', personId)
      .where('enrollment.status', 'in', ['active', 'completed'])
      .where('enrollment.starts_at', '<=', now)
      .where((row) => row.or([row('enrollment.expires_at', 'is', null), row('enrollment.expires_at', '>', now)])),
  )
}

const teachesCourse = (event: Events, lecturerId: string): Condition =>
  event.exists(
    event
      .selectFrom('course_lecturer')
      .whereRef('course_lecturer.school_id', '=', 'event.school_id')
      .whereRef('course_lecturer.course_id', '=', 'event.course_id')
      .where('course_lecturer.lecturer_id', '=', lecturerId),
  )
