import type { School } from '../../policy/school.ts'
import type { SendMessage } from '../../policy/sendMessage.ts'
import type { Writer } from '../../store/database.ts'
import { now } from '../../store/expressions.ts'
import { fillSeats } from './eventStates.ts'

export interface FreeSeats {
  schools: readonly School[]
  send: SendMessage
  /** The most events that one call fills. */
  limit: number
}

/**
 * Gives seats that orders released to the waitlists, and e-mails the people. Skips events that another transaction has locked. Returns the
 * number of events in which somebody got a seat. Call it in a transaction.
 */
export async function fillFreeSeats(writer: Writer, { schools, send, limit }: FreeSeats): Promise<number> {
  const byId = new Map(schools.map((school) => [school.id, school]))
  if (byId.size === 0) return 0
  const events = await writer
    .selectFrom('event')
    .select(['school_id', 'id', 'title', 'starts_at', 'time_zone', 'waitlisted_count'])
    .where('school_id', 'in', [...byId.keys()])
    .where('status', '=', 'published')
    .where('ends_at', '>', now)
    .where('waitlisted_count', '>', 0)
    .where((event) => event.or([event('capacity', 'is', null), event('going_count', '<', event.ref('capacity'))]))
    .orderBy('school_id')
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()
  let filled = 0
  for (const { school_id, waitlisted_count, ...event } of events) {
    const school = byId.get(school_id)
    if (!school) continue
    await fillSeats({ writer, school, now: new Date(), externalServices: { send } }, event)
    const after = await writer
      .selectFrom('event')
      .select('waitlisted_count')
      .where('school_id', '=', school_id)
      .where('id', '=', event.id)
      .executeTakeFirstOrThrow()
    if (after.waitlisted_count < waitlisted_count) filled += 1
  }
  return filled
}
