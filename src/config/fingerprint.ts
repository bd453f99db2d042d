import { createHmac } from 'node:crypto'
import { isSame } from '../base/keyring.ts'
import type { Environment } from './environment.ts'
import type { Config } from './load.ts'

/** The settings of a process as digests: they can be compared and stored, and nothing can be read from them. */
export interface Fingerprint {
  /** Short digest of all settings. Processes with the same one have the same settings. */
  hash: string
  digests: Readonly<Record<string, string>>
}

/** Variables that may differ between the processes of one installation: the process itself, and how it reaches the database. */
const ownVariables: ReadonlySet<string> = new Set<keyof Environment>([
  ...(['PORT', 'HOST', 'ADMIN_PORT', 'CONFIG_DIR', 'DATA_DIR', 'WORKERS', 'START_TIMEOUT_SECONDS', 'LOG_LEVEL', 'LOG_FORMAT'] as const),
  ...(['DATABASE_URL', 'DEMO_NOW'] as const),
  // Part of the issuer of the demo school.
  'BASE_URL',
])

/** Settings below this depth have the digest of the setting that contains them: `schools.demo.integrations`. */
const deepest = 3

export interface Settings {
  config: Config
  environment: Environment
  keys: readonly Buffer[]
}

export function fingerprintOf(settings: Settings): Fingerprint {
  const [newest] = settings.keys
  if (!newest) throw new Error('a fingerprint needs a key')
  const digests = Object.fromEntries(settingsOf(settings).map(([key, text]) => [key, digestOf(newest, text)]))
  return { hash: digestOf(newest, JSON.stringify(digests)).slice(0, 12), digests }
}

/** Returns the dotted keys of the settings that differ from the stored digests. An earlier SECRET_KEY in the list explains older digests. */
export function changedSettings(stored: Readonly<Record<string, unknown>>, settings: Settings): string[] {
  const current = new Map(settingsOf(settings))
  const isUnchanged = (key: string): boolean => {
    const [text, digest] = [current.get(key), stored[key]]
    return text !== undefined && typeof digest === 'string' && settings.keys.some((secret) => isSame(digestOf(secret, text), digest))
  }
  return [...new Set([...Object.keys(stored), ...current.keys()])].filter((key) => !isUnchanged(key)).toSorted()
}

function settingsOf({ config: { schools, ...files }, environment, keys }: Settings): [key: string, text: string][] {
  const shared = Object.entries(environment).filter(([name]) => !ownVariables.has(name) && !name.endsWith('_FILE'))
  // The secret itself may be in a file.
  const variables = [...shared, ['SECRET_KEY', keys.map((key) => key.toString('base64url'))]]
  const bySlug = Object.fromEntries(schools.map(({ slug, ...school }) => [slug, school]))
  const all = leaves({ environment: Object.fromEntries(variables), ...files, schools: bySlug }, [])
  return [...all].toSorted(([a], [b]) => (a < b ? -1 : 1))
}

function* leaves(value: unknown, path: string[]): Generator<[string, string]> {
  if (value === undefined) return
  if (path.length === deepest || typeof value !== 'object' || value === null || Array.isArray(value)) {
    yield [path.join('.'), JSON.stringify(value)]
    return
  }
  for (const [key, member] of Object.entries(value)) yield* leaves(member, [...path, key])
}

const digestOf = (key: Buffer, text: string): string => createHmac('sha256', key).update(text).digest('base64url').slice(0, 16)
