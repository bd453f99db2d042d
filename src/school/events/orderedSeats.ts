import { Problem } from '../../base/problem.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { isAmong } from '../../database/statements/expressions.ts'
import { addWaiting, giveHeldSeatToOrder, holdSeatOfOrder, releaseSeats, seatsOf, takeSeats, waitingSeatsOf } from './eventSeats.ts'
import { hasPaidSeat } from './paidSeat.ts'
import { countRsvps, findRsvp, insertRsvp, requireNotBlocked, updateRsvp } from './submitRsvp.ts'

interface ReservedSeats {
  personId: string | null
  eventIds: readonly string[]
}

interface OrderedSeats {
  personId: string
  eventIds: readonly string[]
}

/**
 * Locks the events of an order. Call it before other rows are locked: an RSVP locks its event, then the person.
 */
export async function lockEvents(writer: SchoolWriter, eventIds: readonly string[]): Promise<Map<string, string>> {
  if (eventIds.length === 0) return new Map()
  const rows = await writer
    .selectFrom('event')
    .select(['id', 'status'])
    .where((event) => isAmong(event.ref('event.id'), eventIds))
    .orderBy('id')
    .forUpdate()
    .execute()
  return new Map(rows.map(({ id, status }) => [id, status]))
}

/**
 * Takes a seat of each event for an order that waits for its payment: the one that is held for the person, or a free one. People on the
 * waitlist have priority.
 * @throws Problem event_full, access_denied for a blocked person
 */
export async function reserveOrderedSeats(writer: SchoolWriter, { personId, eventIds }: ReservedSeats): Promise<void> {
  if (eventIds.length === 0) return
  await lockEvents(writer, eventIds)
  if (personId !== null) await requireNotBlocked(writer, { personId })
  for (const eventId of eventIds) {
    const locked = { schoolId: writer.schoolId, eventId }
    if (personId !== null && (await giveHeldSeatToOrder(writer, locked, personId))) continue
    if (!(await takeSeats(writer, locked, 1, true))) {
      throw new Problem('event_full', { description: 'The event has no free seat, or other people are on its waitlist.' })
    }
  }
}

export async function reserveSeatsAgain(writer: SchoolWriter, { orderId }: { orderId: string }): Promise<void> {
  const lines = await writer
    .updateTable('order_item')
    .set({ reserved_seats: 1 })
    .where('order_id', '=', orderId)
    .where('product_type', '=', 'event')
    .where('reserved_seats', '=', 0)
    .returning('product_id')
    .execute()
  if (lines.length === 0) return
  const order = await writer.selectFrom('orders').select('person_id').where('id', '=', orderId).executeTakeFirstOrThrow()
  await reserveOrderedSeats(writer, { personId: order.person_id, eventIds: lines.map(({ product_id }) => product_id) })
}

/**
 * Releases the seats that unpaid orders reserved. A background job gives them to the waitlist. A seat that was held for the buyer is held
 * again until its time ends.
 */
export async function releaseReservedSeats(writer: SchoolWriter, { orderIds }: { orderIds: readonly string[] }): Promise<void> {
  const lines = await writer
    .updateTable('order_item')
    .set({ reserved_seats: 0 })
    .where((item) => isAmong(item.ref('order_item.order_id'), orderIds))
    .where('reserved_seats', '>', 0)
    .returning((item) => [
      'product_id',
      item.selectFrom('orders').select('orders.person_id').whereRef('orders.id', '=', 'order_item.order_id').as('person_id'),
    ])
    .execute()
  await lockEvents(
    writer,
    lines.map(({ product_id }) => product_id),
  )
  for (const { product_id: eventId, person_id } of lines) {
    const isHeld = person_id !== null && (await holdSeatOfOrder(writer, { schoolId: writer.schoolId, eventId }, person_id))
    if (!isHeld) await releaseSeats(writer, { schoolId: writer.schoolId, eventId }, 1)
  }
}

/**
 * Turns the reserved seats of a paid order into RSVPs. `lockEvents` has locked the events, and returned their statuses.
 * @throws Problem invalid_state if an event is not published any more: the payment must be refunded
 */
export async function confirmSeats(
  writer: SchoolWriter,
  { personId, orderId, statuses }: Omit<OrderedSeats, 'eventIds'> & { orderId: string; statuses: ReadonlyMap<string, string> },
): Promise<void> {
  for (const [eventId, status] of statuses) {
    if (status !== 'published')
      throw new Problem('invalid_state', { description: `The event is ${status}. Refund the payment to the buyer.` })
    const locked = { schoolId: writer.schoolId, eventId }
    const before = await findRsvp(writer, { ...locked, personId })
    const seat = { status: 'going', guests: 0, note: before?.note ?? null }
    if (before && ['going', 'attended', 'no_show'].includes(before.status)) await releaseSeats(writer, locked, 1)
    else if (before) {
      if (before.status === 'waitlisted') {
        await addWaiting(writer, locked, -waitingSeatsOf(before))
        await releaseSeats(writer, locked, before.held_seats)
      }
      await updateRsvp(writer, before, seat)
      await countRsvps(writer, personId, before.status === 'canceled' ? 1 : 0)
    } else {
      await insertRsvp(writer, locked, personId, seat)
      await countRsvps(writer, personId, 1)
    }
  }
  await writer
    .updateTable('order_item')
    .set({ reserved_seats: 0 })
    .where('order_id', '=', orderId)
    .where('reserved_seats', '>', 0)
    .execute()
}

/** Withdraws the seats of refunded lines. A recorded attendance stays. `lockEvents` has locked the events. */
export async function withdrawSeats(writer: SchoolWriter, { personId, eventIds }: OrderedSeats): Promise<void> {
  for (const eventId of eventIds) {
    const locked = { schoolId: writer.schoolId, eventId }
    const rsvp = await findRsvp(writer, { ...locked, personId })
    if (rsvp?.status !== 'going' || (await hasPaidSeat(writer, { ...locked, personId }))) continue
    await releaseSeats(writer, locked, seatsOf(rsvp))
    await updateRsvp(writer, rsvp, { status: 'canceled', guests: rsvp.guests, note: rsvp.note })
    await countRsvps(writer, personId, -1)
  }
}
