import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type MigrationHeader, parseHeader } from './migrationHeader.ts'

export interface Migration {
  name: string
  text: string
  checksum: string
  /** The statements of the file about itself. Undefined for a file without a header. */
  header: MigrationHeader | undefined
  /** True for one statement that cannot run in a transaction: it is complete or repeated. */
  isAlone: boolean
}

/** Headers of migrations that were applied before headers existed. Their files cannot be edited any more. */
const earlierHeaders = 'earlier_headers.txt'

export async function readMigrations(directory: string): Promise<Migration[]> {
  const entries = await readdir(directory, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  const headers = entries.some(({ name }) => name === earlierHeaders)
    ? sectionsOf(await readFile(join(directory, earlierHeaders), 'utf8'))
    : new Map<string, string>()
  return await Promise.all(
    names.toSorted().map(async (name) => {
      const bytes = await readFile(join(directory, name, 'migration.sql'))
      const text = bytes.toString('utf8')
      const checksum = createHash('sha256').update(bytes).digest('hex')
      return { name, text, checksum, header: parseHeader(headers.get(name) ?? text), isAlone: isAlone(text) }
    }),
  )
}

/** True for statements that PostgreSQL refuses in a transaction: work on indexes next to requests, and blocks that commit in parts. */
export const isAlone = (text: string): boolean => /\bCONCURRENTLY\b|^[ \t]*COMMIT[ \t]*;/im.test(withoutComments(text))

export const withoutComments = (text: string): string => text.replace(/^[ \t]*--.*$/gm, '').trim()

/** Returns the texts below each line `## name`. */
function sectionsOf(text: string): Map<string, string> {
  const [, ...sections] = text.split(/^## /m)
  return new Map(
    sections.map((section) => {
      const [name = '', ...lines] = section.split('\n')
      return [name.trim(), lines.join('\n')]
    }),
  )
}
