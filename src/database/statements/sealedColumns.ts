import type { KeptKeys, KeyPurpose, Keyring } from '../../base/keyring.ts'
import type { Sql } from '../connection/sql.ts'
import { type ColumnName, columns, type TableName } from './columns.ts'

export interface SealedColumn {
  table: TableName
  name: string
  /** The sealed text, and what the column stores for one: expressions. */
  text: string
  stored(sealed: string): string
  /** The rows that are still of use. */
  where: string
}

/** A column with sealed values. `isBrief`: it ends by itself within a month or so; anything else stays lost without its secret. */
interface Stored {
  what: string
  isBrief: boolean
  columns: readonly SealedColumn[]
  /** Rows with a signature, which names no secret. The keys that verify it can be kept without the secret. */
  signed?: Pick<SealedColumn, 'table' | 'where'>
}

const column = <Table extends TableName>(table: Table, name: ColumnName<Table>, more: Partial<SealedColumn> = {}): SealedColumn => ({
  ...{ table, name, text: columns(table, [name]), stored: (sealed) => sealed, where: `${name} IS NOT NULL` },
  ...more,
})

/** Recovery codes of release 1.0.0. */
export const signedCodes = { table: 'recovery_code', where: 'used_at IS NULL AND slow_hash IS NULL' } as const

/** Clients keep ID tokens as hints for as long as grants live, a year by default. */
const keyIsUsed = "retired_at IS NULL OR retired_at > now() - interval '365 days'"

/**
 * The stored values of each purpose of SECRET_KEY. A new purpose does not compile until it is here, so nothing that a secret opens is left out
 * of the count. `ends`: what is not stored in the database, and how it ends with the secret.
 */
export const sealedByPurpose: Readonly<Record<KeyPurpose, Stored | { ends: string }>> = {
  'signing keys': { what: 'signing keys', isBrief: false, columns: [column('signing_key', 'private_jwk', { where: keyIsUsed })] },
  'authenticator apps': { what: 'authenticator apps', isBrief: false, columns: [column('authenticator_app', 'secret')] },
  'recovery codes': { what: 'recovery codes', isBrief: false, columns: [], signed: signedCodes },
  'kept keys': { what: 'kept keys of removed secrets', isBrief: false, columns: [column('installation', 'kept_keys')] },
  calendars: { what: 'calendar addresses', isBrief: false, columns: [column('calendar_feed', 'sealed_token')] },
  undo: {
    what: 'changes that can be taken back',
    isBrief: true,
    columns: [
      column('undo_record', 'sealed'),
      column('undo_record', 'effect'),
      column('undo_image', 'sealed'),
      column('undo_image', 'effect'),
    ],
  },
  approvals: {
    what: 'requests that wait for a decision',
    isBrief: true,
    columns: [column('proposal_request', 'sealed'), column('proposal_request', 'response')],
  },
  outbox: {
    what: 'e-mails and work that wait',
    isBrief: true,
    columns: [
      column('outbox', 'payload', {
        ...{ text: "payload #>> '{}'", stored: (sealed) => `to_jsonb(${sealed})`, where: "jsonb_typeof(payload) = 'string'" },
      }),
    ],
  },
  artifacts: {
    what: 'browser sessions in the database',
    isBrief: true,
    columns: [column('oidc_artifact', 'payload', { where: "model IN ('Session', 'Interaction') AND expires_at > now()" })],
  },
  'kept forms': {
    what: 'forms that wait for a sign-in',
    isBrief: true,
    columns: [column('oidc_artifact', 'payload', { where: "model = 'KeptForm' AND expires_at > now()" })],
  },
  // An earlier release stored them as they are.
  'stored responses': {
    what: 'responses to repeated requests',
    isBrief: true,
    columns: [column('idempotency_record', 'body', { where: "body ~ '^[A-Za-z0-9_-]' AND expires_at > now()" })],
  },
  cookies: { ends: 'sessions: people sign in again' },
  csrf: { ends: 'forms that are open' },
  cursors: { ends: 'cursors of lists: clients begin again' },
  uploads: { ends: 'signed addresses of uploads' },
  downloads: { ends: 'signed addresses of files' },
  'known browsers': { ends: 'unless its keys are kept, browsers that people have signed in with: they get an e-mail about a new one' },
  'sign-in steps': { ends: 'sign-ins that have begun' },
  'passkey challenges': { ends: 'passkey prompts that are open' },
  confirmations: { ends: 'confirmations of the last ten minutes' },
  probes: { ends: 'nothing: checks of the doctor' },
  forms: { ends: 'forms of the public pages that are open' },
  configuration: { ends: 'nothing: the next start records every shared setting as changed' },
  'secret ids': { ends: 'nothing: they name the secrets of sealed values' },
  'unsubscribe links': { ends: 'unless its keys are kept, links to unsubscribe in e-mails that were sent' },
}

/** The number of values of one kind, by what opens them. */
export interface SealedCount {
  what: string
  isBrief: boolean
  /** By position in SECRET_KEY, newest first. */
  bySecret: number[]
  /** Signatures, for which any secret may be needed whose key is not kept. */
  unknown: number
  /** Values that no secret opens. */
  lost: number
}

