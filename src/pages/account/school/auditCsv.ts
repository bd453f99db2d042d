import { Readable } from 'node:stream'
import { type AuditTrailEntry, auditCsvLines, auditRecord } from '../../../school/apps/auditTrail.ts'

const columns = ['at', 'event', 'account_id', 'email', 'client_id', 'grant_id', 'request_id', 'address', 'details']

/** Streams entries as CSV (RFC 4180). Cells that a spreadsheet would run as formulas are escaped. */
export const auditCsv = (batches: AsyncIterable<AuditTrailEntry[]>): Readable => Readable.from(linesOf(batches), { objectMode: false })

async function* linesOf(batches: AsyncIterable<AuditTrailEntry[]>): AsyncGenerator<string> {
  yield `${columns.join(',')}\r\n`
  for await (const entries of batches)
    yield auditCsvLines(
      columns,
      entries.map((entry) => ({ ...auditRecord(entry), email: entry.person?.email })),
    )
}
