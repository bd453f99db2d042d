import { isAmong } from '../statements/expressions.ts'
import type { Writer } from './database.ts'

/**
 * Locks rows in the order of their ids, as every change of several rows does, so that concurrent changes cannot deadlock. An UPDATE locks its
 * rows in the order in which its plan reads them: call this before one that changes rows of several parents.
 */
export async function lockRows(
  writer: Writer,
  table: 'file' | 'person',
  { schoolId, ids }: { schoolId: string; ids: readonly string[] },
): Promise<void> {
  if (ids.length < 2) return
  await writer
    .selectFrom(table)
    .select('id')
    .where('school_id', '=', schoolId)
    .where((row) => isAmong(row.ref('id'), ids))
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
}
