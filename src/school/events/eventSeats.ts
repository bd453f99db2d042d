import type { SchoolWriter } from '../../database/connection/database.ts'
import { countedBy } from '../../database/statements/expressions.ts'

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
