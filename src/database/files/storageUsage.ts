import { sql } from 'kysely'
import type { Reader } from '../connection/database.ts'

/**
 * Reserves storage for bytes of a school. Returns false if its quota would be exceeded. The row stays locked until the transaction
 * ends, so concurrent callers cannot exceed the quota together.
 */
export async function takeRoom(db: Reader, schoolId: string, { bytes, quota }: { bytes: number; quota: number }): Promise<boolean> {
  await db
    .insertInto('storage_usage')
    .values({ school_id: schoolId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { numUpdatedRows } = await db
    .updateTable('storage_usage')
    .set((usage) => ({ bytes: usage('bytes', '+', bytes) }))
    .where('school_id', '=', schoolId)
    .where((usage) => usage(usage('bytes', '+', bytes), '<=', quota))
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Changes the storage that a school uses, without a check of its quota: a file was removed, or has another size than announced. */
export async function changeRoom(db: Reader, schoolId: string, bytes: number): Promise<void> {
  if (bytes === 0) return
  await db
    .updateTable('storage_usage')
    .set(({ ref }) => ({ bytes: sql<number>`greatest(0, ${ref('bytes')} + ${bytes})` }))
    .where('school_id', '=', schoolId)
    .execute()
}
