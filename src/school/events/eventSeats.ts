import type { SchoolWriter, Stored } from '../../database/connection/database.ts'
import { lockRows } from '../../database/connection/lockRows.ts'
import { countedBy, isAmong, now } from '../../database/statements/expressions.ts'
import { recordChanges } from '../../database/tables/changeLog.ts'
import { isOfExcluded } from './eventAccess.ts'

/** An event whose row the transaction has locked. The lock serialises these functions per event. */
export interface LockedEvent {
  schoolId: string
  eventId: string
}

export const seatsOf = ({ guests }: { guests: number }): number => guests + 1

/**
 * Takes seats in one conditional statement and returns false if too few are free. With `isInTurn`, it takes none while other people are
 * on a waitlist by party. On a waitlist by seat, the free seats are too few for every party that waits.
 */
export async function takeSeats(writer: SchoolWriter, { eventId }: LockedEvent, seats: number, isInTurn = false): Promise<boolean> {
  const taken = await writer
    .updateTable('event')
    .set((event) => ({ going_count: event('going_count', '+', seats) }))
    .where('id', '=', eventId)
    .where((event) => event.or([event('capacity', 'is', null), event(event('going_count', '+', seats), '<=', event.ref('capacity'))]))
    .$if(isInTurn, (query) => query.where((event) => event.or([event('waitlisted_count', '=', 0), event('waitlist_mode', '=', 'seat')])))
    .returning('id')
    .execute()
  return taken.length > 0
}

export async function releaseSeats(writer: SchoolWriter, { eventId }: LockedEvent, seats: number): Promise<void> {
  await writer
    .updateTable('event')
    .set((event) => ({ going_count: countedBy(event.ref('going_count'), -seats) }))
    .where('id', '=', eventId)
    .execute()
}

/** Adds to the number of seats on the waitlist; a negative number subtracts. */
export async function addWaiting(writer: SchoolWriter, { eventId }: LockedEvent, seats: number): Promise<void> {
  await writer
    .updateTable('event')
    .set((event) => ({ waitlisted_count: countedBy(event.ref('waitlisted_count'), seats) }))
    .where('id', '=', eventId)
    .execute()
}

/**
 * The seat of an event with a price that is held for an RSVP on the waitlist, until the person pays for it or the time ends. While an order
 * of the person holds the seat, `held_seats` is 0.
 */
export type Offer = Stored<'rsvp', 'offered_until' | 'held_seats'>

/** Returns the seats for which an RSVP on the waitlist waits: none while a seat is held for it. */
export const waitingSeatsOf = ({ guests, offered_until }: Offer & { guests: number }): number =>
  offered_until === null ? seatsOf({ guests }) : 0

/** Gives the seat that is held for a person to their order. Returns false if none is held. */
export async function giveHeldSeatToOrder(writer: SchoolWriter, { eventId }: LockedEvent, personId: string): Promise<boolean> {
  const taken = await writer
    .updateTable('rsvp')
    .set({ held_seats: 0 })
    .where('event_id', '=', eventId)
    .where('person_id', '=', personId)
    .where('status', '=', 'waitlisted')
    .where('offered_until', '>', now)
    .where('held_seats', '>', 0)
    .returning('id')
    .execute()
  return taken.length > 0
}

/** Holds the seat of an unpaid order for the person again. Returns false if the time to pay for it is over, or a seat is held already. */
export async function holdSeatOfOrder(writer: SchoolWriter, { eventId }: LockedEvent, personId: string): Promise<boolean> {
  const held = await writer
    .updateTable('rsvp')
    .set({ held_seats: 1 })
    .where('event_id', '=', eventId)
    .where('person_id', '=', personId)
    .where('status', '=', 'waitlisted')
    .where('offered_until', '>', now)
    .where('held_seats', '=', 0)
    .returning('id')
    .execute()
  return held.length > 0
}

/**
 * Ends the offers of an event that were not paid in time, and those of people who cannot come: their RSVPs are cancelled, and their seats
 * are free. An order that holds a seat keeps it. Returns the number of offers that remain.
 */
export async function endDueOffers(writer: SchoolWriter, { eventId }: LockedEvent): Promise<number> {
  const offers = await writer
    .selectFrom('rsvp')
    .select((rsvp) => ['id', 'person_id', 'guests', 'held_seats', 'offered_until', rsvp('offered_until', '<=', now).as('is_due')])
    .select((rsvp) => rsvp.cast<boolean>(isOfExcluded(rsvp), 'boolean').as('is_excluded'))
    .where('event_id', '=', eventId)
    .where('status', '=', 'waitlisted')
    .where('offered_until', 'is not', null)
    .orderBy('id')
    .forUpdate()
    .execute()
  const excluded = offers.filter(({ is_excluded }) => is_excluded)
  const due = offers.filter(({ is_due, is_excluded }) => is_due && !is_excluded)
  await leaveWaitlist(writer, { schoolId: writer.schoolId, eventId }, { rsvps: excluded, action: 'canceled' })
  await leaveWaitlist(writer, { schoolId: writer.schoolId, eventId }, { rsvps: due, action: 'expired' })
  return offers.length - excluded.length - due.length
}

type Leaving = Offer & Stored<'rsvp', 'id' | 'person_id' | 'guests'>

/** Cancels RSVPs on the waitlist of a locked event, and releases the seats that are held for them. Sends no e-mail. */
export async function leaveWaitlist(
  writer: SchoolWriter,
  { eventId }: LockedEvent,
  { rsvps, action }: { rsvps: readonly Leaving[]; action: 'canceled' | 'expired' },
): Promise<void> {
  if (rsvps.length === 0) return
  const [held, waiting] = [sumOf(rsvps, ({ held_seats }) => held_seats), sumOf(rsvps, waitingSeatsOf)]
  if (held > 0) await releaseSeats(writer, { schoolId: writer.schoolId, eventId }, held)
  if (waiting > 0) await addWaiting(writer, { schoolId: writer.schoolId, eventId }, -waiting)
  const rows = await writer
    .updateTable('rsvp')
    .set((rsvp) => ({ status: 'canceled', ...noOffer, status_changed_at: now, updated_at: now, version: rsvp('version', '+', 1) }))
    .where((rsvp) =>
      isAmong(
        rsvp.ref('rsvp.id'),
        rsvps.map(({ id }) => id),
      ),
    )
    .returning(['id', 'version'])
    .execute()
  await recordChanges(writer, { type: 'rsvp', action }, rows)
  const personIds = rsvps.map(({ person_id }) => person_id)
  await lockRows(writer, 'person', { schoolId: writer.schoolId, ids: personIds })
  await writer
    .updateTable('person')
    .set((person) => ({ rsvps_count: countedBy(person.ref('rsvps_count'), -1) }))
    .where((person) => isAmong(person.ref('person.id'), personIds))
    .execute()
}

const sumOf = (rsvps: readonly Leaving[], seats: (rsvp: Leaving) => number): number => rsvps.reduce((sum, rsvp) => sum + seats(rsvp), 0)

export const noOffer: Offer = { offered_until: null, held_seats: 0 }
