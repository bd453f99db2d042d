import { z } from 'zod'
import { defineResource } from '../../engine/declare/defineResource.ts'
import { everything, idIn, nothing, type Rule } from '../../engine/declare/expressions.ts'
import { reference, text, timestamp } from '../../engine/declare/fields.ts'
import type { Resource } from '../../engine/declare/resource.ts'
import { parentOf } from '../../engine/write/writing.ts'
import { members } from '../members/members.ts'
import { summaryOf } from '../people/personSummaries.ts'
import { personSummary, summaryFrom } from '../people/personSummary.ts'
import { isToHostedEvent } from './eventAccess.ts'
import { eventArea } from './eventArea.ts'
import { offeredUntil, rsvpStatus } from './eventFields.ts'
import { waitlistPosition } from './eventParts.ts'
import { fillSeats } from './eventStates.ts'
import { events } from './events.ts'
import { checkGuest, placeGuest } from './staffRsvps.ts'
import { countRsvps } from './submitRsvp.ts'

const isMine: Rule<'rsvp'> = (rsvp, me) => (me.personId === null ? rsvp.lit(false) : rsvp('rsvp.person_id', '=', me.personId))

export const rsvps: Resource = defineResource({
  name: 'rsvps',
  object: 'rsvp',
  idPrefix: 'rsv',
  table: 'rsvp',
  feature: 'events',
  about: 'The RSVP of one person to one event. A person sees their own RSVPs; the hosts of the event and the staff see all.',
  undo: 'Attendees receive an e-mail: change the RSVP back.',
  scopes: eventArea,
  schema: z.object({
    event_id: reference('evt', 'Id of the event.'),
    member: personSummary('The person who responded.'),
    status: rsvpStatus.meta({ description: 'Status of the RSVP.', example: 'going' }),
    waitlist_position: z.int().nullable().meta({
      description: 'Position on the waitlist, from 1; null for an RSVP that is not on it, or for which a seat is held.',
      example: null,
    }),
    offered_until: offeredUntil,
    note: text(500).nullable().meta({ description: 'Note to the hosts.', example: null }),
    guests: z.int().min(0).max(5).meta({ description: 'Number of accompanying guests.', example: 0 }),
    queued_at: timestamp().meta({
      description: 'When the RSVP took its position in the order of the waitlist.',
      example: '2026-03-01T09:30:00.000Z',
    }),
    status_changed_at: timestamp().meta({ description: 'When the status last changed.', example: '2026-03-01T09:30:00.000Z' }),
  }),
  derived: {
    member: { select: (rsvp) => summaryOf(rsvp, 'rsvp'), of: summaryFrom },
    waitlist_position: { select: waitlistPosition },
  },
  inputs: z.object({
    member_id: reference('mbr', 'Id of a member.').meta({
      description: 'The person who attends.',
      example: 'mbr_01jgwejj00e6srgkpqm2sqf05m',
    }),
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
  expand: { member: { resource: (): Resource => members, id: (row) => idIn(row.member) } },
  under: { resource: (): Resource => events, table: 'event', column: 'event_id' },
  listedUnder: [{ resource: (): Resource => events, where: (rsvp, id) => rsvp('event_id', '=', id), id: 'listRsvps', byId: true }],
  isPart: true,
  visibility: {
    anonymous: nothing,
    learner: isMine,
    lecturer: (rsvp, me) => rsvp.or([isMine(rsvp, me), isToHostedEvent(rsvp, me)]),
    staff: everything,
  },
  views: { staff: isToHostedEvent, own: isMine },
  operations: {
    list: 'read',
    create: {
      scope: 'write',
      errors: ['event_full', 'checkout_required'],
      roles: ['lecturer', 'staff'],
      parentStatus: ['published'],
      check: checkGuest,
      defaults: (writing, values) => placeGuest(writing, parentOf(writing), values),
      async after(writing, rsvp) {
        const { writer } = writing
        await countRsvps(writer, rsvp.person_id, 1)
        await fillSeats(writing, parentOf(writing))
      },
    },
  },
})
