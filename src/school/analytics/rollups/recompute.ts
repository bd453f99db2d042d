import type { Sql } from '../../../database/connection/sql.ts'
import type { TableName } from '../../../database/statements/columns.ts'
import { begins, type Days, ends, freshFigures, type Rollup } from './rollup.ts'

/**
 * Computes the figures of these days from their rows: adds, changes and removes lines of figures. Repeating it has no effect.
 * @returns how many lines of figures were written or removed
 */
export function recompute(sql: Sql, rollup: Rollup, days: Days): Promise<number> {
  return replaceFigures(sql, { ...rollup, fresh: freshFigures(rollup) }, days)
}

/** Does the same for figures that are not sums over rows: `fresh` selects `day`, the keys and the measures. */
export async function replaceFigures(
  sql: Sql,
  { table, keys, measures, fresh }: Pick<Rollup, 'keys' | 'measures'> & { table: TableName; fresh: string },
  { schoolId, timeZone, first, last, now }: Days,
): Promise<number> {
  const key = ['day', ...keys]
  const own = (prefix: string, names: readonly string[]): string => names.map((name) => `${prefix}.${name}`).join(', ')
  const [row] = await sql.query<{ changed: number }>(
    // A value that a statement does not use would have no type: `given` uses all of them.
    `WITH given AS (SELECT ${begins} AS begins, ${ends} AS ends, $5::timestamptz AS now),
          fresh AS MATERIALIZED (${fresh}),
          written AS (
            INSERT INTO ${table} (school_id, ${key.join(', ')}, ${measures.join(', ')})
            SELECT $1::uuid, ${own('fresh', key)}, ${own('fresh', measures)} FROM fresh
            ON CONFLICT (school_id, ${key.join(', ')}) DO UPDATE
               SET ${measures.map((measure) => `${measure} = excluded.${measure}`).join(', ')}
             WHERE (${own(table, measures)}) IS DISTINCT FROM (${own('excluded', measures)})
            RETURNING 1),
          gone AS (
            DELETE FROM ${table} WHERE school_id = $1::uuid AND day BETWEEN $3::date AND $4::date
               AND NOT EXISTS (SELECT FROM fresh WHERE ${key.map((name) => `fresh.${name} = ${table}.${name}`).join(' AND ')})
            RETURNING 1)
     SELECT ((SELECT count(*) FROM written) + (SELECT count(*) FROM gone))::int AS changed`,
    [schoolId, timeZone, first, last, now],
  )
  return row?.changed ?? 0
}
