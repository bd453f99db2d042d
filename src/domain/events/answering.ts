import { newId } from '../../lib/ids.ts'
import { Problem } from '../../lib/problem.ts'
import type { PersonCaller } from '../../policy/caller.ts'
import { recordChange } from '../../store/changeLog.ts'
import type { Sql } from '../../store/sql.ts'
import { mayTakePart } from './eventAccess.ts'
import type { EventDetails } from './eventMails.ts'
import { countWaiting, freeSeats, type LockedEvent, seatsOf, takeSeats } from './eventSeats.ts'
import { type EventChange, fillSeats } from './eventStates.ts'

/** What of the event decides. Its row is locked. */
export interface AnsweredEvent extends EventDetails {
  status: string
  ends_at: Date
  rsvp_opens_at: Date | null
  rsvp_closes_at: Date | null
  waitlist_enabled: boolean
}

/** One person's answer to one event. */
export interface Rsvp {
  id: string
  version: number
  person_id: string
  status: string
  guests: number
  note: string | null
}

/** What a person says. */
export interface Answer {
  status: 'going' | 'canceled'
  guests: number
  note: string | null
}

/**
 * The caller's own answer. Where no seat is left they wait, if the event lets them. Answers the id of the row, and whether anything
 * is new.
 * @throws Problem access_denied, rsvp_closed, event_full
 */
export async function answerEvent(context: EventChange, event: AnsweredEvent, answer: Answer): Promise<{ id: string; isNew: boolean }> {
  const { sql, school } = context
  const personId = await requireWelcome(context, event)
  const before = await findRsvp(sql, { schoolId: school.id, eventId: event.id, personId })
  const same = before?.status === answer.status || (before?.status === 'waitlisted' && answer.status === 'going')
  if (before && same && before.guests === answer.guests && before.note === answer.note) return { id: before.id, isNew: false }
  requireOpen(event, context.now, { isWithdrawal: answer.status === 'canceled' })
  if (before?.status === 'attended' || before?.status === 'no_show') throw new Problem('rsvp_closed')
  return { id: await settle(context, event, { personId, before, answer }), isNew: true }
}

/**
 * Writes an answer, and lets those in who wait where it leaves room. Answers the id of its row.
 * @throws Problem event_full
 */
export async function settle(
  context: EventChange,
  event: AnsweredEvent,
  { personId, before, answer, isInTurn = true }: { personId: string; before: Rsvp | undefined; answer: Answer; isInTurn?: boolean },
): Promise<string> {
  const { sql, school } = context
  const locked = { schoolId: school.id, eventId: event.id }
  const status = answer.status === 'canceled' ? 'canceled' : await place(sql, locked, { event, before, answer, isInTurn })
  if (answer.status === 'canceled' && before) await leave(sql, locked, before)
  const id = before ? await change(sql, locked, before, { ...answer, status }) : await add(sql, locked, personId, { ...answer, status })
  await countAnswers(sql, locked, personId, Number(status !== 'canceled') - Number(before !== undefined && before.status !== 'canceled'))
  await fillSeats(context, event)
  return id
}

/** Seats for who goes, or a place in the queue: answers which. Who waits keeps their place. */
async function place(
  sql: Sql,
  locked: LockedEvent,
  { event, before, answer, isInTurn }: { event: AnsweredEvent; before: Rsvp | undefined; answer: Answer; isInTurn: boolean },
): Promise<'going' | 'waitlisted'> {
  const wanted = seatsOf(answer)
  if (before?.status === 'going') {
    const more = wanted - seatsOf(before)
    if (more <= 0) await freeSeats(sql, locked, -more)
    else if (!(await takeSeats(sql, locked, more, isInTurn))) throw full(event)
    return 'going'
  }
  if (before?.status === 'waitlisted' && isInTurn) {
    await countWaiting(sql, locked, wanted - seatsOf(before))
    return 'waitlisted'
  }
  if (await takeSeats(sql, locked, wanted, isInTurn)) {
    if (before?.status === 'waitlisted') await countWaiting(sql, locked, -seatsOf(before))
    return 'going'
  }
  if (!event.waitlist_enabled || !isInTurn) throw full(event)
  await countWaiting(sql, locked, wanted)
  return 'waitlisted'
}

async function leave(sql: Sql, locked: LockedEvent, before: Rsvp): Promise<void> {
  if (before.status === 'going') await freeSeats(sql, locked, seatsOf(before))
  if (before.status === 'waitlisted') await countWaiting(sql, locked, -seatsOf(before))
}

