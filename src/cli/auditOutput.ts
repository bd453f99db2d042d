import { csvCells, csvLines } from '../framework/output/csvText.ts'
import { subjectOf } from '../oidc/claims.ts'
import type { AuditRow } from '../store/readAudit.ts'
import { type Listed, moment, printList } from './table.ts'
import type { Terminal } from './terminal.ts'

/** Prints entries as they are read: nothing grows with their number. */
export interface AuditOutput {
  rows(entries: readonly AuditRow[]): void
  end(): void
}

export type AuditFormat = 'table' | 'json' | 'csv' | 'ndjson'

const members = ['at', 'event', 'account_id', 'client_id', 'grant_id', 'request_id', 'address', 'details', 'id'] as const

/** Returns lines of CSV. They end as lines of a terminal do, which shows a carriage return as an escape. */
const lines = (records: Parameters<typeof csvLines>[0]): string => csvLines(records).replaceAll('\r\n', '\n')

/** Creates the output in a format. */
export function auditOutput(terminal: Pick<Terminal, 'out'>, format: AuditFormat): AuditOutput {
  let count = 0
  if (format === 'csv') {
    terminal.out(lines([members]))
    return {
      rows: (entries) => terminal.out(lines(entries.map((entry) => csvCells(members, listed(entry))))),
      end: () => undefined,
    }
  }
  if (format === 'ndjson') {
    return {
      rows: (entries) => terminal.out(entries.map((entry) => `${JSON.stringify({ ...listed(entry), details: entry.details })}\n`).join('')),
      end: () => undefined,
    }
  }
  if (format === 'json') {
    return {
      rows(entries) {
        for (const entry of entries) {
          terminal.out(`${count === 0 ? '[\n' : ',\n'}  ${JSON.stringify(listed(entry))}`)
          count += 1
        }
      },
      end: () => terminal.out(count === 0 ? '[]\n' : '\n]\n'),
    }
  }
  return {
    rows(entries) {
      if (entries.length > 0) printList(terminal, entries.map(listed), { json: false, columns: shown, empty: '' })
      count += entries.length
    },
    end: () => {
      if (count === 0) terminal.out('no entries\n')
    },
  }
}

const shown = ['at', 'event', 'account_id', 'client_id', 'address', 'details'] as const

const listed = ({ at, account_id, details, ...entry }: AuditRow): Listed => ({
  ...entry,
  at: moment(at),
  account_id: account_id === null ? null : accountIn(account_id),
  details: JSON.stringify(details),
})

/** Returns the public id of an account. Other texts stay as they are. */
const accountIn = (text: string): string => (/^[0-9a-f-]{36}$/.test(text) ? subjectOf(text) : text)
