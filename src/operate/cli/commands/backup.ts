import { resolve } from 'node:path'
import { forgetPlace, lastNumbers, raiseNumber, recordRestore } from '../../../database/migrations/restore.ts'
import { listSchools } from '../../../database/tables/schools.ts'
import { openConfiguredFileStorage } from '../../serve/open.ts'
import { makeBackup, readBackup, restoreRows, rowsIn, verifyBackup } from '../backup.ts'
import { choice, command, group, jsonOption, required, schoolOption, text, yesOption } from '../command.ts'
import { failure, usage } from '../failures.ts'
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
      await database.transaction(async (writer) => {
        await forgetPlace(writer)
        await recordRestore(writer, { how: 'backup restore', backupOf: backup.created_at, operator: session.userName })
      })
      await storeFiles({ directory, files: backup.files, storage, onProgress })
      terminal.out(`restored: ${rows} rows and ${backup.files.length} files of ${backup.created_at}\n`)
      terminal.out(nextSteps)
    } finally {
      storage.close()
    }
  },
})

/** Grants that were revoked since, and refresh tokens that were replaced since, are valid again. */
const nextSteps = `
What happened after the backup is gone. Before people use the service:
  schoolgate grants revoke --all-before <time of the restore>   ends tokens that were replaced or revoked since; people allow their apps again
  schoolgate backup numbers                                     shows the last numbers of orders and invoices: raise those that were given out since
  schoolgate outbox release --discard                           ends the hold of e-mails and webhooks, which may have been sent already
docs/deploy.md describes each.
`

const mark = command({
  name: 'mark',
  summary: `Record that the database was restored by other tools, such as a base backup, a snapshot of a disk, or a copy of DATA_DIR. Run it before the
service starts: e-mails and webhooks are then held. A dump that was restored into another database, and backup restore, are noticed without it.`,
  examples: ['backup mark'],
  async run(session) {
    await session.change(({ writer }) => recordRestore(writer, { how: 'backup mark', operator: session.userName }))
    session.terminal.out(`the restore is recorded; e-mails and webhooks are held\n${nextSteps}`)
  },
})

const numbers = command({
  name: 'numbers',
  summary: `Show the last numbers of orders, invoices and credit notes. With --kind and --last, let them continue after a number that was given out
after the backup, so that no number is given out twice.`,
  examples: ['backup numbers', 'backup numbers --kind invoice --last 2026-000512'],
  options: {
    ...schoolOption,
    ...jsonOption,
    kind: choice('kind', 'the numbers to raise', ['order', 'invoice', 'credit_note']),
    last: text('number', 'the last number that was given out: its year and its six digits'),
  },
  async run(session, { kind, last }) {
    if ((kind === undefined) !== (last === undefined)) throw usage('give --kind and --last together')
    if (kind !== undefined && last !== undefined) {
      const [, year, number] = /^(?:[A-Z]+-)?(\d{4})-(\d{6,9})$/.exec(last) ?? []
      if (!year || !number) throw usage(`--last must be a number such as 2026-000512, not ${last}`)
      const school = await session.school()
      const isRaised = await school.change(async ({ writer, record }) => {
        const raised = await raiseNumber(writer, { schoolId: school.id, kind, year: Number(year), last: Number(number) })
        if (raised) await record({ event: 'operator.numbers_raised', details: { kind, last } })
        return raised
      })
      if (!isRaised) throw failure(`numbers of ${school.slug} are at ${last} or higher: nothing was changed`)
    }
    const rows = (await lastNumbers((await session.database()).kysely)).map((row) => ({
      ...row,
      last: `${row.year}-${String(row.last).padStart(6, '0')}`,
    }))
    session.printList(rows, { columns: ['school', 'kind', 'last'], empty: 'no numbers were given out' })
  },
})

export const backup = group(
  {
    name: 'backup',
    summary: 'Makes, checks and restores backups of the whole installation.',
    examples: ['backup create --output ./backup', 'backup verify ./backup'],
  },
  [create, verify, restore, mark, numbers],
)