// The database's clock, read once the event is locked: the order of the queue is the order in which people came.
async function change(
  sql: Sql,
  { schoolId }: LockedEvent,
  { id, status: before }: Rsvp,
  after: Omit<Rsvp, 'id' | 'version' | 'person_id'>,
) {
  const rows = await sql.query<{ version: number }>(
    `UPDATE rsvp SET status = $3, guests = $4, note = $5, updated_at = now(), version = version + 1,
            status_changed_at = CASE WHEN status = $3 THEN status_changed_at ELSE now() END,
            queued_at = CASE WHEN $6 THEN clock_timestamp() ELSE queued_at END
      WHERE school_id = $1 AND id = $2 RETURNING version`,
    [schoolId, id, after.status, after.guests, after.note, before === 'canceled' && after.status !== 'canceled'],
  )
  await recordChange(sql, { school_id: schoolId, type: 'rsvp', resource_id: id, action: 'updated', version: rows[0]?.version ?? 1 })
  return id
}

async function add(
  sql: Sql,
  { schoolId, eventId }: LockedEvent,
  personId: string,
  { status, guests, note }: Omit<Rsvp, 'id' | 'version' | 'person_id'>,
) {
  const id = newId()
  await sql.query(
    `INSERT INTO rsvp (school_id, id, event_id, person_id, status, guests, note, queued_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, clock_timestamp())`,
    [schoolId, id, eventId, personId, status, guests, note],
  )
  await recordChange(sql, { school_id: schoolId, type: 'rsvp', resource_id: id, action: 'created', version: 1 })
  return id
}

/** Counts the answers of a person that stand. The person's row comes last: that is the order in which everybody locks. */
export async function countAnswers(sql: Sql, { schoolId }: LockedEvent, personId: string, by: number): Promise<void> {
  if (by === 0) return
  await sql.query('UPDATE person SET rsvps_count = greatest(rsvps_count + $3, 0) WHERE school_id = $1 AND id = $2', [
    schoolId,
    personId,
    by,
  ])
}

export async function findRsvp(
  sql: Sql,
  { schoolId, eventId, personId, id }: LockedEvent & { personId?: string; id?: string },
): Promise<Rsvp | undefined> {
  const [row] = await sql.query<Rsvp>(
    `SELECT id, version, person_id, status, guests, note FROM rsvp
      WHERE school_id = $1 AND event_id = $2 AND ${id === undefined ? 'person_id' : 'id'} = $3 FOR UPDATE`,
    [schoolId, eventId, id ?? personId],
  )
  return row
}

/** @throws Problem rsvp_closed outside of the time for answers; who cannot come may say so until the end */
function requireOpen(event: AnsweredEvent, now: Date, { isWithdrawal }: { isWithdrawal: boolean }): void {
  const why =
    event.status !== 'published'
      ? `The event is ${event.status === 'canceled' ? 'canceled' : 'not published'}.`
      : event.ends_at <= now
        ? 'The event is over.'
        : isWithdrawal
          ? undefined
          : event.rsvp_opens_at && now < event.rsvp_opens_at
            ? `Answers are taken from ${event.rsvp_opens_at.toISOString()} on.`
            : event.rsvp_closes_at && event.rsvp_closes_at <= now
              ? `Answers were taken until ${event.rsvp_closes_at.toISOString()}.`
              : undefined
  if (why !== undefined) throw new Problem('rsvp_closed', { description: why })
}

/** @throws Problem access_denied for who is blocked, and to whom the event is closed */
async function requireWelcome({ writer, school, caller }: EventChange, { id }: AnsweredEvent): Promise<string> {
  const { personId } = caller
  const row = await writer
    .selectFrom('event')
    .select('event.id')
    .where('event.school_id', '=', school.id)
    .where('event.id', '=', id)
    .where((event) => mayTakePart(event, caller satisfies PersonCaller))
    .executeTakeFirst()
  if (!row || personId === null) {
    throw new Problem('access_denied', {
      description: 'This event is not for you: it is for members, for a plan or for a course that you do not have.',
    })
  }
  return personId
}

const full = ({ waitlist_enabled }: AnsweredEvent): Problem =>
  new Problem('event_full', {
    ...(waitlist_enabled && { description: 'There are not so many seats, or others wait for them.' }),
  })
