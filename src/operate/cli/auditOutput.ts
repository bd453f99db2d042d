import type { AuditRow } from '../../database/tables/readAudit.ts'
import { auditCsvLines, auditRecord } from '../../school/apps/auditTrail.ts'
import { printList } from './table.ts'
import type { Terminal } from './terminal.ts'

export interface AuditOutput {
  rows(entries: readonly AuditRow[]): void
  end(): void
}

export type AuditFormat = 'table' | 'json' | 'csv' | 'ndjson'

const members = ['at', 'event', 'account_id', 'client_id', 'grant_id', 'request_id', 'address', 'details', 'id'] as const

/** Returns lines of CSV. They end with \n instead of \r\n, because the terminal escapes carriage returns. */
const lines = (records: readonly Record<string, unknown>[]): string => auditCsvLines(members, records).replaceAll('\r\n', '\n')

export function auditOutput(terminal: Pick<Terminal, 'out'>, format: AuditFormat): AuditOutput {
  let count = 0
  if (format === 'csv') {
    terminal.out(`${members.join(',')}\n`)
    return {
      rows: (entries) => terminal.out(lines(entries.map(auditRecord))),
      end: () => undefined,
    }
  }
  if (format === 'ndjson') {
    return {
      rows: (entries) =>
        terminal.out(entries.map((entry) => `${JSON.stringify({ ...auditRecord(entry), details: entry.details })}\n`).join('')),
      end: () => undefined,
    }
  }
  if (format === 'json') {
    return {
      rows(entries) {
        for (const entry of entries) {
          terminal.out(`${count === 0 ? '[\n' : ',\n'}  ${JSON.stringify(auditRecord(entry))}`)
          count += 1
        }
      },
      end: () => terminal.out(count === 0 ? '[]\n' : '\n]\n'),
    }
  }
  return {
    rows(entries) {
      if (entries.length > 0) printList(terminal, entries.map(auditRecord), { json: false, columns: shown, empty: '' })
      count += entries.length
    },
    end: () => {
      if (count === 0) terminal.out('no entries\n')
    },
  }
}

const shown = ['at', 'event', 'account_id', 'client_id', 'address', 'details'] as const
