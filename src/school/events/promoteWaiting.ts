import type { SchoolWriter, Stored } from '../../database/connection/database.ts'
import { countedBy, inHours, isAmong, now } from '../../database/statements/expressions.ts'
import { recordChanges } from '../../database/tables/changeLog.ts'
import { isOfExcluded } from './eventAccess.ts'
import { endDueOffers, type LockedEvent, leaveWaitlist, noOffer, type Offer, seatsOf } from './eventSeats.ts'
import { isPaidSeat } from './paidSeat.ts'

const batch = 100

/** Ids of the people from a waitlist who got a seat, and of those for whom a seat is held until they pay. */
export interface Promoted {
  seated: string[]
  offered: string[]
  /** Until when the seats of `offered` are held. */
  until: Date | null
}

/**
 * Gives free seats to the waitlist in its order. By party, it stops at the first RSVP that needs more seats than are free, so RSVPs get seats
 * in the order of the waitlist. By seat, it passes over this RSVP, so no seat stays free that another RSVP could take. In an event with a price, each person
 * gets one seat, which is held until they pay for it; a person whose order has paid for a seat gets it immediately. People who cannot come leave
 * the waitlist without a seat. Does nothing once the event is over or cancelled.
 */
export async function promoteWaiting(writer: SchoolWriter, locked: LockedEvent): Promise<Promoted> {
  const offers = await endDueOffers(writer, locked)
  const promoted: Promoted = { seated: offers > 0 ? await seatWithoutPrice(writer, locked) : [], offered: [], until: null }
  for (;;) {
    const event = await findEvent(writer, locked)
    if (!event) return promoted
    const [excluded, waiting] = partition(await waitingFor(writer, locked, event), ({ is_excluded }) => is_excluded)
    await leaveWaitlist(writer, locked, { rsvps: excluded, action: 'canceled' })
    const next = (event.price_amount === null ? nextParties : nextPeople)(waiting, event)
    // A batch of people who cannot come may hide people who can.
    if (next.length === 0 && excluded.length > 0) continue
    if (next.length === 0) return promoted
    const [unpaid, seated] = partition(next, ({ is_paid }) => event.price_amount !== null && !is_paid)
    await moveSeats(writer, locked, next)
    await setRsvps(writer, seated, { status: 'going', ...noOffer })
    await setRsvps(writer, unpaid, { status: 'waitlisted', held_seats: 1, offered_until: event.until })
    promoted.seated.push(...seated.map(({ person_id }) => person_id))
    promoted.offered.push(...unpaid.map(({ person_id }) => person_id))
    promoted.until = event.until
  }
}

const findEvent = async (writer: SchoolWriter, { eventId }: LockedEvent) =>
  await writer
    .selectFrom('event')
    .select((row) => ['waitlist_mode', 'price_amount', row('capacity', '-', row.ref('going_count')).as('free')])
    .select((row) => row.fn<Date>('least', [inHours(row.ref('waitlist_offer_hours')), row.ref('ends_at')]).as('until'))
    .where('id', '=', eventId)
    .where('status', '=', 'published')
    .where('ends_at', '>', now)
    .where('waitlisted_count', '>', 0)
    .executeTakeFirst()

interface PromotingEvent {
  waitlist_mode: string
  price_amount: unknown
  free: number | null
}

interface Waiting extends Offer, Stored<'rsvp', 'id' | 'person_id' | 'guests'> {
  is_paid: boolean
  is_excluded: boolean
}

interface Promotion extends Waiting {
  seats: number
}

async function waitingFor(
  writer: SchoolWriter,
  { eventId }: LockedEvent,
  { waitlist_mode, price_amount, free }: PromotingEvent,
): Promise<Waiting[]> {
  return await writer
    .selectFrom('rsvp')
    .select(['id', 'person_id', 'guests', 'held_seats', 'offered_until'])
    .select((rsvp) => rsvp.cast<boolean>(isPaidSeat(rsvp), 'boolean').as('is_paid'))
    .select((rsvp) => rsvp.cast<boolean>(isOfExcluded(rsvp), 'boolean').as('is_excluded'))
    .where('event_id', '=', eventId)
    .where('status', '=', 'waitlisted')
    .where('offered_until', 'is', null)
    // Parties that are too large must not fill the batch.
    .$if(waitlist_mode === 'seat' && price_amount === null && free !== null, (query) =>
      query.where((rsvp) => rsvp.or([rsvp('guests', '<', free), isOfExcluded(rsvp)])),
    )
    .orderBy('queued_at')
    .orderBy('id')
    .limit(batch)
    .forUpdate()
    .skipLocked()
    .execute()
}

