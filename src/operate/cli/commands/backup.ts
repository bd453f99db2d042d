import { resolve } from 'node:path'
import { listSchools } from '../../../database/tables/schools.ts'
import { openConfiguredFileStorage } from '../../serve/open.ts'
import { makeBackup, readBackup, restoreRows, rowsIn, verifyBackup } from '../backup.ts'
import { command, group, required, text, yesOption } from '../command.ts'
import { withProgress } from '../progress.ts'
import { reportProgress } from '../reportProgress.ts'
import { storeFiles } from '../savedFolder.ts'

const create = command({
  name: 'create',
  summary: `Write a backup of the whole installation to a directory: every row of the database, of one moment, and every file. With PostgreSQL the
service keeps serving; with the embedded database its requests wait while rows are read. SECRET_KEY and the configuration are not part of it. The
backup contains personal data and hashes of passwords: keep it safe, and verify it.`,
  examples: ['backup create --output ./backup'],
  options: { output: required(text('directory', 'a new or empty directory')) },
  async run(session, { output }) {
    const { terminal } = session
    const [database, storage] = [await session.database(), await session.storage()]
    const backup = await withProgress(terminal, 'making the backup', () =>
      makeBackup(database, {
        storage,
        save: (name, contents) => terminal.save(output, name, contents),
        onProgress: reportProgress(terminal),
      }),
    )
    await session.change(async ({ writer, record }) => {
      for (const { id } of await listSchools(writer))
        await record({ school_id: id, event: 'operator.backup_made', details: { rows: rowsIn(backup) } })
    })
    for (const key of backup.missing_files) terminal.err(`warning: the storage has no file ${key}\n`)
    terminal.out(
      `${resolve(output)} contains ${rowsIn(backup)} rows and ${backup.files.length} files. Check it with schoolgate backup verify\n`,
    )
  },
})

const verify = command({
  name: 'verify <directory>',
  summary: `Restore a backup into a throwaway database in a temporary directory, and compare the number and the hashes of the rows of each table
and of each file with the manifest. It needs neither the service nor its database.`,
  examples: ['backup verify ./backup'],
  async run(session, _options, directory) {
    const { terminal } = session
    const backup = await readBackup(directory)
    const rows = await withProgress(terminal, 'restoring into a throwaway database', () =>
      verifyBackup(directory, backup, reportProgress(terminal)),
    )
    terminal.out(`${resolve(directory)} can be restored: ${rows} rows and ${backup.files.length} files of ${backup.created_at}\n`)
  },
})

const restore = command({
  name: 'restore <directory>',
  summary: `Restore a backup into an empty database (DATABASE_URL, or the embedded one in DATA_DIR) and its files into the file storage. Stop the service
first, and empty Redis: its contents belong to the former database. The same SECRET_KEY and configuration are needed.`,
  examples: ['backup restore ./backup', 'backup restore ./backup --yes'],
  options: yesOption,
  async run(session, _options, directory) {
    const { terminal } = session
    const backup = await readBackup(directory)
    const storage = await openConfiguredFileStorage(session.settings().environment)
    try {
      await session.confirm(
        `Restore ${rowsIn(backup)} rows into the empty database, and ${backup.files.length} files (${storage.describe()})?`,
      )
      const database = await session.newOrOldDatabase()
      const onProgress = reportProgress(terminal)
      const rows = await withProgress(terminal, 'restoring', () => restoreRows(database, { directory, backup, onProgress }))
      await storeFiles({ directory, files: backup.files, storage, onProgress })
      terminal.out(`restored: ${rows} rows and ${backup.files.length} files of ${backup.created_at}\n`)
    } finally {
      storage.close()
    }
  },
})

export const backup = group(
  {
    name: 'backup',
    summary: 'Makes, checks and restores backups of the whole installation.',
    examples: ['backup create --output ./backup', 'backup verify ./backup'],
  },
  [create, verify, restore],
)
