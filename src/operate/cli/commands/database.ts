import { join, resolve } from 'node:path'
import { lockDirectory } from '../../../database/connection/directoryLock.ts'
import { hasEmbeddedDatabase, openDatabase } from '../../../database/connection/openDatabase.ts'
import { recordAudit } from '../../../database/tables/audit.ts'
import { listSchools } from '../../../database/tables/schools.ts'
import { copyDatabase, UnusableTarget } from '../../../database/transfer/copyDatabase.ts'
import { migrationsDirectory } from '../../serve/start.ts'
import { command, group, required, text } from '../command.ts'
import { failure, reasonOf, usage } from '../failures.ts'
import { withProgress } from '../progress.ts'
import { reportProgress } from '../reportProgress.ts'

const copy = command({
  name: 'copy',
  summary: `Copy the embedded database of DATA_DIR to an empty database of a PostgreSQL server: every row of every table, with all keys. Stop the
service first. If the command is interrupted, run it again: it continues. At the end it compares the number of rows and the hashes of every
table; until then the target is refused by every process. Files are not copied: they stay in DATA_DIR or in the bucket of STORAGE_URL, and the
copy refers to them. Then start the service with the new DATABASE_URL and the same SECRET_KEY, DATA_DIR and STORAGE_URL. Set PGPASSWORD, if the
password should not be in the list of processes.`,
  examples: ['database copy --to postgres://schoolgate@db.example.com/schoolgate'],
  options: { to: required(text('url', 'address of the empty database, as DATABASE_URL')) },
  async run(session, { to }) {
    const { terminal } = session
    const { DATABASE_URL: url, DATA_DIR: directory } = session.settings().environment
    if (!/^postgres(ql)?:\/\//.test(to)) throw usage('--to must begin with postgres:// or postgresql://')
    if (url !== undefined) throw failure('DATABASE_URL is set, so there is no embedded database to copy: unset it for this command')
    if (!hasEmbeddedDatabase(directory))
      throw failure(`${resolve(directory)} contains no embedded database: set DATA_DIR as the service has it`)
    await requireStopped(join(directory, 'db'))
    const source = await session.database()
    const target = await openDatabase({ databaseUrl: to, dataDirectory: directory, poolSize: 1 })
    try {
      await target.ping().catch((error) => {
        throw failure(`the target cannot be opened: ${reasonOf(error)}; check --to, and that the server is running`)
      })
      const { rows, tables, isContinued } = await withProgress(terminal, 'copying', () =>
        copyDatabase({ source, target, migrations: migrationsDirectory, onProgress: reportProgress(terminal) }),
      )
      await target.transaction(async (writer) => {
        const details = { operator: session.userName, rows }
        await recordAudit(
          writer,
          (await listSchools(writer)).map(({ id }) => ({ school_id: id, event: 'operator.database_copied', details })),
        )
      })
      terminal.out(`${isContinued ? 'continued and copied' : 'copied'}: ${rows} rows of ${tables} tables, compared by number and hash\n`)
      terminal.out(`${filesSentence(session.settings().environment)}\n`)
      terminal.out('Start the service with DATABASE_URL set to the new database. The former one stays in DATA_DIR/db: delete it later.\n')
    } catch (error) {
      throw error instanceof UnusableTarget ? failure(error.message) : error
    } finally {
      await target.close()
    }
  },
})

const filesSentence = ({ STORAGE_URL, DATA_DIR }: { STORAGE_URL?: string | undefined; DATA_DIR: string }): string =>
  STORAGE_URL
    ? 'The files stay in the bucket of STORAGE_URL.'
    : `The files stay in ${resolve(DATA_DIR, 'files')}: keep DATA_DIR as it is. Several machines need them in a bucket or a shared directory.`

/** @throws CommanderError if a process has opened the database */
async function requireStopped(directory: string): Promise<void> {
  try {
    const lock = await lockDirectory(directory)
    lock.release()
  } catch (error) {
    const [, holder] = /is in use by (.*?)\. Stop/.exec(reasonOf(error)) ?? []
    if (holder === undefined) throw error
    throw failure(`the service runs on ${directory} (${holder}): stop it, then run this command again`)
  }
}

export const database = group(
  {
    name: 'database',
    summary: 'Moves the data of the installation to another database.',
    examples: ['database copy --to postgres://schoolgate@db.example.com/schoolgate'],
  },
  [copy],
)
