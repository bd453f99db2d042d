import { Readable } from 'node:stream'
import { stringify } from 'csv-stringify/sync'
import type { AuditTrailEntry } from '../../../domain/administration/auditTrail.ts'
import { subjectOf } from '../../../oidc/claims.ts'

const columns = ['at', 'event', 'account_id', 'email', 'client_id', 'grant_id', 'request_id', 'address', 'details']

/** Streams entries as CSV (RFC 4180). Cells that a spreadsheet would run as formulas are escaped. */
export const auditCsv = (batches: AsyncIterable<AuditTrailEntry[]>): Readable => Readable.from(linesOf(batches), { objectMode: false })

async function* linesOf(batches: AsyncIterable<AuditTrailEntry[]>): AsyncGenerator<string> {
  yield `${columns.join(',')}\r\n`
  for await (const entries of batches) yield stringify(entries.map(cellsOf), { record_delimiter: 'windows', escape_formulas: true })
}

const cellsOf = ({ at, event, person, details, ...entry }: AuditTrailEntry): string[] => [
  at.toISOString(),
  event,
  publicAccount(entry.account_id),
  person?.email ?? '',
  entry.client_id ?? '',
  entry.grant_id ?? '',
  entry.request_id ?? '',
  entry.address ?? '',
  JSON.stringify(details),
]

/** Returns the public id of an account. Other texts stay as they are. */
export const publicAccount = (id: string | null): string => (id !== null && /^[0-9a-f-]{36}$/.test(id) ? subjectOf(id) : (id ?? ''))
