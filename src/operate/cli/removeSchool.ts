import { removeSchoolKeys } from '../../database/redis/redis.ts'
import { removeSchoolRows } from '../../database/school/removeSchoolRows.ts'
import { countSchoolRows, listStorageKeys } from '../../database/school/schoolTables.ts'
import type { Effects } from './dryRun.ts'
import { withProgress } from './progress.ts'
import { reportProgress } from './reportProgress.ts'
import type { Session } from './session.ts'

export interface SchoolContents {
  rows: number
  tables: Readonly<Record<string, number>>
  files: readonly string[]
}

export async function countSchool(session: Session, schoolId: string): Promise<SchoolContents> {
  const { sql } = await session.database()
  const counts = await withProgress(session.terminal, 'counting rows', () => countSchoolRows(sql, schoolId))
  return { rows: sum(counts) + 1, tables: { ...counts, school: 1 }, files: await listStorageKeys(sql, schoolId) }
}

export function removalEffects({ tables, files }: SchoolContents): Effects {
  const deleted = Object.entries({ ...tables, files: files.length }).filter(([, count]) => count > 0)
  return Object.fromEntries(deleted.map(([table, count]) => [table, { deleted: count }]))
}

export interface Removal {
  rows: number
  tables: number
  files: number
  redisKeys: number | undefined
}

/** Deletes everything of a school: files, keys in Redis, rows. After an interruption it can be repeated, because rows come last. */
export async function removeSchool(session: Session, schoolId: string, { files }: SchoolContents): Promise<Removal> {
  const { terminal } = session
  const [database, redis] = [await session.database(), await session.redis()]
  const onProgress = reportProgress(terminal)
  const storage = await session.storage()
  for (const [index, key] of files.entries()) {
    await storage.remove(key)
    onProgress({ name: 'files', done: index + 1, of: files.length })
  }
  const deleteKeys = async (): Promise<number> =>
    redis ? await withProgress(terminal, 'deleting keys in Redis', () => removeSchoolKeys(redis.client, schoolId)) : 0
  const redisKeys = redis && (await deleteKeys())
  const removed = await withProgress(terminal, 'deleting rows', () => removeSchoolRows(database, schoolId, onProgress))
  // The transaction has marked the clients, grants and accounts that it deleted.
  await deleteKeys()
  return { rows: sum(removed), tables: Object.keys(removed).length, files: files.length, redisKeys }
}

export function describeRemoval({ rows, tables, files, redisKeys }: Removal): string {
  const inRedis = redisKeys === undefined ? '' : `, ${redisKeys} keys in Redis`
  return `${rows} rows in ${tables} tables, ${files} files${inRedis}`
}

const sum = (counts: Record<string, number>): number => Object.values(counts).reduce((total, count) => total + count, 0)
