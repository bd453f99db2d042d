import type { SchoolWriter } from '../../database/connection/database.ts'
import { type Builder, type Condition, now as databaseTime } from '../../database/statements/expressions.ts'

export async function hasPaidSeat(writer: SchoolWriter, { eventId, personId }: { eventId: string; personId: string }): Promise<boolean> {
  const live = await writer
    .selectFrom('entitlement')
    .select('id')
    .where('person_id', '=', personId)
    .where('product_id', '=', eventId)
    .where(isLiveSeat)
    .executeTakeFirst()
  return live !== undefined
}

export const isPaidSeat = (rsvp: Builder<'rsvp'>): Condition =>
  rsvp.exists(
    rsvp
      .selectFrom('entitlement')
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
