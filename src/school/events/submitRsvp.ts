import type { PersonCaller } from '../../base/caller.ts'
import { newId } from '../../base/ids.ts'
import { Problem } from '../../base/problem.ts'
import type { SchoolReader, SchoolWriter, Stored } from '../../database/connection/database.ts'
import { clockTime, countedBy, now as databaseNow } from '../../database/statements/expressions.ts'
import { recordChange } from '../../database/tables/changeLog.ts'
import { mayTakePart } from './eventAccess.ts'
import { type EventDetails, notifyOfSeats } from './eventEmails.ts'
import { addWaiting, type LockedEvent, noOffer, type Offer, releaseSeats, seatsOf, takeSeats, waitingSeatsOf } from './eventSeats.ts'
import { type EventChange, fillSeats, type SeatChange } from './eventStates.ts'
import { type PaidChange, requirePaidSeat, type WayToSeat } from './requirePaidSeat.ts'

/** The columns of an event that decide on an RSVP. The row is locked. */
export type RsvpEvent = EventDetails & Stored<'event', 'status' | 'ends_at' | 'rsvp_opens_at' | 'rsvp_closes_at' | 'waitlist_enabled'>

export type Rsvp = Offer & Stored<'rsvp', 'id' | 'version' | 'person_id' | 'status' | 'guests' | 'note'>

export interface RsvpInput {
  status: 'going' | 'canceled'
  guests: number
  note: string | null
}

/**
 * Stores the caller's own RSVP. Without a free seat the caller joins the waitlist, if the event has one. Returns the id of the RSVP, and
 * whether it changed.
 * @throws Problem access_denied, rsvp_closed, event_full, checkout_required
 */
export async function submitRsvp(context: PaidChange, event: RsvpEvent, input: RsvpInput): Promise<{ id: string; isNew: boolean }> {
  const { writer } = context
  const personId = await requireInvited(context, event)
  const before = await findRsvp(writer, { schoolId: writer.schoolId, eventId: event.id, personId })
  const isSameStatus =
    before?.status === input.status || (before?.status === 'waitlisted' && before.offered_until === null && input.status === 'going')
  if (before && isSameStatus && before.guests === input.guests && before.note === input.note) return { id: before.id, isNew: false }
  requireOpen(event, context.now, { isWithdrawal: input.status === 'canceled' })
  if (before?.status === 'attended' || before?.status === 'no_show') throw new Problem('rsvp_closed')
  const way = await requirePaidSeat(context, { eventId: event.id, personId, before, input })
  const id = await writeRsvp(context, event, { personId, before, input, way })
  if (before?.status !== 'going') await confirm(context, event, { id, personId })
  return { id, isNew: true }
}

/** E-mails the caller that they are registered, if they got a seat. */
async function confirm(context: PaidChange, event: EventDetails, { id, personId }: { id: string; personId: string }): Promise<void> {
  const { writer, school, externalServices, caller } = context
  const after = await findRsvp(writer, { schoolId: school.id, eventId: event.id, id })
  if (after?.status !== 'going' || caller.kind !== 'person') return
  const isAllowed = await externalServices.emailLimits.isNoticeAllowed(school, { account_id: caller.accountId, kind: 'rsvp_confirmed' })
  if (isAllowed) await notifyOfSeats(context, event, [personId], 'rsvp_confirmed')
}

/**
 * Writes an RSVP, and gives released seats to people on the waitlist. Returns the id of the RSVP.
 * @throws Problem event_full
 */
export async function writeRsvp(
  context: SeatChange,
  event: RsvpEvent,
  {
    personId,
    before,
    input,
    ...turn
  }: { personId: string; before: Rsvp | undefined; input: RsvpInput; isInTurn?: boolean; way?: WayToSeat },
): Promise<string> {
  const { writer } = context
  const locked = { schoolId: writer.schoolId, eventId: event.id }
  const status = input.status === 'canceled' ? 'canceled' : await place(writer, locked, { event, before, input, ...turn })
  if (input.status === 'canceled' && before) await withdraw(writer, locked, before)
  const after = { ...input, status }
  const id = before ? await updateRsvp(writer, before, after) : await insertRsvp(writer, locked, personId, after)
  await countRsvps(writer, personId, Number(status !== 'canceled') - Number(before !== undefined && before.status !== 'canceled'))
  await fillSeats(context, event)
  return id
}

/** Takes seats, or a place on the waitlist, and returns which. A person who is on the waitlist keeps their place. */
async function place(
  writer: SchoolWriter,
  locked: LockedEvent,
  {
    event,
    before,
    input,
    isInTurn = true,
    way = 'seat',
  }: { event: RsvpEvent; before: Rsvp | undefined; input: RsvpInput; isInTurn?: boolean; way?: WayToSeat },
): Promise<'going' | 'waitlisted'> {
  const wanted = seatsOf(input)
  if (before?.status === 'going') {
    const more = wanted - seatsOf(before)
    if (more <= 0) await releaseSeats(writer, locked, -more)
    else if (!(await takeSeats(writer, locked, more, isInTurn))) throw eventFull(event, isInTurn)
    return 'going'
  }
  if (before?.status === 'waitlisted' && before.offered_until === null && isInTurn) {
    await addWaiting(writer, locked, wanted - seatsOf(before))
    return 'waitlisted'
  }
  if (way === 'seat' && (await takeSeats(writer, locked, wanted - (before?.held_seats ?? 0), isInTurn))) {
    if (before?.status === 'waitlisted') await addWaiting(writer, locked, -waitingSeatsOf(before))
    return 'going'
  }
  if (!event.waitlist_enabled || !isInTurn) throw eventFull(event, isInTurn)
  await addWaiting(writer, locked, wanted)
  return 'waitlisted'
}

