import type { Reader } from '../connection/database.ts'
import { daySeconds, secondsAgo } from '../statements/expressions.ts'

/** How long news that was announced is kept, so that it is not announced again. */
const keptDays = 365

/** Removes up to `limit` rows of news that was announced long ago. Returns their number. */
export async function sweepNotifications(database: Reader, limit: number): Promise<number> {
  const { numDeletedRows } = await database
    .with('old', (one) =>
      one
        .selectFrom('notification')
        .select(['school_id', 'kind', 'subject_id'])
        .where('finished_at', '<', secondsAgo(daySeconds(keptDays)))
        .orderBy('finished_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .deleteFrom('notification')
    .using('old')
    .whereRef('notification.school_id', '=', 'old.school_id')
    .whereRef('notification.kind', '=', 'old.kind')
    .whereRef('notification.subject_id', '=', 'old.subject_id')
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
