import type { Sql } from '../connection/sql.ts'

/** The migration of the release that moved responses to refreshes to Redis. */
const firstOfRelease = '20261127140500_narrow_used_tokens'
const daySeconds = 86_400

/**
 * Returns for how many seconds processes of the release before may serve next to this one: a day after the migration, if the database had a school
 * before it.
 */
export async function upgradeSeconds(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ seconds: number }>(
    `SELECT extract(epoch FROM finished_at - now())::float8 + $2::float8 AS seconds FROM _prisma_migrations
      WHERE migration_name = $1 AND finished_at > (SELECT min(created_at) FROM school)`,
    [firstOfRelease, daySeconds],
  )
  return Math.max(0, row?.seconds ?? 0)
}