/** Returns the RSVPs that the free seats suffice for, with all guests. */
function nextParties(waiting: readonly Waiting[], { waitlist_mode, free }: PromotingEvent): Promotion[] {
  const parties = waiting.map((one) => ({ ...one, seats: seatsOf(one) }))
  return (waitlist_mode === 'seat' ? allFitting : firstFitting)(parties, free ?? Number.POSITIVE_INFINITY)
}

/** Returns the first people that the free seats suffice for, each with one seat, as an order pays for one. */
const nextPeople = (waiting: readonly Waiting[], { free }: PromotingEvent): Promotion[] =>
  waiting.slice(0, free === null ? undefined : Math.max(0, free)).map((one) => ({ ...one, seats: 1 }))

function firstFitting(waiting: readonly Promotion[], free: number): Promotion[] {
  let left = free
  const end = waiting.findIndex(({ seats }) => {
    left -= seats
    return left < 0
  })
  return waiting.slice(0, end === -1 ? undefined : end)
}

/** Returns the RSVPs that get seats if each takes its seats in turn and the others are passed over. */
function allFitting(waiting: readonly Promotion[], free: number): Promotion[] {
  let left = free
  return waiting.filter(({ seats }) => {
    if (seats > left) return false
    left -= seats
    return true
  })
}

async function moveSeats(writer: SchoolWriter, { eventId }: LockedEvent, next: readonly Promotion[]): Promise<void> {
  const taken = next.reduce((sum, { seats }) => sum + seats, 0)
  const waitedFor = next.reduce((sum, one) => sum + seatsOf(one), 0)
  await writer
    .updateTable('event')
    .set((event) => ({
      going_count: event('going_count', '+', taken),
      waitlisted_count: countedBy(event.ref('waitlisted_count'), -waitedFor),
    }))
    .where('id', '=', eventId)
    .execute()
}

interface RsvpSeat {
  status: 'going' | 'waitlisted'
  held_seats: number
  offered_until: Date | null
}

async function setRsvps(writer: SchoolWriter, next: readonly Promotion[], seat: RsvpSeat): Promise<void> {
  for (const [guests, rsvps] of Map.groupBy(next, ({ seats }) => seats - 1)) {
    const rows = await writer
      .updateTable('rsvp')
      .set((rsvp) => ({
        ...seat,
        guests,
        updated_at: now,
        version: rsvp('version', '+', 1),
        ...(seat.status === 'going' && { status_changed_at: now }),
      }))
      .where((rsvp) =>
        isAmong(
          rsvp.ref('rsvp.id'),
          rsvps.map(({ id }) => id),
        ),
      )
      .returning(['id', 'version'])
      .execute()
    await recordChanges(writer, { type: 'rsvp', action: 'promoted' }, rows)
  }
}

/** Seats the people for whom a seat was held, if the event has no price any more. Returns their ids. */
async function seatWithoutPrice(writer: SchoolWriter, { eventId }: LockedEvent): Promise<string[]> {
  const rows = await writer
    .updateTable('rsvp')
    .set((rsvp) => ({ status: 'going', ...noOffer, status_changed_at: now, updated_at: now, version: rsvp('version', '+', 1) }))
    .where('event_id', '=', eventId)
    .where('status', '=', 'waitlisted')
    .where('held_seats', '>', 0)
    .where((rsvp) =>
      rsvp.exists(
        rsvp
          .selectFrom('event')
          .whereRef('event.id', '=', 'rsvp.event_id')
          .where('event.status', '=', 'published')
          .where('event.price_amount', 'is', null),
      ),
    )
    .returning(['id', 'version', 'person_id'])
    .execute()
  await recordChanges(writer, { type: 'rsvp', action: 'promoted' }, rows)
  return rows.map(({ person_id }) => person_id)
}

function partition<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))]
}
