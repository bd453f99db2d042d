import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'
import type { Caller, PersonCaller } from '../../policy/caller.ts'
import { hasPlan, includesAllEvents, includesProduct } from '../memberships/planSummaries.ts'

type Events = ExpressionBuilder<DB, 'event'>
type Person = ExpressionBuilder<DB, 'person'>
type Condition = Expression<SqlBool>
type Me = Pick<PersonCaller, 'personId'>

/** States of an answer that holds seats. */
export const statusesWithPlace = ['going', 'attended', 'no_show'] as const

/** What everybody finds: what is to come, what has been, and what has been called off. */
export const isAnnounced = (event: Events): Condition => event('event.status', 'in', ['published', 'canceled'])

/** Events that everybody may take part in. */
export const isForEverybody = (event: Events): Condition => event('event.access', '=', 'public')

/** Events that the lecturer hosts, in every state. */
export function isHosted(event: Events, { lecturerId }: Pick<PersonCaller, 'lecturerId'>): Condition {
  return lecturerId === null ? event.lit(false) : hasHost(event, [lecturerId])
}

/** Events with one of these hosts. */
export const hasHost = (event: Events, lecturerIds: readonly string[]): Condition =>
  event.exists(
    event
      .selectFrom('event_host')
      .select('event_host.lecturer_id')
      .whereRef('event_host.school_id', '=', 'event.school_id')
      .whereRef('event_host.event_id', '=', 'event.id')
      .where('event_host.lecturer_id', 'in', [...lecturerIds]),
  )

/** Events for the holders of one of these plans. */
export const isForPlan = (event: Events, planIds: readonly string[]): Condition =>
  event.exists(
    event
      .selectFrom('event_plan')
      .select('event_plan.plan_id')
      .whereRef('event_plan.school_id', '=', 'event.school_id')
      .whereRef('event_plan.event_id', '=', 'event.id')
      .where('event_plan.plan_id', 'in', [...planIds]),
  )

/** Whether the person has answered, whatever they said. */
export const hasAnswered = (event: Events, { personId }: Me): Condition =>
  personId === null ? event.lit(false) : answered(event, personId)

/** Whether the person has a seat. One who was blocked has none. */
export const hasSeat = (event: Events, { personId }: Me): Condition =>
  personId === null ? event.lit(false) : event.and([answered(event, personId, statusesWithPlace), isWelcome(event, personId)])

/**
 * Whether an event that is not for everybody is for this person: by membership, by a plan, or by the course that it belongs to.
 * The clock and the subscriptions decide each time anew.
 */
export function isInvited(event: Events, { personId, lecturerId }: PersonCaller): Condition {
  if (personId === null) return event.lit(false)
  const holder = { schoolId: event.ref('event.school_id'), personId: event.val(personId) }
  const byPlan = hasPlan(event, holder, (plan) =>
    plan.exists(
      plan
        .selectFrom('event_plan')
        .select('event_plan.plan_id')
        .whereRef('event_plan.school_id', '=', 'membership_plan.school_id')
        .whereRef('event_plan.plan_id', '=', 'membership_plan.id')
        .where('event_plan.event_id', '=', event.ref('event.id')),
    ),
  )
  const byCourse = [
    isEnrolled(event, personId),
    hasPlan(event, holder, (plan) => includesProduct(plan, 'course', event.ref('event.course_id') as Expression<string>)),
    ...(lecturerId === null ? [] : [teachesCourse(event, lecturerId)]),
  ]
  return event.and([
    isWelcome(event, personId),
    event.or([
      event.and([event('event.access', '=', 'members'), isWelcome(event, personId, (person) => person('person.is_member', '=', true))]),
      event.and([event('event.access', '=', 'plans'), byPlan]),
      event.and([event('event.access', '=', 'course'), event.or(byCourse)]),
      event.and([event('event.access', '!=', 'public'), hasPlan(event, holder, includesAllEvents)]),
    ]),
  ])
}

/** Whether the person may take part: everybody who is welcome at an event for all, and who is invited to another. */
export const mayTakePart = (event: Events, me: PersonCaller): Condition =>
  me.personId === null
    ? event.lit(false)
    : event.or([event.and([event('event.access', '=', 'public'), isWelcome(event, me.personId)]), isInvited(event, me)])

/** Whether the place of an event is shown: that of an event for all to all, of another to those who take part in it. */
export const mayFind = (event: Events, caller: Caller): Condition =>
  event.or([
    event('event.access', '=', 'public'),
    ...(caller.kind === 'person' ? [isHosted(event, caller), isInvited(event, caller), hasSeat(event, caller)] : []),
  ])

/** Whether one may see what was recorded: who was there, and who was invited. */
export const mayWatch = (event: Events, caller: Caller): Condition =>
  caller.kind === 'person' ? event.or([isHosted(event, caller), isInvited(event, caller), hasSeat(event, caller)]) : event.lit(false)

/** Whether one may come in by the address of an online event: where seats are counted, who has one. */
export const mayJoin = (event: Events, caller: Caller): Condition =>
  caller.kind === 'person'
    ? event.or([
        isHosted(event, caller),
        hasSeat(event, caller),
        event.and([event('event.capacity', 'is', null), isInvited(event, caller)]),
      ])
    : event.lit(false)

function answered(event: Events, personId: string, states?: readonly string[]): Condition {
  const rows = event
    .selectFrom('rsvp')
    .select('rsvp.id')
    .whereRef('rsvp.school_id', '=', 'event.school_id')
    .whereRef('rsvp.event_id', '=', 'event.id')
    .where('rsvp.person_id', '=', personId)
  return event.exists(states ? rows.where('rsvp.status', 'in', [...states]) : rows)
}

/** Whether the person is there and not blocked, and whatever else is asked. */
function isWelcome(event: Events, personId: string, also: (person: Person) => Condition = (person) => person.lit(true)): Condition {
  return event.exists(
    event
      .selectFrom('person')
      .select('person.id')
      .whereRef('person.school_id', '=', 'event.school_id')
      .where('person.id', '=', personId)
      .where('person.member_status', 'not in', ['blocked', 'erased'])
      .where('person.erased_at', 'is', null)
      .where((person) => also(person as unknown as Person)),
  )
}

function isEnrolled(event: Events, personId: string): Condition {
  return event.exists(
    event
      .selectFrom('enrollment')
      .select('enrollment.id')
      .whereRef('enrollment.school_id', '=', 'event.school_id')
      .whereRef('enrollment.course_id', '=', 'event.course_id')
      .where('enrollment.person_id', '=', personId)
      .where('enrollment.status', 'in', ['active', 'completed'])
      .where((row) => row('enrollment.starts_at', '<=', row.fn<Date>('now', [])))
      .where((row) => row.or([row('enrollment.expires_at', 'is', null), row('enrollment.expires_at', '>', row.fn<Date>('now', []))])),
  )
}

const teachesCourse = (event: Events, lecturerId: string): Condition =>
  event.exists(
    event
      .selectFrom('course_lecturer')
      .select('course_lecturer.course_id')
      .whereRef('course_lecturer.school_id', '=', 'event.school_id')
      .whereRef('course_lecturer.course_id', '=', 'event.course_id')
      .where('course_lecturer.lecturer_id', '=', lecturerId),
  )
