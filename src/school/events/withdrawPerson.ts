import type { SchoolReader, SchoolWriter } from '../../database/connection/database.ts'
import { now } from '../../database/statements/expressions.ts'
import { addWaiting, leaveWaitlist, releaseSeats, seatsOf, waitingSeatsOf } from './eventSeats.ts'
import { lockEvents } from './orderedSeats.ts'
import { countRsvps, findRsvp, updateRsvp } from './submitRsvp.ts'

interface PersonKey {
  personId: string
}

export async function upcomingEventsOf(
  reader: SchoolReader,
  { personId }: PersonKey,
  statuses: readonly string[] = ['going', 'waitlisted'],
): Promise<string[]> {
  const rows = await reader
    .selectFrom('rsvp')
    .innerJoin('event', 'event.id', 'rsvp.event_id')
    .select('event.id')
    .where('rsvp.person_id', '=', personId)
    .where('rsvp.status', 'in', [...statuses])
    .where('event.ends_at', '>', now)
    .execute()
  return rows.map(({ id }) => id)
}

/** Locks the events to come at which the person waits for a seat. Call it before the person is locked. */
export async function lockWaitlistsOf(writer: SchoolWriter, person: PersonKey): Promise<void> {
  await lockEvents(writer, await upcomingEventsOf(writer, person, ['waitlisted']))
}

/**
 * Takes a person off the waitlists of the events to come, with the seats that are held for them. A background job gives these seats to
 * other people. Seats that the person has already stay, and so do unpaid orders, which can still be paid.
 */
export async function leaveWaitlists(writer: SchoolWriter, { personId }: PersonKey): Promise<void> {
  for (const eventId of await upcomingEventsOf(writer, { personId }, ['waitlisted'])) {
    const locked = { schoolId: writer.schoolId, eventId }
    const rsvp = await findRsvp(writer, { ...locked, personId })
    if (rsvp?.status === 'waitlisted') await leaveWaitlist(writer, locked, { rsvps: [rsvp], action: 'canceled' })
  }
}

/**
 * Withdraws a person from the events to come: from seats and waitlists. A background job gives the seats to the waitlists. Attendance at
 * past events stays.
 */
export async function withdrawPerson(writer: SchoolWriter, { personId }: PersonKey): Promise<void> {
  const eventIds = await upcomingEventsOf(writer, { personId })
  await lockEvents(writer, eventIds)
  for (const eventId of eventIds) {
    const locked = { schoolId: writer.schoolId, eventId }
    const rsvp = await findRsvp(writer, { ...locked, personId })
    if (rsvp?.status !== 'going' && rsvp?.status !== 'waitlisted') continue
    if (rsvp.status === 'going') await releaseSeats(writer, locked, seatsOf(rsvp))
    else {
      await addWaiting(writer, locked, -waitingSeatsOf(rsvp))
      await releaseSeats(writer, locked, rsvp.held_seats)
    }
    await updateRsvp(writer, rsvp, { status: 'canceled', guests: rsvp.guests, note: rsvp.note })
    await countRsvps(writer, personId, -1)
  }
}
