import { fieldProblem, Problem } from '../../base/problem.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { findOrCreatePerson } from '../students/findOrCreatePerson.ts'
import type { SeatChange } from './eventStates.ts'
import { findRsvp, type RsvpEvent, type RsvpInput, requireNotBlocked, writeRsvp } from './submitRsvp.ts'

export interface SoldSeats {
  eventId: string
  attendee: { email: string; name?: string | undefined }
  guests: number
  note?: string | undefined
}

/**
 * Takes the seats that were sold elsewhere, before people on the waitlist. A second sale to the same person replaces the number of seats.
 * @throws Problem invalid_reference, invalid_state, event_full, access_denied for a blocked person
 */
export async function reserveSeats(change: SeatChange, { eventId, attendee, guests, note }: SoldSeats): Promise<string> {
  const { writer, now } = change
  const event = await lockEvent(writer, eventId)
  const { personId } = await findOrCreatePerson(writer, { ...attendee, facet: 'member', now })
  await requireNotBlocked(writer, { personId })
  return await place(change, event, { personId, input: { status: 'going', guests, note: note ?? null } })
}

/**
 * Releases the seats of a person, which go to people on the waitlist.
 * @throws Problem not_found, invalid_state
 */
export async function releaseSoldSeats(change: SeatChange, { eventId, rsvpId }: { eventId: string; rsvpId: string }): Promise<void> {
  const { writer } = change
  const event = await lockEvent(writer, eventId)
  const before = await findRsvp(writer, { schoolId: writer.schoolId, eventId, id: rsvpId })
  if (!before) throw new Problem('not_found', { description: 'The event has no RSVP with this id.' })
  if (before.status === 'canceled') return
  requireNotAttended(before.status)
  await writeRsvp(change, event, {
    personId: before.person_id,
    before,
    input: { status: 'canceled', guests: before.guests, note: before.note },
    isInTurn: false,
  })
}

async function place(change: SeatChange, event: RsvpEvent, { personId, input }: { personId: string; input: RsvpInput }): Promise<string> {
  const { writer } = change
  const before = await findRsvp(writer, { schoolId: writer.schoolId, eventId: event.id, personId })
  if (before) requireNotAttended(before.status)
  if (before?.status === 'going' && before.guests === input.guests && before.note === input.note) return before.id
  return await writeRsvp(change, event, { personId, before, input, isInTurn: false })
}

async function lockEvent(writer: SchoolWriter, eventId: string): Promise<RsvpEvent> {
  const event = await writer
    .selectFrom('event')
    .select(['id', 'title', 'status', 'starts_at', 'ends_at', 'time_zone', 'rsvp_opens_at', 'rsvp_closes_at', 'waitlist_enabled'])
    .where('id', '=', eventId)
    .forUpdate()
    .executeTakeFirst()
  if (!event) throw fieldProblem('invalid_reference', 'event_id', 'invalid_reference', 'must be an event of the school')
  if (event.status !== 'published') throw new Problem('invalid_state', { description: `The event is ${event.status}.` })
  return event
}

function requireNotAttended(status: string): void {
  if (status === 'attended' || status === 'no_show')
    throw new Problem('invalid_state', { description: 'The attendance is recorded: its seats cannot change.' })
}
