import type { Sql } from '../sql.ts'
import { begins, type Days, ends, freshFigures, type Rollup } from './rollup.ts'

/**
 * Brings the figures of these days in line with the rows that they are made of: new ones come, others change, those without rows go.
 * The same again changes nothing.
 * @returns how many lines of figures were written or removed
 */
export function recompute(sql: Sql, rollup: Rollup, days: Days): Promise<number> {
  return replaceFigures(sql, { ...rollup, fresh: freshFigures(rollup) }, days)
}

/** The same for figures that are no sums over rows: `fresh` selects `day`, the keys and the measures. */
export async function replaceFigures(
  sql: Sql,
  { table, keys, measures, fresh }: Pick<Rollup, 'table' | 'keys' | 'measures'> & { fresh: string },
  { schoolId, timeZone, first, last, now }: Days,
): Promise<number> {
  const key = ['day', ...keys]
  const own = (prefix: string, names: readonly string[]): string => names.map((name) => `${prefix}.${name}`).join(', ')
  const [row] = await sql.query<{ changed: number }>(
    // Not every statement needs each of the values, and a value that is never named has no type.
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
