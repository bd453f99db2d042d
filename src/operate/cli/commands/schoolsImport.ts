import { stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { schoolFileName } from '../../../config/configDirectory.ts'
import { ConfigError } from '../../../config/configErrors.ts'
import { findSchoolId } from '../../../database/tables/schools.ts'
import { type CommandSession, choice, command, flag, jsonOption, schoolOption, text } from '../command.ts'
import { failure, usage } from '../failures.ts'
import { configurationOf, importSchool, readExport } from '../importSchool.ts'
import { importContent, moveFormats } from '../moveIn/importContent.ts'
import { withProgress } from '../progress.ts'
import { reportProgress } from '../reportProgress.ts'
import { writeNew } from './schoolsCreate.ts'

export const importCommand = command({
  name: 'import <source>',
  summary: `Add a school, or what a school has on another site.
From a directory that schools export wrote, it adds the school: its rows with their ids, accounts with their passwords, keys, files and configuration
file. With another --slug and --issuer it is a second school. The tables must be those of this release, and SECRET_KEY must contain the secret of the
exporting installation. Nothing is added if a row cannot be. With PostgreSQL send SIGHUP to every process afterwards. E-mails and webhooks that waited
are sent from here: see \`outgoing\` in server.yaml.
From a file that WordPress (XML) or Ghost (JSON) exported, it adds posts, pages, pictures, tags, comments and old addresses to the school of --school,
with their dates and without e-mails. It prints what is left out, and why. A second run adds only what is missing, so an interrupted import is repeated:
see docs/move-in.md.
With the embedded database stop the service first.`,
  examples: [
    'schools import ./harbour-export',
    'schools import ./harbour-export --slug quay --issuer https://quay.example.com',
    'schools import wordpress.xml --school demo --dry-run',
    'schools import ghost.json --school demo --from https://blog.example.org --files ./content',
  ],
  hasOwnDryRun: true,
  options: {
    slug: text('slug', 'for a directory: another slug (default: that of the export)'),
    issuer: text('url', 'for a directory: another public address (default: that of the export)'),
    ...schoolOption,
    ...jsonOption,
    format: choice('name', 'for a file: its format (default: wordpress for XML, ghost for JSON)', moveFormats),
    from: text('url', 'for a file: the address of the old site, which an export of Ghost does not contain'),
    files: text(
      'directory',
      'for a file: a copy of the pictures and files of the old site, such as wp-content; they are not downloaded then',
    ),
    as: text('email', 'for a file: the person in whose name posts and pages are made (default: the first owner)'),
    dryRun: flag('for a file: change nothing, and print what would be made and left out'),
  },
  async run(session, { slug, issuer, ...moving }, source) {
    if ((await stat(source).catch(() => undefined))?.isFile()) {
      if (slug !== undefined || issuer !== undefined) throw usage('--slug and --issuer are for directories: name the school with --school')
      return await importContent(session, source, moving)
    }
    const other = (['format', 'from', 'files', 'as'] as const).find((name) => moving[name] !== undefined)
    if (other !== undefined) throw usage(`${source} is not a file: --${other} is for files of WordPress and Ghost`)
    if (moving.dryRun) throw failure(`${source} is not a file, and a directory has no dry run: it is imported as a whole or not at all`)
    await addSchool(session, { slug, issuer }, source)
  },
})

async function addSchool(
  session: CommandSession,
  { slug: given, issuer }: { slug: string | undefined; issuer: string | undefined },
  directory: string,
): Promise<void> {
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
}
