import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from 'pg'
import { createRedis } from '../../../src/database/redis/redis.ts'
import { redisUrl } from '../../support/databases.ts'

const expiringMs = 120_000

export interface Stores {
  databaseUrl: string
  /** Directories whose files are compared. */
  directories: readonly string[]
}

/** Returns a checksum of each table, of each key of its schools in Redis, and of each file. The runs of jobs are left out. */
export async function dumpState({ databaseUrl, directories }: Stores): Promise<Record<string, string>> {
  const database = new Client({ connectionString: databaseUrl })
  const redis = createRedis(redisUrl, { onError: () => undefined })
  await Promise.all([database.connect(), redis.connect()])
  try {
    const { rows: tables } = await database.query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() AND tablename <> 'job_run'`,
    )
    const sums = tables.map(({ name }) => `SELECT '${name}' AS name, md5(string_agg(t::text, '' ORDER BY t::text)) AS sum FROM "${name}" t`)
    const { rows } = await database.query<{ name: string; sum: string }>(sums.join(' UNION ALL '))
    const state = Object.fromEntries(rows.map(({ name, sum }) => [name, sum]))
    const { rows: schools } = await database.query<{ id: string }>('SELECT id FROM school')
    for (const { id } of schools)
      for (const key of await redis.client.keys(`sg:{${id}}:*`)) {
        const milliseconds = await redis.client.pttl(key)
        // -1: it does not expire, -2: it has expired.
        if (milliseconds !== -2) state[key] = milliseconds >= 0 && milliseconds < expiringMs ? 'expires soon' : 'stays'
      }
    for (const directory of directories)
      for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
        const path = join(entry.parentPath, entry.name)
        if (entry.isFile())
          state[path] = createHash('sha256')
            .update(await readFile(path))
            .digest('hex')
      }
    return state
  } finally {
    await Promise.all([database.end(), redis.close()])
  }
}

/** Returns the names that differ, without keys of Redis that have expired. */
export function changesBetween(before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => before[name] !== after[name])
  return names.filter((name) => before[name] !== 'expires soon' && after[name] !== 'expires soon')
}