export const storedPurposes = (Object.entries(sealedByPurpose) as [KeyPurpose, Stored | { ends: string }][]).flatMap(([purpose, kept]) =>
  'ends' in kept ? [] : [{ purpose, ...kept }],
)

/**
 * Counts what each secret opens: by the id of the secret in the value, and by trying those of release 1.0.0, which have none. `isLasting`:
 * leaves out what ends by itself within a month, of which a school can have gigabytes.
 */
export async function countSealed(sql: Sql, keyring: Keyring, { isLasting = false } = {}): Promise<SealedCount[]> {
  const counts: SealedCount[] = []
  for (const { purpose, what, isBrief, columns: sources, signed } of storedPurposes) {
    if (isLasting && isBrief) continue
    const count: SealedCount = { what, isBrief, bySecret: keyring.secretIds.map(() => 0), unknown: 0, lost: 0 }
    const add = (opener: number, number = 1): void => {
      if (opener < 0) count.lost += number
      else count.bySecret[opener] = (count.bySecret[opener] ?? 0) + number
    }
    for (const source of sources)
      for await (const rows of countsById(sql, source))
        for (const { id, value, number } of rows)
          add(id === null ? keyring.openerOf(purpose, value ?? '') : keyring.secretIds.indexOf(id), number)
    if (signed) {
      const [row] = await sql.query<{ number: number }>(`SELECT count(*)::int AS number FROM "${signed.table}" WHERE ${signed.where}`)
      const kept = await readKeptKeys(sql, keyring)
      if (keyring.secretIds.slice(1).every((id) => kept !== undefined && id in kept)) add(0, row?.number)
      else count.unknown = row?.number ?? 0
    }
    counts.push(count)
  }
  return counts
}

/** Rows with large values: an undo record can have 4 MiB. */
const blocksAtOnce = 16

/** Returns the places of the rows of a table in parts, in the order of the disk: the first, and that after the last. */
async function* placesOf(sql: Sql, table: TableName): AsyncGenerator<[first: string, end: string]> {
  const [size] = await sql.query<{ blocks: number }>(
    `SELECT (pg_relation_size('"${table}"') / current_setting('block_size')::int)::int AS blocks`,
  )
  for (let block = 0; block < (size?.blocks ?? 0); block += blocksAtOnce) yield [`(${block},0)`, `(${block + blocksAtOnce},0)`]
}

const isBetween = 'ctid >= $1::tid AND ctid < $2::tid'

/** Returns the number of values by the id of their secret, in parts. Values without an id are returned themselves. */
async function* countsById(
  sql: Sql,
  { table, text, where }: SealedColumn,
): AsyncGenerator<{ id: string | null; value: string | null; number: number }[]> {
  const hasId = `left(right(${text}, 9), 1) = '='`
  for await (const places of placesOf(sql, table))
    yield await sql.query(
      `SELECT CASE WHEN ${hasId} THEN right(${text}, 8) END AS id, CASE WHEN NOT ${hasId} THEN ${text} END AS value, count(*)::int AS number
         FROM "${table}" WHERE ${isBetween} AND (${where}) GROUP BY 1, 2`,
      places,
    )
}

/** Returns the sealed values of a column in parts, in the order of the disk. `at` is the place of the row. */
export async function* sealedRows(
  sql: Sql,
  { table, text, where }: SealedColumn,
  condition: string,
): AsyncGenerator<{ at: string; value: string }[]> {
  for await (const places of placesOf(sql, table))
    yield await sql.query(
      `SELECT ctid::text AS at, ${text} AS value FROM "${table}" WHERE ${isBetween} AND (${where}) AND ${condition}`,
      places,
    )
}

/** Returns the keys that were kept of removed secrets; undefined if there are none, or if no secret opens them. */
export async function readKeptKeys(sql: Sql, keyring: Keyring): Promise<KeptKeys | undefined> {
  const [row] = await sql.query<{ kept_keys: string | null }>('SELECT kept_keys FROM installation')
  const text = row?.kept_keys && keyring.tryOpen('kept keys', row.kept_keys)
  return text ? JSON.parse(text) : undefined
}

/** Returns the number of values that need an older secret, or may need one. */
export const olderOf = ({ bySecret, unknown }: SealedCount): number =>
  bySecret.slice(1).reduce((sum, number) => sum + number, bySecret.length > 1 ? unknown : 0)

const listed = (counts: readonly (readonly [number, string])[]): string =>
  counts.flatMap(([number, what]) => (number > 0 ? [`${number} ${what}`] : [])).join(', ')

/** Returns what no secret opens, as a list in words; empty if there is nothing. */
export const lostOf = (counts: readonly SealedCount[]): string => listed(counts.map(({ lost, what }) => [lost, what]))

/** Returns what needs the secret at a position of SECRET_KEY, as a list in words; empty if it can be removed. */
export const neededOf = (counts: readonly SealedCount[], position: number): string =>
  listed(counts.map(({ bySecret, unknown, what }) => [(bySecret[position] ?? 0) + (position > 0 ? unknown : 0), what]))
