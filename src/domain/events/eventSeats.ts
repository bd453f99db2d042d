import { recordChanges } from '../../store/changeLog.ts'
import type { Writer } from '../../store/database.ts'
import { now } from '../../store/expressions.ts'

/** An event whose row the transaction has locked. The lock serialises these functions per event. */
export interface LockedEvent {
  schoolId: string
  eventId: string
}

const batch = 100

/** Returns the number of seats: one for the person and one for each guest. */
export const seatsOf = ({ guests }: { guests: number }): number => guests + 1

/**
 * Takes seats in one conditional statement and returns false if too few are free. With `isInTurn`, it takes none while other people are
 * on a waitlist by party. On a waitlist by seat, the free seats are too few for every party that waits.
 */
export async function takeSeats(writer: Writer, { schoolId, eventId }: LockedEvent, seats: number, isInTurn = false): Promise<boolean> {
  const taken = await writer
    .updateTable('event')
    .set((event) => ({ going_count: event('going_count', '+', seats) }))
    .where('school_id', '=', schoolId)
    .where('id', '=', eventId)
    .where((event) => event.or([event('capacity', 'is', null), event(event('going_count', '+', seats), '<=', event.ref('capacity'))]))
    .$if(isInTurn, (query) => query.where((event) => event.or([event('waitlisted_count', '=', 0), event('waitlist_mode', '=', 'seat')])))
    .returning('id')
    .execute()
  return taken.length > 0
}

/** Releases seats. */
export async function releaseSeats(writer: Writer, { schoolId, eventId }: LockedEvent, seats: number): Promise<void> {
  await writer
    .updateTable('event')
    .set((event) => ({ going_count: event('going_count', '-', seats) }))
    .where('school_id', '=', schoolId)
    .where('id', '=', eventId)
    .execute()
}

/** Adds to the number of seats on the waitlist; a negative number subtracts. */
export async function addWaiting(writer: Writer, { schoolId, eventId }: LockedEvent, seats: number): Promise<void> {
  await writer
    .updateTable('event')
    .set((event) => ({ waitlisted_count: event('waitlisted_count', '+', seats) }))
    .where('school_id', '=', schoolId)
    .where('id', '=', eventId)
    .execute()
}

/**
 * Gives free seats to the waitlist in its order, and returns the people who got one. By party, it stops at the first RSVP that needs more
 * seats than are free, so RSVPs get seats in the order of the waitlist. By seat, it passes over this RSVP, so no seat stays free that
 * another RSVP could take. Does nothing once the event is over or cancelled.
 */
export async function promoteWaiting(writer: Writer, { schoolId, eventId }: LockedEvent): Promise<string[]> {
  const promoted: string[] = []
  for (;;) {
    const event = await writer
      .selectFrom('event')
      .select((row) => ['waitlist_mode', row('capacity', '-', row.ref('going_count')).as('free')])
      .where('school_id', '=', schoolId)
      .where('id', '=', eventId)
      .where('status', '=', 'published')
      .where('ends_at', '>', now)
      .where('waitlisted_count', '>', 0)
      .executeTakeFirst()
    if (!event) return promoted
    const { free } = event
    const isBySeat = event.waitlist_mode === 'seat'
    const waiting = await writer
      .selectFrom('rsvp')
      .select(['id', 'person_id', 'guests'])
      .where('school_id', '=', schoolId)
      .where('event_id', '=', eventId)
      .where('status', '=', 'waitlisted')
      // Parties that are too large must not fill the batch.
      .$if(isBySeat && free !== null, (query) => query.where('guests', '<', free))
      .orderBy('queued_at')
      .orderBy('id')
      .limit(batch)
      .forUpdate()
      .skipLocked()
      .execute()
    const next = isBySeat ? allFitting(waiting, free) : firstFitting(waiting, free)
    if (next.length === 0) return promoted
    await promote(writer, { schoolId, eventId }, next)
    promoted.push(...next.map(({ person_id }) => person_id))
  }
}

/** Returns the first RSVPs that the free seats suffice for. */
function firstFitting<Waiting extends { guests: number }>(waiting: readonly Waiting[], free: number | null): Waiting[] {
  let left = free ?? Number.POSITIVE_INFINITY
  const end = waiting.findIndex((one) => {
    left -= seatsOf(one)
    return left < 0
  })
  return waiting.slice(0, end === -1 ? undefined : end)
}

/** Returns the RSVPs that get seats if each takes its seats in turn and the others are passed over. */
function allFitting<Waiting extends { guests: number }>(waiting: readonly Waiting[], free: number | null): Waiting[] {
  let left = free ?? Number.POSITIVE_INFINITY
  return waiting.filter((one) => {
    if (seatsOf(one) > left) return false
    left -= seatsOf(one)
    return true
  })
}

async function promote(writer: Writer, { schoolId, eventId }: LockedEvent, next: readonly { id: string; guests: number }[]): Promise<void> {
  const seats = next.reduce((sum, one) => sum + seatsOf(one), 0)
  await writer
    .updateTable('event')
    .set((event) => ({ going_count: event('going_count', '+', seats), waitlisted_count: event('waitlisted_count', '-', seats) }))
    .where('school_id', '=', schoolId)
    .where('id', '=', eventId)
    .execute()
  const rows = await writer
    .updateTable('rsvp')
    .set((rsvp) => ({ status: 'going', status_changed_at: now, updated_at: now, version: rsvp('version', '+', 1) }))
    .where('school_id', '=', schoolId)
    .where(
      'id',
      'in',
      next.map(({ id }) => id),
    )
    .returning(['id', 'version'])
    .execute()
  await recordChanges(writer, { school_id: schoolId, type: 'rsvp', action: 'promoted' }, rows)
}
