import { unlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { readOneState } from '../../../database/connection/serverFacts.ts'
import type { Sql } from '../../../database/connection/sql.ts'
import { findSchoolId, listSchools } from '../../../database/tables/schools.ts'
import { command, dryRunOption, group, jsonOption, required, text } from '../command.ts'
import { exportSchool } from '../exportSchool.ts'
import { failure, usage } from '../failures.ts'
import { withProgress } from '../progress.ts'
import { countSchool, describeRemoval, removalEffects, removeSchool } from '../removeSchool.ts'
import { reportProgress } from '../reportProgress.ts'
import { moment } from '../table.ts'
import { create } from './schoolsCreate.ts'
import { importCommand } from './schoolsImport.ts'

const list = command({
  name: 'list',
  summary: 'List every school that has a file or data.',
  examples: ['schools list', 'schools list --json'],
  options: jsonOption,
  async run(session) {
    const configured = session.settings().config.schools
    const stored = new Map((await listSchools((await session.database()).kysely)).map((row) => [row.slug, row]))
    const slugs = [...new Set([...configured.map(({ slug }) => slug), ...stored.keys()])].toSorted()
    const rows = slugs.map((slug) => {
      const file = configured.find((school) => school.slug === slug)
      const row = stored.get(slug)
      return {
        slug,
        name: row?.name ?? file?.defaults.name ?? null,
        issuer: file?.issuer ?? null,
        is_configured: file !== undefined,
        has_data: row !== undefined,
        created_at: moment(row?.created_at ?? null),
      }
    })
    session.printList(rows, { columns: ['slug', 'name', 'issuer', 'is_configured', 'has_data'], empty: 'no schools' })
  },
})

const exportCommand = command({
  name: 'export <slug>',
  summary: `Write everything of a school to a directory: tables/<table>.ndjson with one row as JSON per line, files/<key>, the school's
configuration file, and manifest.json, which is written last. With PostgreSQL, all rows are of one moment; with the embedded database stop
the service first if the school must not change during the export. The files contain personal data and hashes of passwords: keep them safe.`,
  examples: ['schools export harbour --output ./harbour-export'],
  options: { output: required(text('directory', 'a new or empty directory')) },
  async run(session, { output }, slug) {
    const { terminal } = session
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
            await readOneState(script)
            return await write(script)
          }),
    )
    await session.change(({ record }) => record({ school_id: id, event: 'operator.school_exported', details: { rows, files } }))
    for (const key of missing) terminal.err(`warning: the storage has no file ${key}\n`)
    terminal.out(`${resolve(output)} contains ${slug}: ${rows} rows of ${tables} tables, ${files} files\n`)
  },
})

const remove = command({
  name: 'remove <slug>',
  summary: `Delete a school: its configuration file, every row in the database, its files and its keys in Redis. This cannot be undone:
export the school or make a backup first. Asks for the slug; scripts repeat it with --confirm. With PostgreSQL, delete the file yourself and
restart every process first, because running processes serve a school until they restart.`,
  examples: ['schools remove harbour', 'schools remove harbour --dry-run', 'schools remove harbour --confirm harbour'],
  options: { ...dryRunOption, confirm: text('slug', 'the slug again, instead of the question') },
  async run(session, { confirm, dryRun }, slug) {
    const { terminal } = session
    if (confirm === undefined && !dryRun && !terminal.isInteractive)
      throw usage(`this command asks for confirmation, and the input is not a terminal: add --confirm ${slug}`)
    if (confirm !== undefined && confirm !== slug) throw usage(`--confirm must be ${slug}, the slug of the school; nothing was changed`)
    const { environment, config } = session.settings()
    const database = await session.database()
    const isConfigured = config.schools.some((school) => school.slug === slug)
    const path = join(environment.CONFIG_DIR, 'schools', `${slug}.yaml`)
    if (isConfigured && config.schools.length === 1)
      throw failure(`${slug} is the only school of the configuration: create another one first`)
    if (isConfigured && database.kind === 'postgresql')
      throw failure(`${path} defines ${slug}: delete the file, restart every process, and run this command again`)
    const schoolId = await findSchoolId(database.kysely, slug)
    if (schoolId === undefined && !isConfigured) throw failure(`school ${slug} does not exist: see schools list`)
    const contents = schoolId === undefined ? { rows: 0, tables: {}, files: [] } : await countSchool(session, schoolId)
    await session.endDryRun(() => removalEffects(contents))
    if (confirm === undefined) {
      const what = `${contents.rows} rows, ${contents.files.length} files${isConfigured ? ` and ${path}` : ''}`
      const answer = await terminal.ask(`Delete ${what}? Type the slug ${slug} to confirm: `)
      if (answer.trim() !== slug) throw failure('nothing was changed')
    }
    if (isConfigured) {
      await session.service?.withdraw(slug)
      await unlink(path)
    }
    const removal = schoolId === undefined ? undefined : await removeSchool(session, schoolId, contents)
    await session.change(async ({ writer, record }) => {
      const details = { slug, rows: removal?.rows ?? 0, files: removal?.files ?? 0 }
      for (const { id } of await listSchools(writer)) await record({ school_id: id, event: 'operator.school_removed', details })
    })
    terminal.out(`the school ${slug} is deleted${removal ? `: ${describeRemoval(removal)}` : ''}\n`)
  },
})

export const schools = group(
  {
    name: 'schools',
    summary: 'Manages the schools. Each has a file in the configuration.',
    examples: ['schools list', 'schools create harbour --issuer https://harbour.example.com'],
  },
  [create, exportCommand, importCommand, remove, list],
)
