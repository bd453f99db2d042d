import { unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { reasonOf } from '../../../base/log/reason.ts'
import { checkFile } from '../../../config/checkFile.ts'
import { schoolFileName } from '../../../config/configDirectory.ts'
import { ConfigError } from '../../../config/configErrors.ts'
import { schoolSchema } from '../../../config/schools.ts'
import { findSchoolId } from '../../../database/tables/schools.ts'
import { makeMissingKeys } from '../../../identity/oidc/signingKeys.ts'
import { command, required, text } from '../command.ts'
import { failure, usage } from '../failures.ts'
import { withProgress } from '../progress.ts'

export const create = command({
  name: 'create <slug>',
  summary: `Create a school: write schools/<slug>.yaml, check the whole configuration, and create the school's row and signing keys. A running
service with the embedded database serves it immediately; otherwise send SIGHUP to every process. Then create the first owner with people
create.`,
  examples: [
    'schools create harbour --issuer https://harbour.example.com',
    'schools create harbour --issuer https://harbour.example.com --name "Harbour School" --locale de --time-zone Europe/Berlin --currency EUR',
  ],
  options: {
    issuer: required(text('url', 'public address of the school, such as https://school.example.com')),
    name: text('text', 'name of the school (default: derived from the slug)'),
    locale: text('tag', 'language of the content (default: en)'),
    timeZone: text('name', 'time zone of the IANA database (default: UTC)'),
    currency: text('code', 'currency code of ISO 4217 (default: EUR)'),
    contactEmail: text('email', 'contact address of the school'),
  },
  async run(session, options, slug) {
    const { terminal } = session
    if (!schoolFileName.test(`${slug}.yaml`)) throw usage(`${slug} is not a slug: use at most 63 letters a-z, digits and single hyphens`)
    const text = fileOf(options)
    const { environment, config } = session.settings()
    if (config.schools.some((school) => school.slug === slug)) throw failure(`school ${slug} exists: see schools list`)
    const database = await session.database()
    if ((await findSchoolId(database.kysely, slug)) !== undefined)
      throw failure(`the database has data of an earlier school ${slug}: remove them with schools remove ${slug}, or choose another slug`)
    const path = join(environment.CONFIG_DIR, 'schools', `${slug}.yaml`)
    await writeNew(path, text)
    try {
      session.rereadSettings()
    } catch (error) {
      await unlink(path)
      throw error instanceof ConfigError ? failure(`the school was not created: ${error.message}`) : error
    }
    const school = await session.schoolToFill(slug)
    const keyring = session.keyring()
    await withProgress(terminal, 'generating keys', () => makeMissingKeys({ database, schoolId: school.id, keyring }))
    await school.change(({ record }) => record({ event: 'operator.school_created', details: { slug, issuer: options.issuer } }))
    terminal.out(`${path} is written, and ${slug} has its row and signing keys\n`)
    if (session.service) {
      await session.service.reload()
      return terminal.out(`the service serves ${options.issuer} now\n`)
    }
    terminal.err('Running processes serve the school after a SIGHUP or a restart.\n')
  },
})

interface CreateOptions {
  issuer: string
  name?: string | undefined
  locale?: string | undefined
  timeZone?: string | undefined
  currency?: string | undefined
  contactEmail?: string | undefined
}

function fileOf({ issuer, name, locale, timeZone, currency, contactEmail }: CreateOptions): string {
  const defaults = Object.entries({ name, contact_email: contactEmail, locale, time_zone: timeZone, currency }).filter(
    ([, value]) => value !== undefined,
  )
  const text = `# yaml-language-server: $schema=../schema.json#/$defs/school
${stringify({ issuer })}
# Read once, when the school is created. Later, its staff maintain these values.
${stringify({ defaults: Object.fromEntries(defaults) })}`
  const { issues } = checkFile('', text, schoolSchema)
  if (issues.length > 0) throw usage(issues.map(({ key, expected }) => `${optionOf(key)} ${expected}`).join('; '))
  return text
}

const optionOf = (key: string): string => `--${key.replace('defaults.', '').replaceAll('_', '-')}`

/** @throws CommanderError with the text, if the directory takes no file of this name */
export async function writeNew(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx', mode: 0o644 })
  } catch (error) {
    throw failure(`cannot write ${path} (${reasonOf(error)}): make the directory writable, or add this file yourself:\n${text}`)
  }
}
