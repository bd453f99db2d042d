import { recordChanges } from '../../store/changeLog.ts'
import type { Sql } from '../../store/sql.ts'

/** An event whose row the transaction has locked: no two of these functions ever run for one event at a time. */
export interface LockedEvent {
  schoolId: string
  eventId: string
}

const batch = 100

/** So many seats, one for the person and one for each guest. */
export const seatsOf = ({ guests }: { guests: number }): number => guests + 1

/**
 * Takes seats in one statement that is void where there are not so many. `isInTurn` leaves none to who comes while others wait.
 * Answers whether they were taken.
 */
export async function takeSeats(sql: Sql, { schoolId, eventId }: LockedEvent, seats: number, isInTurn = false): Promise<boolean> {
  const taken = await sql.query(
    `UPDATE event SET going_count = going_count + $3
      WHERE school_id = $1 AND id = $2 AND (capacity IS NULL OR going_count + $3 <= capacity) ${isInTurn ? 'AND waitlisted_count = 0' : ''}
      RETURNING id`,
    [schoolId, eventId, seats],
  )
  return taken.length > 0
}

/** Gives seats back. */
export async function freeSeats(sql: Sql, { schoolId, eventId }: LockedEvent, seats: number): Promise<void> {
  await sql.query('UPDATE event SET going_count = going_count - $3 WHERE school_id = $1 AND id = $2', [schoolId, eventId, seats])
}

/** Counts seats that are waited for; fewer where the number is negative. */
export async function countWaiting(sql: Sql, { schoolId, eventId }: LockedEvent, seats: number): Promise<void> {
  await sql.query('UPDATE event SET waitlisted_count = waitlisted_count + $3 WHERE school_id = $1 AND id = $2', [schoolId, eventId, seats])
}

/**
 * Gives free seats to those who wait, in the order in which they came: nobody passes by whom there is not room for yet.
 * Once the event is over, or was called off, seats stay free. Answers whom it let in.
 */
export async function promoteWaiting(sql: Sql, { schoolId, eventId }: LockedEvent): Promise<string[]> {
  const promoted: string[] = []
  for (;;) {
    const [event] = await sql.query<{ free: number | null }>(
      `SELECT capacity - going_count AS free FROM event
        WHERE school_id = $1 AND id = $2 AND status = 'published' AND ends_at > now() AND waitlisted_count > 0`,
      [schoolId, eventId],
    )
    if (!event) return promoted
    const waiting = await sql.query<{ id: string; person_id: string; guests: number }>(
      `SELECT id, person_id, guests FROM rsvp WHERE school_id = $1 AND event_id = $2 AND status = 'waitlisted'
        ORDER BY queued_at, id LIMIT ${batch} FOR UPDATE SKIP LOCKED`,
      [schoolId, eventId],
    )
    const next = inTurn(waiting, event.free)
    if (next.length === 0) return promoted
    await seat(sql, { schoolId, eventId }, next)
    promoted.push(...next.map(({ person_id }) => person_id))
  }
}

/** The first ones for whom there is room. */
function inTurn<Waiting extends { guests: number }>(waiting: readonly Waiting[], free: number | null): Waiting[] {
  let left = free ?? Number.POSITIVE_INFINITY
  const end = waiting.findIndex((one) => {
    left -= seatsOf(one)
    return left < 0
  })
  return waiting.slice(0, end === -1 ? undefined : end)
}

async function seat(sql: Sql, { schoolId, eventId }: LockedEvent, next: readonly { id: string; guests: number }[]): Promise<void> {
  const seats = next.reduce((sum, one) => sum + seatsOf(one), 0)
  await sql.query(
    'UPDATE event SET going_count = going_count + $3, waitlisted_count = waitlisted_count - $3 WHERE school_id = $1 AND id = $2',
    [schoolId, eventId, seats],
  )
  const rows = await sql.query<{ id: string; version: number }>(
    `UPDATE rsvp SET status = 'going', status_changed_at = now(), updated_at = now(), version = version + 1
      WHERE school_id = $1 AND id = ANY($2::uuid[]) RETURNING id, version`,
    [schoolId, next.map(({ id }) => id)],
  )
  await recordChanges(sql, { school_id: schoolId, type: 'rsvp', action: 'promoted' }, rows)
}
