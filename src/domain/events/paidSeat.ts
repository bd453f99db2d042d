import type { ExternalServices } from '../../policy/externalServices.ts'
import { checkoutRequired } from '../checkoutRequired.ts'
import { publicItem } from '../itemRef.ts'
import type { EventChange } from './eventStates.ts'
import { hasPaidSeat } from './orderedSeats.ts'
import type { Rsvp, RsvpInput } from './submitRsvp.ts'

export type PaidChange = EventChange & { externalServices: Pick<ExternalServices, 'send' | 'checkoutAddress'> }

/**
 * Checks that a seat of an event with a price was paid. An order pays for one seat, so a person with an order can bring nobody.
 * @throws Problem checkout_required
 */
export async function requirePaidSeat(
  context: PaidChange,
  { eventId, personId, before, input }: { eventId: string; personId: string; before: Rsvp | undefined; input: RsvpInput },
): Promise<void> {
  const { writer, school } = context
  if (input.status === 'canceled' || (before?.status === 'going' && input.guests <= before.guests)) return
  const event = await writer
    .selectFrom('event')
    .select('price_amount')
    .where('school_id', '=', school.id)
    .where('id', '=', eventId)
    .executeTakeFirstOrThrow()
  if (event.price_amount === null) return
  if (input.guests === 0 && (await hasPaidSeat(writer, { schoolId: school.id, eventId, personId }))) return
  throw checkoutRequired(context, publicItem({ type: 'event', id: eventId }))
}
