import type { KeyPurpose, Keyring } from '../../base/keyring.ts'
import type { Sql } from '../connection/sql.ts'
import { type ColumnName, columns, type TableName } from './columns.ts'

interface SealedColumn {
  table: TableName
  text: string
  /** The rows that are still of use. */
  where: string
  /** `secret id`: the column names the secret, because its values cannot be tried. */
  holds: 'sealed text' | 'secret id'
}

/** A column with sealed values. `isBrief`: it ends by itself within a month or so; anything else stays lost without its secret. */
interface Stored {
  what: string
  isBrief: boolean
  columns: readonly SealedColumn[]
}

const column = <Table extends TableName>(table: Table, name: ColumnName<Table>, more: Partial<SealedColumn> = {}): SealedColumn => ({
  ...{ table, text: columns(table, [name]), where: `${name} IS NOT NULL`, holds: 'sealed text' },
  ...more,
})

/** Clients keep ID tokens as hints for as long as grants live, a year by default. */
const keyIsUsed = "retired_at IS NULL OR retired_at > now() - interval '365 days'"

/**
 * The stored values of each purpose of SECRET_KEY. A new purpose does not compile until it is here, so nothing that a secret opens is left out
 * of the count. `ends`: what is not stored in the database, and how it ends with the secret.
 */
export const sealedByPurpose: Readonly<Record<KeyPurpose, Stored | { ends: string }>> = {
  'signing keys': { what: 'signing keys', isBrief: false, columns: [column('signing_key', 'private_jwk', { where: keyIsUsed })] },
  'authenticator apps': { what: 'authenticator apps', isBrief: false, columns: [column('authenticator_app', 'secret')] },
  'recovery codes': {
    what: 'recovery codes',
    isBrief: false,
    columns: [column('recovery_code', 'key_id', { where: 'used_at IS NULL', holds: 'secret id' })],
  },
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
    columns: [column('outbox', 'payload', { text: "payload #>> '{}'", where: "jsonb_typeof(payload) = 'string'" })],
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
  'known browsers': { ends: 'browsers that people have signed in with: they get an e-mail about a new one' },
  'sign-in steps': { ends: 'sign-ins that have begun' },
  'passkey challenges': { ends: 'passkey prompts that are open' },
  confirmations: { ends: 'confirmations of the last ten minutes' },
  probes: { ends: 'nothing: checks of the doctor' },
  forms: { ends: 'forms of the public pages that are open' },
  configuration: { ends: 'nothing: the next start records every shared setting as changed' },
  'secret ids': { ends: 'nothing: they name the secrets of the recovery codes' },
  'unsubscribe links': { ends: 'links to unsubscribe in e-mails that were sent' },
}

/** The number of values of one kind, by what opens them. */
export interface SealedCount {
  what: string
  isBrief: boolean
  /** By position in SECRET_KEY, newest first. */
  bySecret: number[]
  /** Values without the name of their secret: any of them may be needed. */
  unknown: number
  /** Values that no secret opens. */
  lost: number
}

/** Rows with large values: an undo record can have 4 MiB. */
const blocksAtOnce = 16

/** Counts what each secret opens, by trying: in the order of the disk, a few blocks at a time. */
export async function countSealed(sql: Sql, keyring: Keyring, { isBrief }: { isBrief?: boolean } = {}): Promise<SealedCount[]> {
  const counts: SealedCount[] = []
  for (const [purpose, kept] of Object.entries(sealedByPurpose) as [KeyPurpose, Stored | { ends: string }][]) {
    if ('ends' in kept || (isBrief !== undefined && kept.isBrief !== isBrief)) continue
    const { what, columns: sources } = kept
    const count: SealedCount = { what, isBrief: kept.isBrief, bySecret: keyring.secretIds.map(() => 0), unknown: 0, lost: 0 }
    for (const source of sources)
      for await (const value of valuesOf(sql, source)) {
        const opener =
          value !== null && (source.holds === 'secret id' ? keyring.secretIds.indexOf(value) : keyring.openerOf(purpose, value))
        if (opener === false) count.unknown += 1
        else if (opener < 0) count.lost += 1
        else count.bySecret[opener] = (count.bySecret[opener] ?? 0) + 1
      }
    counts.push(count)
  }
  return counts
}

async function* valuesOf(sql: Sql, { table, text, where }: SealedColumn): AsyncGenerator<string | null> {
  const [size] = await sql.query<{ blocks: number }>(
    `SELECT (pg_relation_size('"${table}"') / current_setting('block_size')::int)::int AS blocks`,
  )
  for (let block = 0; block < (size?.blocks ?? 0); block += blocksAtOnce) {
    const range = [`(${block},0)`, `(${block + blocksAtOnce},0)`]
    const rows = await sql.query<{ value: string | null }>(
      `SELECT ${text} AS value FROM "${table}" WHERE ctid >= $1::tid AND ctid < $2::tid AND (${where})`,
      range,
    )
    for (const { value } of rows) yield value
  }
}

const listed = (counts: readonly (readonly [number, string])[]): string =>
  counts.flatMap(([number, what]) => (number > 0 ? [`${number} ${what}`] : [])).join(', ')

/** Returns what no secret opens, as a list in words; empty if there is nothing. */
export const lostOf = (counts: readonly SealedCount[]): string => listed(counts.map(({ lost, what }) => [lost, what]))

/** Returns what needs the secret at a position of SECRET_KEY, as a list in words; empty if it can be removed. */
export const neededOf = (counts: readonly SealedCount[], position: number): string =>
  listed(counts.map(({ bySecret, unknown, what }) => [(bySecret[position] ?? 0) + (position > 0 ? unknown : 0), what]))
