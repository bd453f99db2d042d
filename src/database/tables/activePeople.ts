import { sql } from 'kysely'
import type { Reader } from '../connection/database.ts'
import { daySeconds, secondsAgo } from '../statements/expressions.ts'

/** The periods of the metric, in days. The last one is the longest. */
export const activePeriods = [1, 7, 30] as const

/**
 * Returns how many people with a login signed in, or had an app use their access, within each of the last periods. Reads each login and each
 * grant that was used in the longest period once: an index on the time of the last use would cost every use more than these reads cost.
 */
export async function countActivePeople(
  db: Reader,
  { days, schoolId }: { days: readonly number[]; schoolId?: string | undefined },
): Promise<number[]> {
  const longest = secondsAgo(daySeconds(Math.max(...days)))
  const row = await db
    .with('used', (one) =>
      one
        .selectFrom('oidc_grant')
        .select(({ fn }) => ['school_id', 'account_id', fn.max('last_used_at').as('at')])
        .where('last_used_at', '>=', longest)
        .$if(schoolId !== undefined, (grants) => grants.where('school_id', '=', schoolId ?? ''))
        .groupBy(['school_id', 'account_id']),
    )
    .selectFrom('account')
    .leftJoin('used', (join) => join.onRef('used.school_id', '=', 'account.school_id').onRef('used.account_id', '=', 'account.id'))
    .$if(schoolId !== undefined, (accounts) => accounts.where('account.school_id', '=', schoolId ?? ''))
    .select(({ fn, ref }) => {
      const seen = sql<Date>`greatest(${ref('account.last_sign_in_at')}, ${ref('used.at')})`
      return days.map((count, index) =>
        fn
          .countAll()
          .filterWhere(seen, '>=', secondsAgo(daySeconds(count)))
          .as(`count_${index}`),
      )
    })
    .executeTakeFirstOrThrow()
  return days.map((_, index) => Number(Object(row)[`count_${index}`]))
}
