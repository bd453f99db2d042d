import { type Handle, rawSql } from './rawSql.ts'

/**
 * Takes room for bytes of a school, unless its quota would be passed. The row stays locked until the transaction ends: of many
 * who ask at once exactly as many get room as there is.
 */
export async function takeRoom(sql: Handle, schoolId: string, { bytes, quota }: { bytes: number; quota: number }): Promise<boolean> {
  await rawSql(sql).query('INSERT INTO storage_usage (school_id) VALUES ($1) ON CONFLICT DO NOTHING', [schoolId])
  const taken = await rawSql(sql).query(
    'UPDATE storage_usage SET bytes = bytes + $2 WHERE school_id = $1 AND bytes + $2 <= $3 RETURNING 1 AS taken',
    [schoolId, bytes, quota],
  )
  return taken.length === 1
}

/** Gives room back, or takes a little more without asking: a file turned out to have another size. */
export async function changeRoom(sql: Handle, schoolId: string, bytes: number): Promise<void> {
  if (bytes !== 0)
    await rawSql(sql).query('UPDATE storage_usage SET bytes = greatest(0, bytes + $2) WHERE school_id = $1', [schoolId, bytes])
}

/** How many bytes of its quota a school has taken. */
export async function usedBytes(sql: Handle, schoolId: string): Promise<number> {
  const [row] = await rawSql(sql).query<{ bytes: string | number }>('SELECT bytes FROM storage_usage WHERE school_id = $1', [schoolId])
  return Number(row?.bytes ?? 0)
}
