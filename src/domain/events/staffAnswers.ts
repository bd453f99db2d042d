import { fromPublicId } from '../../lib/ids.ts'
import { Problem, type ProblemDetail } from '../../lib/problem.ts'
import { changeActionOf } from '../../store/changeActions.ts'
import { recordChanges } from '../../store/changeLog.ts'
import type { Sql } from '../../store/sql.ts'
import { type AnsweredEvent, findRsvp, type Rsvp, settle } from './answering.ts'
import { countWaiting, type LockedEvent, seatsOf, takeSeats } from './eventSeats.ts'
import type { EventChange } from './eventStates.ts'

type Values = Readonly<Record<string, unknown>>

/** What an event is for who keeps its list of guests. */
export interface HostedEvent extends AnsweredEvent {
  starts_at: Date
}

/** Somebody whom the school does not have, or has shut out. */
export async function checkGuest({ member_id, status }: Values, { writer, school }: EventChange): Promise<ProblemDetail[]> {
  const fieldErrors: ProblemDetail[] = []
  const fault = (field: string, code: string, message: string): number => fieldErrors.push({ field, code, message: `${field}: ${message}` })
  if (status !== undefined && status !== 'going' && status !== 'waitlisted')
    fault('status', 'not_allowed', 'must be going or waitlisted here')
  const person = await writer
    .selectFrom('person')
    .select('member_status')
    .where('school_id', '=', school.id)
    .where('id', '=', fromPublicId('mbr', String(member_id)) ?? '00000000-0000-0000-0000-000000000000')
    .where('erased_at', 'is', null)
    .executeTakeFirst()
  if (!person) fault('member_id', 'invalid_reference', 'there is no such person in this school')
  else if (person.member_status === 'blocked') fault('member_id', 'not_allowed', 'this person is blocked')
  return fieldErrors
}

/**
 * The columns of an answer that staff give for somebody, with a seat, or a place in the queue where none is left.
 * @throws Problem invalid_state, event_full
 */
export async function placeGuest({ sql, school }: EventChange, event: HostedEvent, values: Values) {
  requirePublished(event)
  const locked = { schoolId: school.id, eventId: event.id }
  const personId = fromPublicId('mbr', String(values.member_id)) as string
  const before = await findRsvp(sql, { ...locked, personId })
  if (before) {
    throw new Problem('invalid_state', {
      description: 'This person has answered already. Change that answer.',
      details: [{ field: 'member_id', code: 'invalid_state', message: `The answer is ${before.status}.`, meta: { status: before.status } }],
    })
  }
  const status = await placeFor(sql, locked, event, {
    wanted: values.status as string | undefined,
    seats: seatsOf({ guests: Number(values.guests ?? 0) }),
  })
  const [clock] = await sql.query<{ queued_at: Date }>('SELECT clock_timestamp() AS queued_at')
  return { person_id: personId, status, ...clock }
}

async function placeFor(
  sql: Sql,
  locked: LockedEvent,
  { waitlist_enabled }: HostedEvent,
  { wanted, seats }: { wanted: string | undefined; seats: number },
): Promise<string> {
  if (wanted !== 'waitlisted' && (await takeSeats(sql, locked, seats, wanted === undefined))) return 'going'
  if (wanted === 'going' || !waitlist_enabled) throw new Problem('event_full')
  await countWaiting(sql, locked, seats)
  return 'waitlisted'
}

/**
 * What staff make of one answer: a seat, no seat, or who came. Answers whether anything is new.
 * @throws Problem not_found, invalid_state, event_full
 */
