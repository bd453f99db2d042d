import type { ExternalServices } from '../../policy/externalServices.ts'
import type { Writer } from '../../store/database.ts'
import { now as databaseTime } from '../../store/expressions.ts'
import { checkoutRequired } from '../checkoutRequired.ts'
import { publicItem } from '../itemRef.ts'
import type { EventChange } from './eventStates.ts'

export type PaidChange = EventChange & { externalServices: Pick<ExternalServices, 'send' | 'checkoutAddress'> }

interface Seats {
  status: string
  guests: number
}

/**
 * Checks that a seat of an event with a price was paid. An order pays for one seat, so a person with an order cannot bring guests.
 * @throws Problem checkout_required
 */
export async function requirePaidSeat(
  context: PaidChange,
  { eventId, personId, before, input }: { eventId: string; personId: string; before: Seats | undefined; input: Seats },
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

/** Returns true if an order that the person paid gives them a seat of the event. */
export async function hasPaidSeat(
  writer: Writer,
  { schoolId, eventId, personId }: { schoolId: string; eventId: string; personId: string },
): Promise<boolean> {
  const live = await writer
    .selectFrom('entitlement')
    .select('id')
    .where('school_id', '=', schoolId)
    .where('person_id', '=', personId)
    .where('product_type', '=', 'event')
    .where('product_id', '=', eventId)
    .where('revoked_at', 'is', null)
    .where((row) => row.or([row('ends_at', 'is', null), row('ends_at', '>', databaseTime)]))
    .executeTakeFirst()
  return live !== undefined
}
