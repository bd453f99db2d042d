import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { nearest } from '../base/text/nearest.ts'
import { ConfigError, type ConfigIssue } from './configErrors.ts'
import { isMissing, reasonOf } from './configFile.ts'

const configFileNames = ['server.yaml', 'oauth.yaml', 'resources.yaml', 'roles.yaml'] as const

const generated = ['README.md', 'schema.json']
const schoolsFolder = 'schools'
/** The file name of a school: its slug with the extension. */
export const schoolFileName = /^([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)\.yaml$/

export interface SchoolFileName {
  slug: string
  path: string
}

/**
 * Lists the configuration directory. An unknown file is an error, because its author expects it to take effect.
 * Names that begin with a dot are ignored: editors and volume mounts create them. Other backup copies of editors and package managers are
 * ignored too, and listed.
 * @throws ConfigError if the directory does not exist
 */
export function listConfigDirectory(directory: string): { schools: SchoolFileName[]; issues: ConfigIssue[]; ignored: ConfigIssue[] } {
  const known = [...configFileNames, ...generated, schoolsFolder]
  const entries = list(directory)
  const folder = join(directory, schoolsFolder)
  if (typeof entries === 'string') {
    const way = 'set CONFIG_DIR to the configuration directory'
    throw new ConfigError([{ file: directory, key: '', expected: entries === 'missing' ? `does not exist: ${way}` : `${entries}: ${way}` }])
  }
  const unknown = entries
    .filter((name) => !known.includes(name) && !isBackup(name))
    .map((name): ConfigIssue => ({ file: join(directory, name), key: '', expected: 'is not a known file', nearest: nearest(name, known) }))
  const schoolEntries = list(folder)
  const { schools, issues } = listSchools(folder, typeof schoolEntries === 'string' ? schoolEntries : schoolEntries.filter(isNoBackup))
  const backups = [
    ...entries.filter(isBackup).map((name) => join(directory, name)),
    ...(typeof schoolEntries === 'string' ? [] : schoolEntries.filter(isBackup).map((name) => join(folder, name))),
  ]
  const ignored = backups.map((file): ConfigIssue => ({ file, key: '', expected: 'looks like a backup copy and is ignored' }))
  return { schools, issues: [...unknown, ...issues], ignored }
}

/** True for the names that editors and package managers give to copies of a file. */
const isBackup = (name: string): boolean =>
  /(~|\.(bak|backup|orig|old|rej|save|sw[a-p]|tmp|rpmnew|rpmsave|dpkg-(old|dist|new)))$|^#.*#$/i.test(name)
const isNoBackup = (name: string): boolean => !isBackup(name)

function listSchools(folder: string, entries: string[] | string): { schools: SchoolFileName[]; issues: ConfigIssue[] } {
  if (typeof entries === 'string' && entries !== 'missing') return { schools: [], issues: [{ file: folder, key: '', expected: entries }] }
  const names = typeof entries === 'string' ? [] : entries
  const schools = names.flatMap((name) => {
    const slug = schoolFileName.exec(name)?.[1]
    return slug === undefined ? [] : [{ slug, path: join(folder, name) }]
  })
  const expected = 'is not a school: its name must be <slug>.yaml, the slug of at most 63 letters a-z, digits and single words joined by -'
  const issues: ConfigIssue[] = names
    .filter((name) => !schoolFileName.test(name))
    .map((name) => ({ file: join(folder, name), key: '', expected }))
  if (names.length === 0)
    issues.push({ file: folder, key: '', expected: 'must contain a school: add <slug>.yaml with at least the line issuer: https://HOST' })
  return { schools, issues }
}

/** Returns the sorted names in a directory, or the error as text. */
function list(directory: string): string[] | string {
  try {
    return readdirSync(directory)
      .filter((name) => !name.startsWith('.'))
      .toSorted()
  } catch (error) {
    return isMissing(error) ? 'missing' : `cannot be listed: ${reasonOf(error)}`
  }
}
