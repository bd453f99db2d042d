import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'
import { audienceOf, type Caller } from '../../policy/caller.ts'
import { isKnownLecturer } from '../courses/courses.ts'
import { hasHost, mayFind, mayJoin, mayWatch } from './eventAccess.ts'

type Events = ExpressionBuilder<DB, 'event'>
type Condition = Expression<SqlBool>

/** Events with one of these hosts, as far as the caller sees the hosts. */
export const hasShownHost = (event: Events, lecturerIds: readonly string[], caller: Caller): Condition =>
  audienceOf(caller) === 'staff' ? hasHost(event, lecturerIds) : event.and([hasHost(event, lecturerIds), mayFind(event, caller)])

/** Who hosts an event, in order: `[{ id, display_name, slug }]`. */
export function hostsOf(event: Events, caller: Caller): Expression<unknown> {
  return event
    .selectFrom((inner) =>
      inner
        .selectFrom('event_host')
        .innerJoin('lecturer', (join) =>
          join.onRef('lecturer.school_id', '=', 'event_host.school_id').onRef('lecturer.id', '=', 'event_host.lecturer_id'),
        )
        .select(['lecturer.id', 'lecturer.display_name', 'lecturer.slug'])
        .whereRef('event_host.school_id', '=', 'event.school_id')
        .whereRef('event_host.event_id', '=', 'event.id')
        .where((lecturer) => isKnownLecturer(lecturer, caller))
        .orderBy('event_host.position')
        .orderBy('lecturer.id')
        .as('listed'),
    )
    .select((listed) => listed.fn.jsonAgg('listed').as('hosts'))
}

/** Ids of the plans that open an event. */
export const plansOf = (event: Events): Expression<unknown> =>
  event
    .selectFrom((inner) =>
      inner
        .selectFrom('event_plan')
        .select('event_plan.plan_id')
        .whereRef('event_plan.school_id', '=', 'event.school_id')
        .whereRef('event_plan.event_id', '=', 'event.id')
        .orderBy('event_plan.plan_id')
        .as('plans'),
    )
    .select((plans) => plans.fn.agg<string[]>('array_agg', ['plans.plan_id']).as('plan_ids'))

/** A column for those alone whom the rule lets see it. */
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

export const shownLocation = onlyFor('location', mayFind)
export const shownJoinUrl = onlyFor('join_url', mayJoin)
export const shownRecordingUrl = onlyFor('recording_url', mayWatch)

/** What the caller has answered: `{ id, status, waitlist_position }`. */
export function ownAnswerOf(event: Events, caller: Caller): Expression<unknown> {
  const personId = caller.kind === 'person' ? caller.personId : null
  if (personId === null) return event.cast(event.val(null), 'json')
  return event
    .selectFrom((inner) =>
      inner
        .selectFrom('rsvp')
        .select((rsvp) => ['rsvp.id', 'rsvp.status', placeInQueue(rsvp).as('waitlist_position')])
        .whereRef('rsvp.school_id', '=', 'event.school_id')
        .whereRef('rsvp.event_id', '=', 'event.id')
        .where('rsvp.person_id', '=', personId)
        .as('own'),
    )
    .select((own) => own.fn.toJson('own').as('my_rsvp'))
}

/** How many wait up to and with this one; null for who does not wait. */
export function placeInQueue(rsvp: ExpressionBuilder<DB, 'rsvp'>) {
  const ahead = rsvp
    .selectFrom('rsvp as ahead')
    .select((row) => row.fn.countAll<number>().as('place'))
    .whereRef('ahead.school_id', '=', 'rsvp.school_id')
    .whereRef('ahead.event_id', '=', 'rsvp.event_id')
    .where('ahead.status', '=', 'waitlisted')
    .where((row) => row(row.refTuple('ahead.queued_at', 'ahead.id'), '<=', row.refTuple('rsvp.queued_at', 'rsvp.id')))
  return rsvp
    .case()
    .when(rsvp('rsvp.status', '=', 'waitlisted'))
    .then(rsvp.cast<number>(ahead, 'int4'))
    .end()
}

/** Where an event stands in time. */
export type Phase = 'upcoming' | 'live' | 'ended'

export function phaseOf({ starts_at, ends_at }: { starts_at: Date; ends_at: Date }, now = new Date()): Phase {
  if (now < starts_at) return 'upcoming'
  return now < ends_at ? 'live' : 'ended'
}

/** Events in one of these phases. */
export const isInPhase = (event: Events, phases: readonly string[]): Condition => {
  const now = event.fn<Date>('now', [])
  const [begun, over] = [event('event.starts_at', '<=', now), event('event.ends_at', '<=', now)]
  const conditions: Record<Phase, Condition> = { upcoming: event.not(begun), live: event.and([begun, event.not(over)]), ended: over }
  return event.or(phases.map((phase) => conditions[phase as Phase]))
}
