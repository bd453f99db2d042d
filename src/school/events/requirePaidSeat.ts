import type { Stored } from '../../database/connection/database.ts'
import type { Builder, Condition } from '../../database/statements/expressions.ts'
import type { ExternalServices } from '../../engine/externalServices.ts'
import { checkoutRequired } from '../checkoutRequired.ts'
import { publicItem } from '../itemRef.ts'
import type { Offer } from './eventSeats.ts'
import type { EventChange } from './eventStates.ts'
import { hasPaidSeat } from './paidSeat.ts'

export type PaidChange = EventChange & { externalServices: Pick<ExternalServices, 'send' | 'checkoutAddress' | 'emailLimits'> }

type Seats = Stored<'rsvp', 'status' | 'guests'>

/** How a person gets a seat: `seat` if one is free, or only a place on the `waitlist`. */
export type WayToSeat = 'seat' | 'waitlist'

/**
 * Checks that a seat of an event with a price was paid. An order pays for one seat, so a person with an order cannot bring guests. While no
 * seat is for sale, a person without an order can join the waitlist. The event is locked.
 * @throws Problem checkout_required
 */
export async function requirePaidSeat(
  context: PaidChange,
  { eventId, personId, before, input }: { eventId: string; personId: string; before: (Seats & Offer) | undefined; input: Seats },
): Promise<WayToSeat> {
  const { writer } = context
  if (input.status === 'canceled' || (before?.status === 'going' && input.guests <= before.guests)) return 'seat'
  const event = await writer
    .selectFrom('event')
    .select((row) => ['price_amount', 'waitlist_enabled', row.cast<boolean>(isForSale(row), 'boolean').as('is_for_sale')])
    .where('id', '=', eventId)
    .executeTakeFirstOrThrow()
  if (event.price_amount === null) return 'seat'
  if (input.guests === 0) {
    if (await hasPaidSeat(writer, { eventId, personId })) return 'seat'
    const mayWait = before?.status === 'waitlisted' ? before.offered_until === null : event.waitlist_enabled && !event.is_for_sale
    if (mayWait) return 'waitlist'
  }
  throw checkoutRequired(context, publicItem({ type: 'event', id: eventId }))
}

/** Matches events in which an order can take a seat: one is free, and the waitlist does not come first. */
const isForSale = (event: Builder<'event'>): Condition =>
  event.and([
    event.or([event('capacity', 'is', null), event('going_count', '<', event.ref('capacity'))]),
    event.or([event('waitlisted_count', '=', 0), event('waitlist_mode', '=', 'seat')]),
  ])
