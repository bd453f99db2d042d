import type { Database } from '../store/database.ts'
import { removeOneDue } from '../store/fileRemovals.ts'
import type { FileStorage } from '../store/fileStorage.ts'
import { sweepFiles } from '../store/files.ts'
import { drain } from './drain.ts'
import { cleanStoredPicture } from './due/cleanStoredPicture.ts'
import type { Job } from './schedule.ts'

const batch = 200
const day = 86_400

/**
 * Returns the jobs that delete unused files, files whose upload never arrived, and the bytes of deleted files, and the job that removes the
 * metadata of public pictures that were stored before uploads did.
 */
export function fileJobs({ database, storage }: { database: Database; storage: FileStorage }): Job[] {
  return [
    {
      name: 'sweep_files',
      everySeconds: 600,
      run: (signal) =>
        database.exclusively('sweep_files', async () => ({
          removed: await drain(() => database.transaction((writer) => sweepFiles(writer, { unusedSeconds: day, limit: batch })), signal),
        })),
    },
    {
      name: 'remove_bytes',
      everySeconds: 60,
      run: (signal) =>
        database.exclusively('remove_bytes', async () => ({ removed: await drain(() => removeOne(database, storage), signal) })),
    },
    {
      name: 'clean_pictures',
      everySeconds: 600,
      run: (signal) =>
        database.exclusively('clean_pictures', async () => ({ changed: await drain(() => cleanOne(database, storage), signal) })),
    },
  ]
}

/** Cleans one picture that was stored before, and returns how many there were. */
const cleanOne = async (database: Database, storage: FileStorage): Promise<number> =>
  Number(await cleanStoredPicture({ database, storage }))

/** Removes the bytes of one file in its own transaction. The next run retries a removal that failed. */
const removeOne = (database: Database, storage: FileStorage): Promise<number> =>
  database.transaction(async (writer) => Number(await removeOneDue(writer, (key) => storage.remove(key))))
