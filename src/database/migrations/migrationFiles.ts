import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

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
    ? sectionsOf(readFileSync(join(directory, earlierHeaders), 'utf8'))
    : new Map<string, string>()
  return names.toSorted().map((name) => {
    // Every start reads all of them: this way takes a tenth of the CPU of promises.
    const bytes = readFileSync(join(directory, name, 'migration.sql'))
    return {
      name,
      checksum: createHash('sha256').update(bytes).digest('hex'),
      get text() {
        return bytes.toString('utf8')
      },
      get header() {
        return parseHeader(headers.get(name) ?? this.text)
      },
      get isAlone() {
        return isAlone(this.text)
      },
    }
  })
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

/** Modes of locks that a migration may hold, weakest first. Those that only reads take are left out. */
export const lockModes = [
  'ROW EXCLUSIVE',
  'SHARE UPDATE EXCLUSIVE',
  'SHARE',
  'SHARE ROW EXCLUSIVE',
  'EXCLUSIVE',
  'ACCESS EXCLUSIVE',
] as const

export type LockMode = (typeof lockModes)[number]

/** Work whose time grows with the rows of a table. */
const workKinds = ['scans', 'indexes', 'rewrites', 'writes'] as const

export interface Work {
  kind: (typeof workKinds)[number]
  table: string
  /** The number of indexes; 1 for other work. */
  times: number
}

/** The statements in the first lines of a migration. `npm run migration` writes them, and `npm run check` compares them with the database. */
export interface MigrationHeader {
  /** The migration that a release must know to run on the database afterwards: `this`, or an earlier one. Undefined if nothing is stated. */
  worksFrom: string | undefined
  /** The strongest lock on each table that existed before. */
  locks: readonly { mode: LockMode; table: string }[]
  /** Work on tables that existed before. Without it every lock is held for a moment. */
  work: readonly Work[]
  /** Why requests may wait for this migration. Written by its author. */
  blocks: string | undefined
}

const labels = { worksFrom: 'Works with releases from', locks: 'Locks', work: 'Work', blocks: 'Blocks requests' } as const

/** Returns the header of a migration; undefined if it has none. */
export function parseHeader(text: string): MigrationHeader | undefined {
  const valueFor = (label: string): string | undefined => new RegExp(`^-- ${label}: (.+)$`, 'm').exec(text)?.[1]?.trim()
  const locks = valueFor(labels.locks)
  if (locks === undefined) return undefined
  return {
    worksFrom: valueFor(labels.worksFrom),
    locks: locks === 'none' ? [] : locks.split(', ').map(parseLock),
    work: (valueFor(labels.work)?.split(', ') ?? []).map(parseWork),
    blocks: valueFor(labels.blocks),
  }
}

export function formatHeader({ worksFrom, locks, work, blocks }: MigrationHeader): string {
  const lines = [
    worksFrom !== undefined && `${labels.worksFrom}: ${worksFrom}`,
    `${labels.locks}: ${locks.length === 0 ? 'none' : locks.map(({ mode, table }) => `${mode} on ${table}`).join(', ')}`,
    work.length > 0 && `${labels.work}: ${work.map(formatWork).join(', ')}`,
    blocks !== undefined && `${labels.blocks}: ${blocks}`,
  ]
  return lines.flatMap((line) => (line === false ? [] : [`-- ${line}\n`])).join('')
}

export const withoutHeader = (text: string): string =>
  text.replace(new RegExp(`^-- (?:${Object.values(labels).join('|')}): .*\\n`, 'gm'), '').replace(/^\n+/, '')

function parseLock(text: string): MigrationHeader['locks'][number] {
  const mode = lockModes.find((one) => text.startsWith(`${one} on `))
  if (mode === undefined) throw new Error(`the header of a migration names an unknown lock: ${text}`)
  return { mode, table: text.slice(`${mode} on `.length) }
}

const formatWork = ({ kind, table, times }: Work): string =>
  kind === 'indexes' ? `builds ${times} ${times === 1 ? 'index' : 'indexes'} of ${table}` : `${kind} ${table}`

function parseWork(text: string): Work {
  const { times, table: indexed = '' } = /^builds (?<times>\d+) index(?:es)? of (?<table>\w+)$/.exec(text)?.groups ?? {}
  if (times !== undefined) return { kind: 'indexes', table: indexed, times: Number(times) }
  const kind = workKinds.find((one) => text.startsWith(`${one} `))
  if (kind === undefined) throw new Error(`the header of a migration names unknown work: ${text}`)
  return { kind, table: text.slice(`${kind} `.length), times: 1 }
}