export async function changeAnswer(
  context: EventChange,
  event: HostedEvent,
  rsvpId: string,
  status: string,
): Promise<{ id: string; isNew: boolean }> {
  const { sql, school, now } = context
  const id = fromPublicId('rsv', rsvpId)
  const rsvp = id === undefined ? undefined : await findRsvp(sql, { schoolId: school.id, eventId: event.id, id })
  if (!rsvp) throw new Problem('not_found', { description: 'There is no such rsvp to this event.' })
  if (rsvp.status === status) return { id: rsvp.id, isNew: false }
  requirePublished(event)
  const isRecord = status === 'attended' || status === 'no_show'
  const allowed = statesBefore[status] ?? []
  if (!allowed.includes(rsvp.status)) throw wrong(rsvp, status, allowed)
  if (isRecord && now < event.starts_at) throw new Problem('invalid_state', { description: 'Who came is known once the event has begun.' })
  const isSeated = rsvp.status === 'going' || rsvp.status === 'attended' || rsvp.status === 'no_show'
  if (isRecord || (status === 'going' && isSeated)) {
    await setStatus(sql, school.id, status, [rsvp.id])
    return { id: rsvp.id, isNew: true }
  }
  const answer = { status: status as 'going' | 'canceled', guests: rsvp.guests, note: rsvp.note }
  await settle(context, event, { personId: rsvp.person_id, before: rsvp, answer, isInTurn: false })
  return { id: rsvp.id, isNew: true }
}

/** From which states an answer can be led to each. */
const statesBefore: Readonly<Record<string, readonly string[]>> = {
  going: ['waitlisted', 'canceled', 'attended', 'no_show'],
  canceled: ['going', 'waitlisted'],
  attended: ['going', 'no_show'],
  no_show: ['going', 'attended'],
}

/**
 * Notes who came: those who are named. Who had a seat and was never named did not come; a long list can be sent in parts.
 * Answers how many came and did not, and whether anything is new.
 * @throws Problem invalid_state before the event, invalid_reference
 */
export async function recordAttendance(context: EventChange, event: HostedEvent, attended: readonly string[]) {
  const { sql, school, now } = context
  requirePublished(event)
  if (now < event.starts_at) throw new Problem('invalid_state', { description: 'Who came is known once the event has begun.' })
  const ids = attended.map((id) => fromPublicId('rsv', id) as string)
  const rows = await sql.query<{ id: string; status: string }>(
    `SELECT id, status FROM rsvp WHERE school_id = $1 AND event_id = $2 AND status IN ('going', 'attended', 'no_show') FOR UPDATE`,
    [school.id, event.id],
  )
  const statusesWithPlace = new Set(rows.map(({ id }) => id))
  const fieldErrors = ids.flatMap((id, index): ProblemDetail[] => {
    const field = `attended.${index}`
    return statusesWithPlace.has(id) ? [] : [{ field, code: 'invalid_reference', message: `${field}: nobody with this rsvp has a seat` }]
  })
  if (fieldErrors.length > 0) throw new Problem('invalid_reference', { details: fieldErrors.slice(0, 100) })
  const came = new Set(ids)
  const present = rows.filter(({ id, status }) => came.has(id) && status !== 'attended')
  const missing = rows.filter(({ id, status }) => !came.has(id) && status === 'going')
  await setStatus(
    sql,
    school.id,
    'attended',
    present.map(({ id }) => id),
  )
  await setStatus(
    sql,
    school.id,
    'no_show',
    missing.map(({ id }) => id),
  )
  const total = rows.filter(({ id, status }) => came.has(id) || status === 'attended').length
  return { isUnchanged: present.length + missing.length === 0, counts: { attended: total, no_show: rows.length - total } }
}

async function setStatus(sql: Sql, schoolId: string, status: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const rows = await sql.query<{ id: string; version: number }>(
    `UPDATE rsvp SET status = $2, status_changed_at = now(), updated_at = now(), version = version + 1
      WHERE school_id = $1 AND id = ANY($3::uuid[]) RETURNING id, version`,
    [schoolId, status, ids],
  )
  await recordChanges(sql, { school_id: schoolId, type: 'rsvp', action: changeActionOf(status) }, rows)
}

function requirePublished({ status }: HostedEvent): void {
  if (status === 'published') return
  throw new Problem('invalid_state', {
    description: 'Answers belong to a published event.',
    details: [{ field: 'status', code: 'invalid_state', message: `The event is ${status}.`, meta: { status, allowed: ['published'] } }],
  })
}

const wrong = ({ status }: Rsvp, to: string, allowed: readonly string[]): Problem =>
  new Problem('invalid_state', {
    description: `An rsvp that is ${status} cannot become ${to}: it must be ${allowed.join(' or ')}.`,
    details: [{ field: 'status', code: 'invalid_state', message: `The rsvp is ${status}.`, meta: { status, allowed: [...allowed] } }],
  })
