import type { Writer } from '../../store/database.ts'
import { type Builder, type Condition, now as databaseTime } from '../../store/expressions.ts'

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
    .where('product_id', '=', eventId)
    .where(isLiveSeat)
    .executeTakeFirst()
  return live !== undefined
}

/** Matches RSVPs of people whose order gives them a seat. */
export const isPaidSeat = (rsvp: Builder<'rsvp'>): Condition =>
  rsvp.exists(
    rsvp
      .selectFrom('entitlement')
      .select('entitlement.id')
      .whereRef('entitlement.school_id', '=', 'rsvp.school_id')
      .whereRef('entitlement.person_id', '=', 'rsvp.person_id')
      .whereRef('entitlement.product_id', '=', 'rsvp.event_id')
      .where(isLiveSeat),
  )

const isLiveSeat = (row: Builder<'entitlement'>): Condition =>
  row.and([
    row('entitlement.product_type', '=', 'event'),
    row('entitlement.revoked_at', 'is', null),
    row.or([row('entitlement.ends_at', 'is', null), row('entitlement.ends_at', '>', databaseTime)]),
  ])