async function withdraw(writer: SchoolWriter, locked: LockedEvent, before: Rsvp): Promise<void> {
  if (before.status === 'going') await releaseSeats(writer, locked, seatsOf(before))
  if (before.status === 'waitlisted') {
    await addWaiting(writer, locked, -waitingSeatsOf(before))
    await releaseSeats(writer, locked, before.held_seats)
  }
}

type RsvpColumns = Pick<Rsvp, 'status' | 'guests' | 'note'>

// `queued_at` is the database's clock, read while the event is locked, so the waitlist is in the order of the RSVPs.
export async function updateRsvp(writer: SchoolWriter, { id, status: before }: Rsvp, { status, guests, note }: RsvpColumns) {
  const row = await writer
    .updateTable('rsvp')
    .set((rsvp) => ({
      status,
      guests,
      note,
      ...noOffer,
      updated_at: databaseNow,
      version: rsvp('version', '+', 1),
      status_changed_at: rsvp.case().when('status', '=', status).then(rsvp.ref('status_changed_at')).else(databaseNow).end(),
      ...(before === 'canceled' && status !== 'canceled' && { queued_at: clockTime }),
    }))
    .where('id', '=', id)
    .returning('version')
    .executeTakeFirst()
  await recordChange(writer, { type: 'rsvp', resource_id: id, action: 'updated', version: row?.version ?? 1 })
  return id
}

/** Inserts the RSVP of a person whose seats are taken. Returns its id. */
export async function insertRsvp(
  writer: SchoolWriter,
  { eventId }: LockedEvent,
  personId: string,
  { status, guests, note }: RsvpColumns,
): Promise<string> {
  const id = newId()
  await writer
    .insertInto('rsvp')
    .values({ school_id: writer.schoolId, id, event_id: eventId, person_id: personId, status, guests, note, queued_at: clockTime })
    .execute()
  await recordChange(writer, { type: 'rsvp', resource_id: id, action: 'created', version: 1 })
  return id
}

/** Changes the number of a person's RSVPs that are not cancelled. Call it last: the person's row is locked after all others. */
export async function countRsvps(writer: SchoolWriter, personId: string, by: number): Promise<void> {
  if (by === 0) return
  await writer
    .updateTable('person')
    .set((person) => ({ rsvps_count: countedBy(person.ref('rsvps_count'), by) }))
    .where('id', '=', personId)
    .execute()
}

export async function findRsvp(
  writer: SchoolWriter,
  { schoolId, eventId, ...by }: LockedEvent & ({ personId: string } | { id: string }),
): Promise<Rsvp | undefined> {
  const rsvps = writer
    .selectFrom('rsvp')
    .select(['id', 'version', 'person_id', 'status', 'guests', 'note', 'offered_until', 'held_seats'])
    .where('school_id', '=', schoolId)
    .where('event_id', '=', eventId)
  return await ('id' in by ? rsvps.where('id', '=', by.id) : rsvps.where('person_id', '=', by.personId)).forUpdate().executeTakeFirst()
}

/** @throws Problem rsvp_closed outside the RSVP period. Withdrawals are accepted until the event ends. */
function requireOpen(event: RsvpEvent, now: Date, { isWithdrawal }: { isWithdrawal: boolean }): void {
  const description = closedReason(event, now, isWithdrawal)
  if (description !== undefined) throw new Problem('rsvp_closed', { description })
}

function closedReason(event: RsvpEvent, now: Date, isWithdrawal: boolean): string | undefined {
  if (event.status !== 'published') return `The event is ${event.status === 'canceled' ? 'canceled' : 'not published'}.`
  if (event.ends_at <= now) return 'The event is over.'
  if (isWithdrawal) return undefined
  if (event.rsvp_opens_at && now < event.rsvp_opens_at) return `RSVPs open at ${event.rsvp_opens_at.toISOString()}.`
  if (event.rsvp_closes_at && event.rsvp_closes_at <= now) return `RSVPs closed at ${event.rsvp_closes_at.toISOString()}.`
  return undefined
}

/** @throws Problem access_denied for a blocked person, and for an event that the caller may not attend */
async function requireInvited({ writer, caller }: EventChange, { id }: RsvpEvent): Promise<string> {
  const { personId } = caller
  const row = await writer
    .selectFrom('event')
    .select('event.id')
    .where('event.id', '=', id)
    .where((event) => mayTakePart(event, caller satisfies PersonCaller))
    .executeTakeFirst()
  if (!row || personId === null) {
    throw new Problem('access_denied', {
      description: 'You cannot attend this event: it requires a membership, a plan or a course that you do not have.',
    })
  }
  return personId
}

/** Returns the problem that too few seats are free. Staff do not take seats in the order of the waitlist. */
export function eventFull({ waitlist_enabled }: Pick<RsvpEvent, 'waitlist_enabled'>, isInTurn: boolean): Problem {
  if (isInTurn && !waitlist_enabled) return new Problem('event_full')
  return new Problem('event_full', {
    description: isInTurn
      ? 'The event has too few free seats, or other people are on the waitlist.'
      : `The event has too few free seats: raise its capacity${waitlist_enabled ? ', or put the person on the waitlist' : ''}.`,
  })
}

/** @throws Problem access_denied if the school has blocked the person, who then gets no seat at an event */
export async function requireNotBlocked(reader: SchoolReader, { personId }: { personId: string }): Promise<void> {
  const blocked = await reader
    .selectFrom('person')
    .select('id')
    .where('id', '=', personId)
    .where('member_status', '=', 'blocked')
    .executeTakeFirst()
  if (blocked) throw new Problem('access_denied', { description: 'The school has blocked this person.' })
}
