import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { findSchoolId } from '../../store/schools.ts'
import type { Sql } from '../../store/sql.ts'
import { define } from '../define.ts'
import { exportSchool } from '../exportSchool.ts'
import { failure } from '../failures.ts'
import { withProgress } from '../progress.ts'
import { reportProgress } from '../reportProgress.ts'
import type { Session } from '../session.ts'

/** `schools export`. */
export function addExport(group: Command, session: Session): void {
  const { terminal } = session
  define(group, {
    form: 'export <slug>',
    about: `Write everything of a school to a directory: tables/<table>.ndjson with one row as JSON per line, files/<key>, the school's
configuration file, and manifest.json, which is written last. With PostgreSQL, all rows are of one moment; with the embedded database stop
the service first if the school must not change during the export. The files contain personal data and hashes of passwords: keep them safe.`,
    examples: ['schools export harbour --output ./harbour-export'],
  })
    .requiredOption('--output <directory>', 'a new or empty directory')
    .action(async (slug: string, { output }: { output: string }) => {
      const database = await session.database()
      const id = await findSchoolId(database.kysely, slug)
      if (id === undefined) throw failure(`the database has no school ${slug}: see schools list`)
      const { environment } = session.settings()
      const storage = await session.storage()
      const write = (sql: Sql) =>
        exportSchool({
          sql,
          storage,
          school: { id, slug },
          file: join(environment.CONFIG_DIR, 'schools', `${slug}.yaml`),
          save: (name, contents) => terminal.save(output, name, contents),
          onProgress: reportProgress(terminal),
        })
      const { rows, tables, files, missing } = await withProgress(terminal, `exporting ${slug}`, async () =>
        // The embedded database has one connection: a long transaction would stop the service.
        database.kind === 'embedded'
          ? await write(database.sql)
          : await database.script(async (script) => {
              await script.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ')
              return await write(script)
            }),
      )
      await session.change(({ record }) => record({ school_id: id, event: 'operator.school_exported', details: { rows, files } }))
      for (const key of missing) terminal.err(`warning: the storage has no file ${key}\n`)
      terminal.out(`${resolve(output)} contains ${slug}: ${rows} rows of ${tables} tables, ${files} files\n`)
    })
}
