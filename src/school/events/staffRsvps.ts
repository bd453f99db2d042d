import { fromPublicId, uuidOf } from '../../base/ids.ts'
import { fieldError, Problem, type ProblemDetail } from '../../base/problem.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { clockTime, now as databaseNow, isAmong } from '../../database/statements/expressions.ts'
import { changeActionOf } from '../../database/tables/changeActions.ts'
import { recordChanges } from '../../database/tables/changeLog.ts'
import { statusesWithSeat } from './eventAccess.ts'
import { addWaiting, type LockedEvent, seatsOf, takeSeats } from './eventSeats.ts'
import type { EventChange } from './eventStates.ts'
import { eventFull, findRsvp, type Rsvp, type RsvpEvent, requireNotBlocked, writeRsvp } from './submitRsvp.ts'

export type GuestValues = Readonly<{ member_id: string; status?: string; guests?: number }>

export interface HostedEvent extends RsvpEvent {
  starts_at: Date
  price_amount: unknown
}

export async function checkGuest({ member_id, status }: GuestValues, { writer }: EventChange): Promise<ProblemDetail[]> {
  const fieldErrors: ProblemDetail[] = []
  if (status !== undefined && status !== 'going' && status !== 'waitlisted')
    fieldErrors.push(fieldError('status', 'not_allowed', 'must be going or waitlisted for a new RSVP'))
  const person = await writer
    .selectFrom('person')
    .select('member_status')
    .where('id', '=', fromPublicId('mbr', member_id) ?? '00000000-0000-0000-0000-000000000000')
    .where('erased_at', 'is', null)
    .executeTakeFirst()
  if (!person) fieldErrors.push(fieldError('member_id', 'invalid_reference', 'must name a person of this school'))
  else if (person.member_status === 'blocked') fieldErrors.push(fieldError('member_id', 'not_allowed', 'must not name a blocked person'))
  return fieldErrors
}

/**
 * Returns the columns of an RSVP that staff create for a person. Takes seats, or a place on the waitlist if too few are free.
 * @throws Problem invalid_state, event_full
 */
export async function placeGuest({ writer }: EventChange, event: HostedEvent, values: GuestValues) {
  const locked = { schoolId: writer.schoolId, eventId: event.id }
  const personId = uuidOf('mbr', values.member_id)
  const before = await findRsvp(writer, { ...locked, personId })
  if (before) {
    throw new Problem('invalid_state', {
      description: 'This person already has an RSVP. Update it instead.',
      details: [{ field: 'member_id', code: 'invalid_state', message: `The RSVP is ${before.status}.`, meta: { status: before.status } }],
    })
  }
  const status = await placeFor(writer, locked, event, {
    wanted: values.status,
    seats: seatsOf({ guests: values.guests ?? 0 }),
  })
  const clock = await writer.selectNoFrom(clockTime.as('queued_at')).executeTakeFirstOrThrow()
  return { person_id: personId, status, ...clock }
}

async function placeFor(
  writer: SchoolWriter,
  locked: LockedEvent,
  { waitlist_enabled, price_amount }: HostedEvent,
  { wanted, seats }: { wanted: string | undefined; seats: number },
): Promise<string> {
  if (wanted !== 'waitlisted' && (await takeSeats(writer, locked, seats, wanted === undefined))) return 'going'
  if (wanted === 'going' || !waitlist_enabled) throw eventFull({ waitlist_enabled }, false)
  if (price_amount !== null && seats > 1) {
    const error = fieldError('guests', 'max', 'must be 0 on the waitlist of an event with a price: each seat is paid for separately')
    throw new Problem('validation_failed', { description: error.message, details: [error] })
  }
  await addWaiting(writer, locked, seats)
  return 'waitlisted'
}

/**
 * Changes the status of an RSVP on behalf of staff: a seat, no seat, or the attendance. Returns whether it changed.
 * @throws Problem not_found, invalid_state, event_full, access_denied for a seat of a blocked person
 */
