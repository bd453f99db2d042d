import type { Sql } from '../connection/sql.ts'

export async function hasSchoolId(sql: Sql, id: string): Promise<boolean> {
  return (await sql.query('SELECT FROM school WHERE id = $1', [id])).length > 0
}

/** Gives the row of a school, as a line of JSON, another slug. Numbers above 2^53 stay exact. */
export const renameSchool = (line: string, slug: string): string =>
  line.replace(/"slug":"(?:[^"\\]|\\.)*"/, `"slug":${JSON.stringify(slug)}`)

/**
 * Moves the changes of an imported school before the current run of this server, in their order: its next changes follow them in the feed.
 */
export async function continueEpochs(sql: Sql, schoolId: string): Promise<void> {
  await sql.query(
    `WITH moved AS (
       SELECT epoch, least(epoch, current.number - dense_rank() OVER (ORDER BY epoch DESC)) AS number
         FROM (SELECT DISTINCT epoch FROM change_log WHERE school_id = $1) AS epochs, (SELECT current_change_epoch() AS number) AS current)
     UPDATE change_log SET epoch = moved.number FROM moved
      WHERE change_log.school_id = $1 AND change_log.epoch = moved.epoch AND moved.number <> moved.epoch`,
    [schoolId],
  )
}
