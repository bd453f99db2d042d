import type { Reader } from '../connection/database.ts'
import { daySeconds, secondsAgo } from '../statements/expressions.ts'

/** Deletes up to `limit` challenges that were used, and have expired since. Returns their number. */
export async function sweepChallenges(database: Reader, limit: number): Promise<number> {
  const { numDeletedRows } = await database
    .with('old', (one) =>
      one
        .selectFrom('used_challenge')
        .select(['school_id', 'id'])
        .where('expires_at', '<', secondsAgo(daySeconds(1)))
        .orderBy('expires_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .deleteFrom('used_challenge')
    .using('old')
    .whereRef('used_challenge.school_id', '=', 'old.school_id')
    .whereRef('used_challenge.id', '=', 'old.id')
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
