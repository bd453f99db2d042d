import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { schoolFileName } from '../../../config/configDirectory.ts'
import { ConfigError } from '../../../config/configErrors.ts'
import { findSchoolId } from '../../../database/tables/schools.ts'
import { command, text } from '../command.ts'
import { failure, usage } from '../failures.ts'
import { configurationOf, importSchool, readExport } from '../importSchool.ts'
import { withProgress } from '../progress.ts'
import { reportProgress } from '../reportProgress.ts'
import { writeNew } from './schoolsCreate.ts'

export const importCommand = command({
  name: 'import <directory>',
  summary: `Add a school from the directory that schools export wrote: its rows with their ids, accounts with their passwords, keys, files and
configuration file. With another --slug and --issuer it is a second school. The tables must be those of this release, and SECRET_KEY must contain the
secret of the exporting installation. Nothing is added if a row cannot be. With the embedded database stop the service first; with PostgreSQL send
SIGHUP to every process afterwards. E-mails and webhooks that waited are sent from here: see \`outgoing\` in server.yaml.`,
  examples: ['schools import ./harbour-export', 'schools import ./harbour-export --slug quay --issuer https://quay.example.com'],
  options: {
    slug: text('slug', 'another slug (default: that of the export)'),
    issuer: text('url', 'another public address (default: that of the export)'),
  },
  async run(session, { slug: given, issuer }, directory) {
    const { terminal } = session
    const manifest = await readExport(directory)
    const slug = given ?? manifest.slug
    if (!schoolFileName.test(`${slug}.yaml`)) throw usage(`${slug} is not a slug: use at most 63 letters a-z, digits and single hyphens`)
    const { environment, config } = session.settings()
    const database = await session.database()
    const isTaken = config.schools.some((school) => school.slug === slug) || (await findSchoolId(database.kysely, slug)) !== undefined
    if (isTaken) throw failure(`school ${slug} exists: choose another slug with --slug`)
    const path = join(environment.CONFIG_DIR, 'schools', `${slug}.yaml`)
    const [keyring, storage] = [session.keyring(), await session.storage()]
    await writeNew(path, await configurationOf(directory, manifest, issuer))
    try {
      session.rereadSettings()
      const onProgress = reportProgress(terminal)
      const imported = await withProgress(terminal, `importing ${slug}`, () =>
        importSchool({ directory, manifest, slug, database, storage, keyring, onProgress }),
      )
      const details = { slug, rows: imported.rows, files: manifest.files.length }
      await session.change(({ record }) => record({ school_id: imported.schoolId, event: 'operator.school_imported', details }))
      for (const key of manifest.missing_files) terminal.err(`warning: the export has no file ${key}\n`)
      terminal.out(`${slug} is imported: ${imported.rows} rows and ${manifest.files.length} files; its configuration is ${path}\n`)
      terminal.err('Running processes serve the school after a SIGHUP or a restart.\n')
    } catch (error) {
      await unlink(path)
      throw error instanceof ConfigError ? failure(`the school was not imported: ${error.message}`) : error
    }
  },
})
