import { setTimeout as delay } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import { firstIdAt, timeOfId } from '../../lib/ids.ts'
import type { Database } from '../../store/database.ts'
import { type AuditFilter, type AuditRow, readAudit } from '../../store/readAudit.ts'
import { type AuditOptions, auditFilter } from '../auditOptions.ts'
import { type AuditFormat, type AuditOutput, auditOutput } from '../auditOutput.ts'
import { asJson, define, withSchoolOption } from '../define.ts'
import { usage } from '../failures.ts'
import type { Session } from '../session.ts'

const pageSize = 500
const pollMs = 1000
/** Entries become visible at their commit, in another order than their ids. Longer than transactions of requests last. */
const overlapMs = 60_000

/** `audit`. */
export function addAudit(program: Command, session: Session): void {
  const command = define(program, {
    form: 'audit',
    about: 'Show the audit trail, newest first. docs/audit.md lists the events.',
    examples: [
      'audit --event grant.revoked --since 7d',
      'audit --grant 3vFhPvSZ0gTn8wYkq5xL2',
      'audit --person ada@example.com --limit 20 --json',
      'audit --client newsletter-sync --event token.refused --event token.revoked',
      'audit --request req_01jgwejj00e6srgkpqm2sqf05m',
      'audit --since 2026-01-01 --until 2026-02-01 --format csv',
      'audit --event sign_in.failed --since 1h --follow',
    ],
  })
  asJson(withSchoolOption(command))
    .option(
      '--event <event or area>',
      'only this event, or the events of this area; can be repeated',
      (one: string, all: string[] = []) => [...all, one],
    )
    .option('--person <email or id>', 'only entries of this person')
    .option('--client <client_id>', 'only entries of this client')
    .option('--grant <id>', 'only entries of this grant, and those that ended all grants of its client or person')
    .option('--request <id>', 'only entries of this request')
    .option('--since <time>', 'only entries since this time, or since how long ago: 30m, 24h, 7d')
    .option('--until <time>', 'only entries before this time')
    .option('--limit <number>', 'maximum number of entries; 100 by default, all with --format csv or ndjson')
    .option('-f, --follow', 'print the latest entries, then new ones as they are written, until you press Ctrl-C')
    .addOption(new Option('--format <format>', 'format of the output').choices(['table', 'csv', 'ndjson']))
    .action((options: AuditOptions) => audit(session, options))
}

async function audit(session: Session, options: AuditOptions): Promise<void> {
  const { limit, follow = false, json = false, format: chosen = 'table' } = options
  if (limit !== undefined && !/^[1-9]\d{0,8}$/.test(limit)) throw usage('--limit must be a number from 1 to 999999999')
  if (json && options.format !== undefined) throw usage('--json and --format exclude each other: choose one')
  if (follow && json) throw usage('--follow never ends a JSON list: use --format ndjson')
  if (follow && options.until !== undefined) throw usage('--follow has no end: leave out --until')
  const { id: schoolId } = await session.school(options.school)
  const database = await session.database()
  const format: AuditFormat = json ? 'json' : chosen
  const reading: Reading = { database, schoolId, filter: await auditFilter(options, database, schoolId) }
  const output = auditOutput(session.terminal, format)
  const isStream = chosen !== 'table'
  const most = limit === undefined ? (isStream ? Number.POSITIVE_INFINITY : 100) : Number(limit)
  if (follow) return await followEntries(reading, output, { most: Math.min(most, pageSize), signal: session.signal })
  await printEntries(reading, output, most)
  output.end()
}

interface Reading {
  database: Database
  schoolId: string
  filter: AuditFilter
}

async function printEntries({ database, schoolId, filter }: Reading, output: AuditOutput, most: number): Promise<void> {
  let after: string | undefined
  for (let left = most; left > 0; ) {
    const limit = Math.min(left, pageSize)
    const entries = await readAudit(database.kysely, { ...filter, schoolId, order: 'desc', after, limit })
    output.rows(entries)
    if (entries.length < limit) return
    after = entries.at(-1)?.id
    left -= entries.length
  }
}

/** Prints the latest entries, the oldest first, and then every entry once, until the signal aborts. */
async function followEntries(
  { database, schoolId, filter }: Reading,
  output: AuditOutput,
  { most, signal }: { most: number; signal: AbortSignal },
): Promise<void> {
  // Read before the latest entries are: whatever is written from now on is in neither or in both, and is printed once.
  let last = firstIdAt(Date.now())
  let seen = new Set(await idsSince({ database, schoolId, filter }, firstIdAt(timeOfId(last) - overlapMs)))
  const latest = await readAudit(database.kysely, { ...filter, schoolId, order: 'desc', limit: most })
  for (const { id } of latest) seen.add(id)
  output.rows(latest.toReversed())
  while (!signal.aborted) {
    await delay(pollMs, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return
    const since = firstIdAt(timeOfId(last) - overlapMs)
    const recent = new Set<string>()
    for await (const entries of pagesSince({ database, schoolId, filter }, since)) {
      output.rows(entries.filter(({ id }) => !seen.has(id)))
      for (const { id } of entries) recent.add(id)
      const newest = entries.at(-1)?.id
      if (newest !== undefined && newest > last) last = newest
    }
    seen = recent
  }
}

async function* pagesSince({ database, schoolId, filter }: Reading, since: string): AsyncGenerator<AuditRow[]> {
  for (let after = since; ; ) {
    const entries = await readAudit(database.kysely, { ...filter, schoolId, order: 'asc', after, limit: pageSize })
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
