import type { Reader } from '../connection/database.ts'
import { daySeconds, secondsAgo } from '../statements/expressions.ts'

/** How long delivered rows are kept: the list of deliveries shows them. */
const deliveredDays = 7

/** How long rows that were given up are kept: until then they can be replayed. */
const deadDays = 30

/** Removes up to `limit` delivered rows, and rows that were given up, when they are old enough. Returns their number. */
export async function sweepOutbox(db: Reader, limit: number): Promise<number> {
  const { numDeletedRows } = await db
    .with('old', (one) =>
      one
        .selectFrom('outbox')
        .select(['school_id', 'id'])
        .where('state', '!=', 'pending')
        .where((row) =>
          row.or([
            row('finished_at', '<', secondsAgo(daySeconds(deadDays))),
            row.and([row('state', '=', 'delivered'), row('finished_at', '<', secondsAgo(daySeconds(deliveredDays)))]),
          ]),
        )
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .deleteFrom('outbox')
    .using('old')
    .whereRef('outbox.school_id', '=', 'old.school_id')
    .whereRef('outbox.id', '=', 'old.id')
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
