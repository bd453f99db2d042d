import type { Database } from '../store/database.ts'
import { removeOneDue } from '../store/fileRemovals.ts'
import type { FileStorage } from '../store/fileStorage.ts'
import { sweepFiles } from '../store/files.ts'
import { drain } from './drain.ts'
import type { Job } from './schedule.ts'

const batch = 200
const day = 86_400

/** Removes files that nobody uses, announced ones that never came, and the bytes of what has gone. */
export function fileJobs({ database, storage }: { database: Database; storage: FileStorage }): Job[] {
  return [
    {
      name: 'sweep_files',
      everySeconds: 600,
      run: (signal) =>
        database.exclusively('sweep_files', async () => ({
          removed: await drain(() => database.transaction((_writer, sql) => sweepFiles(sql, { unusedSeconds: day, limit: batch })), signal),
        })),
    },
    {
      name: 'remove_bytes',
      everySeconds: 60,
      run: (signal) =>
        database.exclusively('remove_bytes', async () => ({ removed: await drain(() => removeOne(database, storage), signal) })),
    },
  ]
}

/** One transaction for each: what could not be removed is tried again at the next turn. */
const removeOne = (database: Database, storage: FileStorage): Promise<number> =>
  database.transaction(async (_writer, sql) => Number(await removeOneDue(sql, (key) => storage.remove(key))))
