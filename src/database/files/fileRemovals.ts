import type { Reader, Stored } from '../connection/database.ts'
import { now, secondsFromNow } from '../statements/expressions.ts'

/** Bytes that no row names, or none yet. */
export type Removal = Stored<'file_removal', 'school_id' | 'storage_key'>

/** Plans the removal of bytes after this time, so that they are removed even if this process ends before. */
export async function planRemoval(db: Reader, { school_id, storage_key }: Removal, inSeconds: number): Promise<void> {
  await db
    .insertInto('file_removal')
    .values({ school_id, storage_key, due_at: secondsFromNow(inSeconds) })
    .onConflict((conflict) => conflict.columns(['school_id', 'storage_key']).doUpdateSet(({ ref }) => ({ due_at: ref('excluded.due_at') })))
    .execute()
}

/**
 * Removes the bytes of one plan that is due. Its row stays locked meanwhile, so that no file can be created over bytes that are being
 * removed. Returns false if no plan is due. Runs inside a transaction.
 */
export async function removeOneDue(db: Reader, remove: (key: string) => Promise<void>): Promise<boolean> {
  const due = await db
    .selectFrom('file_removal')
    .select(['school_id', 'storage_key'])
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
  if (!due) return false
  await remove(due.storage_key)
  return await dropRemoval(db, due)
}

/** Deletes the plan: the bytes are gone, or have a row now. Returns true if they were still to be removed. */
export async function dropRemoval(db: Reader, { school_id, storage_key }: Removal): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('file_removal')
    .where('school_id', '=', school_id)
    .where('storage_key', '=', storage_key)
    .executeTakeFirstOrThrow()
  return numDeletedRows === 1n
}
