import { setTimeout as delay } from 'node:timers/promises'
import { firstIdAt, timeOfId } from '../../../base/ids.ts'
import type { SchoolReader } from '../../../database/connection/database.ts'
import { type AuditFilter, type AuditRow, readAudit } from '../../../database/tables/readAudit.ts'
import { auditFilter } from '../auditOptions.ts'
import { type AuditOutput, auditOutput } from '../auditOutput.ts'
import { choice, command, flag, jsonOption, repeatable, schoolOption, text } from '../command.ts'
import { usage } from '../failures.ts'

const pageSize = 500
const pollMs = 1000
/**
 * Ids are assigned before the commit, so a new entry can have a smaller id than one that is already printed. This much is read again; no
 * transaction of a request lasts longer.
 */
const overlapMs = 60_000

export const audit = command({
  name: 'audit',
  summary: 'Show the audit trail, newest first. docs/audit.md lists the events.',
  examples: [
    'audit --event grant.revoked --since 7d',
    'audit --grant 3vFhPvSZ0gTn8wYkq5xL2',
    'audit --person ada@example.com --limit 20 --json',
    'audit --client newsletter-sync --event token.refused --event token.revoked',
    'audit --request req_01jgwejj00e6srgkpqm2sqf05m',
    'audit --since 2026-01-01 --until 2026-02-01 --format csv',
    'audit --event sign_in.failed --since 1h --follow',
  ],
  options: {
    ...schoolOption,
    ...jsonOption,
    event: repeatable('event or area', 'only this event, or the events of this area; can be repeated'),
    person: text('email or id', 'only entries of this person'),
    client: text('client_id', 'only entries of this client'),
    grant: text('id', 'only entries of this grant, and those that ended all grants of its client or person'),
    request: text('id', 'only entries of this request'),
    since: text('time', 'only entries since this time, or since how long ago: 30m, 24h, 7d'),
    until: text('time', 'only entries before this time'),
    limit: text('number', 'maximum number of entries; 100 by default, all with --format csv or ndjson'),
    follow: flag('print the latest entries, then new ones as they are written, until you press Ctrl-C', '-f'),
    format: choice('format', 'format of the output', ['table', 'csv', 'ndjson']),
  },
  async run(session, options) {
    const { limit, follow = false, json = false, format: chosen = 'table' } = options
    if (limit !== undefined && !/^[1-9]\d{0,8}$/.test(limit)) throw usage('--limit must be a number from 1 to 999999999')
    if (json && options.format !== undefined) throw usage('--json and --format exclude each other: choose one')
    if (follow && json) throw usage('--follow never ends a JSON list: use --format ndjson')
    if (follow && options.until !== undefined) throw usage('--follow has no end: leave out --until')
    const { id: schoolId, rows } = await session.school()
    const reading: Reading = { rows, schoolId, filter: await auditFilter(options, rows) }
    const output = auditOutput(session.terminal, json ? 'json' : chosen)
    const isStream = chosen !== 'table'
    const most = limit === undefined ? (isStream ? Number.POSITIVE_INFINITY : 100) : Number(limit)
    if (follow) return await followEntries(reading, output, { most: Math.min(most, pageSize), signal: session.signal })
    await printEntries(reading, output, most)
    output.end()
  },
})

interface Reading {
  rows: SchoolReader
  schoolId: string
  filter: AuditFilter
}

async function printEntries({ rows, filter }: Reading, output: AuditOutput, most: number): Promise<void> {
  let after: string | undefined
  for (let left = most; left > 0; ) {
    const limit = Math.min(left, pageSize)
    const entries = await readAudit(rows, { ...filter, schoolId: rows.schoolId, order: 'desc', after, limit })
    output.rows(entries)
    if (entries.length < limit) return
    after = entries.at(-1)?.id
    left -= entries.length
  }
}

/** Prints the latest entries, the oldest first, and then every entry once, until the signal aborts. */
async function followEntries(
  { rows, filter }: Reading,
  output: AuditOutput,
  { most, signal }: { most: number; signal: AbortSignal },
): Promise<void> {
  // Read before the latest entries. Entries that are written between the two reads appear in both, and are deduplicated by id.
  let last = firstIdAt(Date.now())
  let seen = new Set(await idsSince({ rows, schoolId: rows.schoolId, filter }, firstIdAt(timeOfId(last) - overlapMs)))
  const latest = await readAudit(rows, { ...filter, schoolId: rows.schoolId, order: 'desc', limit: most })
  for (const { id } of latest) seen.add(id)
  output.rows(latest.toReversed())
  while (!signal.aborted) {
    await delay(pollMs, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return
    const since = firstIdAt(timeOfId(last) - overlapMs)
    const recent = new Set<string>()
    for await (const entries of pagesSince({ rows, schoolId: rows.schoolId, filter }, since)) {
      output.rows(entries.filter(({ id }) => !seen.has(id)))
      for (const { id } of entries) recent.add(id)
      const newest = entries.at(-1)?.id
      if (newest !== undefined && newest > last) last = newest
    }
    seen = recent
  }
}

async function* pagesSince({ rows, filter }: Reading, since: string): AsyncGenerator<AuditRow[]> {
  for (let after = since; ; ) {
    const entries = await readAudit(rows, { ...filter, schoolId: rows.schoolId, order: 'asc', after, limit: pageSize })
    if (entries.length > 0) yield entries
    if (entries.length < pageSize) return
    after = entries.at(-1)?.id ?? after
  }
}

async function idsSince(reading: Reading, since: string): Promise<string[]> {
  const ids: string[] = []
  for await (const entries of pagesSince(reading, since)) for (const { id } of entries) ids.push(id)
  return ids
}
