import { z } from 'zod'
import { countAnswers } from '../domain/events/answering.ts'
import { isHosted } from '../domain/events/eventAccess.ts'
import { placeInQueue } from '../domain/events/eventParts.ts'
import { fillSeats } from '../domain/events/eventStates.ts'
import { checkGuest, type HostedEvent, placeGuest } from '../domain/events/staffAnswers.ts'
import { type StoredSummary, summaryOf } from '../domain/people/personSummary.ts'
import { defineResource } from '../framework/declare/defineResource.ts'
import { everything, nothing, type Rule } from '../framework/declare/expressions.ts'
import { reference, timestamp } from '../framework/declare/fields.ts'
import type { Resource } from '../framework/declare/resource.ts'
import { eventArea } from './eventArea.ts'
import { rsvpStatus } from './eventFields.ts'
import { events } from './events.ts'
import { members } from './members.ts'
import { personSummary, summaryFrom } from './personSummary.ts'

const isMine: Rule<'rsvp'> = (rsvp, me) => (me.personId === null ? rsvp.lit(false) : rsvp('rsvp.person_id', '=', me.personId))

const isToHosted: Rule<'rsvp'> = (rsvp, me) =>
  rsvp.exists(
    rsvp
      .selectFrom('event')
      .select('event.id')
      .whereRef('event.school_id', '=', 'rsvp.school_id')
      .whereRef('event.id', '=', 'rsvp.event_id')
      .where((event) => isHosted(event as never, me)),
  )

const memberOf = (row: object): string | null => (row as { member: StoredSummary | null }).member?.id ?? null

/** Who comes to an event. */
export const rsvps: Resource = defineResource({
  name: 'rsvps',
  object: 'rsvp',
  idPrefix: 'rsv',
  table: 'rsvp',
  feature: 'events',
  about: 'The answer of one person to one event. A person sees their own; those who host the event, and the staff, see all.',
  scopes: eventArea,
  schema: z.object({
    event_id: reference('evt', 'Id of the event.'),
    member: personSummary('Who answered.'),
    status: rsvpStatus.meta({ description: 'How it stands.', example: 'going' }),
    waitlist_position: z
      .int()
      .nullable()
      .meta({ description: 'Place in the queue, from 1 on; null for who does not wait.', example: null }),
    note: z.string().min(1).max(500).nullable().meta({ description: 'What the hosts should know.', example: null }),
    guests: z.int().min(0).max(5).meta({ description: 'How many come along.', example: 0 }),
    queued_at: timestamp().meta({ description: 'When the person came into the order of the queue.', example: '2026-03-01T09:30:00.000Z' }),
    status_changed_at: timestamp().meta({ description: 'Since when it stands so.', example: '2026-03-01T09:30:00.000Z' }),
  }),
  derived: {
    member: { select: (rsvp) => summaryOf(rsvp, 'rsvp'), of: summaryFrom },
    waitlist_position: { select: placeInQueue },
  },
  inputs: z.object({
    member_id: reference('mbr', 'Id of a member.').meta({ description: 'Who comes.', example: 'mbr_01jgwejj00e6srgkpqm2sqf05m' }),
  }),
  writable: [
    { field: 'status', on: 'create' },
    { field: 'guests', on: 'create' },
    { field: 'note', on: 'create' },
  ],
  required: ['member_id'],
  filters: ['status', 'created_at', 'updated_at'],
  sorts: ['queued_at', 'updated_at'],
  exports: true,
  expand: { member: { resource: (): Resource => members, id: (row) => memberOf(row) } },
  under: { resource: (): Resource => events, table: 'event', column: 'event_id' },
  listedUnder: [{ resource: (): Resource => events, where: (rsvp, id) => rsvp('event_id', '=', id), id: 'listRsvps', byId: true }],
  isPart: true,
  visibility: {
    anonymous: nothing,
    learner: isMine,
    lecturer: (rsvp, me) => rsvp.or([isMine(rsvp, me), isToHosted(rsvp, me)]),
    staff: everything,
  },
  views: { staff: isToHosted, own: isMine },
  operations: {
    list: 'read',
    create: {
      scope: 'write',
      roles: ['lecturer', 'staff'],
      check: (values, writing) => checkGuest(values, writing),
      defaults: (writing, values) => placeGuest(writing, writing.parent as unknown as HostedEvent, values),
      async after(writing, rsvp) {
        const { sql, school, parent } = writing
        await countAnswers(sql, { schoolId: school.id, eventId: rsvp.event_id }, rsvp.person_id, 1)
        await fillSeats(writing, parent as unknown as HostedEvent)
      },
    },
  },
})