export async function changeRsvpStatus(
  context: EventChange,
  event: HostedEvent,
  rsvpId: string,
  status: string,
): Promise<{ id: string; isNew: boolean }> {
  const { writer, now } = context
  const id = fromPublicId('rsv', rsvpId)
  const rsvp = id === undefined ? undefined : await findRsvp(writer, { schoolId: writer.schoolId, eventId: event.id, id })
  if (!rsvp) throw new Problem('not_found', { description: 'The event has no RSVP with this id.' })
  if (rsvp.status === status) return { id: rsvp.id, isNew: false }
  requirePublished(event)
  const isRecord = status === 'attended' || status === 'no_show'
  const allowed = statesBefore[status] ?? []
  if (!allowed.includes(rsvp.status)) throw wrongState(rsvp, status, allowed)
  if (isRecord && now < event.starts_at)
    throw new Problem('invalid_state', { description: 'Attendance can be recorded once the event has begun.' })
  const isSeated = rsvp.status === 'going' || rsvp.status === 'attended' || rsvp.status === 'no_show'
  if (isRecord || (status === 'going' && isSeated)) {
    await setStatus(writer, status, [rsvp.id])
    return { id: rsvp.id, isNew: true }
  }
  if (status === 'going') await requireNotBlocked(writer, { personId: rsvp.person_id })
  const input = { status: status === 'going' ? status : 'canceled', guests: rsvp.guests, note: rsvp.note } as const
  await writeRsvp(context, event, { personId: rsvp.person_id, before: rsvp, input, isInTurn: false })
  return { id: rsvp.id, isNew: true }
}

const statesBefore: Readonly<Record<string, readonly string[]>> = {
  going: ['waitlisted', 'canceled', 'attended', 'no_show'],
  canceled: ['going', 'waitlisted'],
  attended: ['going', 'no_show'],
  no_show: ['going', 'attended'],
}

/**
 * Records attendance: the named RSVPs become attended, other seats that were never named become no_show. A long list can be sent in
 * parts. Returns the counts, and whether anything changed.
 * @throws Problem invalid_state before the event, invalid_reference
 */
export async function recordAttendance(context: EventChange, event: HostedEvent, attended: readonly string[]) {
  const { writer, now } = context
  if (now < event.starts_at) throw new Problem('invalid_state', { description: 'Attendance can be recorded once the event has begun.' })
  const ids = attended.map((id) => uuidOf('rsv', id))
  const rows = await writer
    .selectFrom('rsvp')
    .select(['id', 'status'])
    .where('event_id', '=', event.id)
    .where('status', 'in', statusesWithSeat)
    .orderBy('id')
    .forUpdate()
    .execute()
  const withSeat = new Set(rows.map(({ id }) => id))
  const fieldErrors = ids.flatMap((id, index): ProblemDetail[] => {
    return withSeat.has(id) ? [] : [fieldError(`attended.${index}`, 'invalid_reference', 'must name an RSVP that has a seat')]
  })
  if (fieldErrors.length > 0) throw new Problem('invalid_reference', { details: fieldErrors.slice(0, 100) })
  const came = new Set(ids)
  const present = rows.filter(({ id, status }) => came.has(id) && status !== 'attended')
  const missing = rows.filter(({ id, status }) => !came.has(id) && status === 'going')
  await setStatus(
    writer,
    'attended',
    present.map(({ id }) => id),
  )
  await setStatus(
    writer,
    'no_show',
    missing.map(({ id }) => id),
  )
  const total = rows.filter(({ id, status }) => came.has(id) || status === 'attended').length
  return { isUnchanged: present.length + missing.length === 0, counts: { attended: total, no_show: rows.length - total } }
}

async function setStatus(writer: SchoolWriter, status: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const rows = await writer
    .updateTable('rsvp')
    .set((rsvp) => ({ status, status_changed_at: databaseNow, updated_at: databaseNow, version: rsvp('version', '+', 1) }))
    .where((rsvp) => isAmong(rsvp.ref('rsvp.id'), ids))
    .returning(['id', 'version'])
    .execute()
  await recordChanges(writer, { type: 'rsvp', action: changeActionOf(status) }, rows)
}

function requirePublished({ status }: HostedEvent): void {
  if (status === 'published') return
  throw new Problem('invalid_state', {
    description: 'The event must be published before its RSVPs can be changed.',
    details: [{ field: 'status', code: 'invalid_state', message: `The event is ${status}.`, meta: { status, allowed: ['published'] } }],
  })
}

const wrongState = ({ status }: Rsvp, to: string, allowed: readonly string[]): Problem =>
  new Problem('invalid_state', {
    description: `An RSVP that is ${status} cannot become ${to}: it must be ${allowed.join(' or ')}.`,
    details: [{ field: 'status', code: 'invalid_state', message: `The RSVP is ${status}.`, meta: { status, allowed: [...allowed] } }],
  })
