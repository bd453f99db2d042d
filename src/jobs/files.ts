import type { Database } from '../store/database.ts'
import { removeOneDue } from '../store/fileRemovals.ts'
import type { FileStorage } from '../store/fileStorage.ts'
import { removeTrashedFiles, trashFiles } from '../store/files.ts'
import { findMissingFiles, type MissingFile } from '../store/missingFiles.ts'
import { drain } from './drain.ts'
import { cleanStoredPicture } from './due/cleanStoredPicture.ts'
import type { Job } from './schedule.ts'

const batch = 200
const maxReported = 200
/** A file that nothing needs stays as long as most changes can be taken back, and then in the trash. */
const [unusedDays, trashDays] = [30, 7]

interface FileJobArguments {
  database: Database
  storage: FileStorage
  /** Called for each object that names a file that is gone. */
  onMissingFile(missing: MissingFile): void
}

/**
 * Returns the jobs that move unused files to the trash, delete those in it, files whose upload never arrived, and the bytes of deleted files,
 * that report texts whose files are gone, and that remove the metadata of public pictures that were stored before uploads did.
 */
export function fileJobs({ database, storage, onMissingFile }: FileJobArguments): Job[] {
  return [
    {
      name: 'sweep_files',
      everySeconds: 600,
      run: (signal) =>
        database.exclusively('sweep_files', async () => ({
          removed: await drain(
            () => database.transaction((writer) => removeTrashedFiles(writer, { days: trashDays, limit: batch })),
            signal,
          ),
          trashed: await drain(() => database.transaction((writer) => trashFiles(writer, { days: unusedDays, limit: batch })), signal),
        })),
    },
    {
      name: 'report_missing_files',
      everySeconds: 86_400,
      run: () =>
        database.exclusively('report_missing_files', async () => {
          const missing = await findMissingFiles(database, maxReported)
          missing.forEach(onMissingFile)
          return { missing: missing.length }
        }),
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
