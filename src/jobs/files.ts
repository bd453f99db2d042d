import type { Database } from '../store/database.ts'
import { removeOneDue } from '../store/fileRemovals.ts'
import type { FileStorage } from '../store/fileStorage.ts'
import { sweepFiles } from '../store/files.ts'
import type { Job } from './schedule.ts'

const batch = 200
const day = 86_400

/** Removes files that nobody uses, announced ones that never came, and the bytes of what has gone. */
export function fileJobs({ database, storage }: { database: Database; storage: FileStorage }): Job[] {
  return [
    {
      name: 'sweep_files',
      everySeconds: 600,
      run: () =>
        database.exclusively('sweep_files', async () => ({
          removed: await database.transaction((_writer, sql) => sweepFiles(sql, { unusedSeconds: day, limit: batch })),
        })),
    },
    {
      name: 'remove_bytes',
      everySeconds: 60,
      run: () => database.exclusively('remove_bytes', async () => ({ removed: await removeDue(database, storage) })),
    },
  ]
}

/** One transaction for each: what could not be removed is tried again at the next turn. */
async function removeDue(database: Database, storage: FileStorage): Promise<number> {
  for (let removed = 0; removed < batch; removed += 1) {
    const isOne = await database.transaction((_writer, sql) => removeOneDue(sql, (key) => storage.remove(key)))
    if (!isOne) return removed
  }
  return batch
}
