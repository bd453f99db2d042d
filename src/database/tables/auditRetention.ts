import { isIP } from 'node:net'
import { sql } from 'kysely'
import { firstIdAt } from '../../base/ids.ts'
import type { Reader } from '../connection/database.ts'
import { withoutSchool } from '../school/inSchool.ts'
import { refs } from '../statements/columns.ts'
import { unnest } from '../statements/unnest.ts'
import { isKeptLonger } from './auditEvents.ts'

/** How long the audit trail is kept, in days: `audit` of server.yaml. */
export interface AuditRetention {
  days: number
  security_days: number
  full_address_days: number
}

interface Batch extends AuditRetention {
  limit: number
}

const log = refs('audit_log')
const dayMs = 86_400_000

/** Returns the least id of the entries that are younger than this many days: ids contain their time, so the primary key finds the others. */
const firstIdAfter = (days: number): string => firstIdAt(Date.now() - days * dayMs)

/** Deletes at most `limit` expired entries of a school and returns their number. Each event is found by the index over events. */
export async function deleteExpiredAudit(db: Reader, schoolId: string, { days, security_days, limit }: Batch): Promise<number> {
  let deleted = 0
  for (const event of await listEvents(db, schoolId)) {
    const expired = db
      .selectFrom('audit_log')
      .select('id')
      .where('school_id', '=', schoolId)
      .where('event', '=', event)
      .where('id', '<', firstIdAfter(isKeptLonger(event) ? security_days : days))
      .orderBy('id')
      .limit(limit - deleted)
    const { numDeletedRows } = await db
      .deleteFrom('audit_log')
      .where('school_id', '=', schoolId)
      .where('id', 'in', expired)
      .executeTakeFirstOrThrow()
    deleted += Number(numDeletedRows)
    if (deleted >= limit) break
  }
  return deleted
}

/** Returns the different events of a school. Reads one entry of the index for each. */
async function listEvents(db: Reader, schoolId: string): Promise<string[]> {
  const { rows } = await sql<{ event: string }>`
    WITH RECURSIVE found AS (
      SELECT min(${log.event}) AS event FROM audit_log WHERE ${log.school_id} = ${schoolId}
      UNION ALL
      SELECT (SELECT min(${log.event}) FROM audit_log WHERE ${log.school_id} = ${schoolId} AND ${log.event} > found.event)
        FROM found WHERE found.event IS NOT NULL
    )
    SELECT event FROM found WHERE event IS NOT NULL`.execute(withoutSchool(db))
  return rows.map(({ event }) => event)
}

/** Shortens at most `limit` addresses of a school that are old enough, and returns their number. A partial index holds the full addresses. */
export async function shortenAuditAddresses(
  db: Reader,
  schoolId: string,
  { full_address_days, limit }: Pick<Batch, 'full_address_days' | 'limit'>,
): Promise<number> {
  const rows = await db
    .selectFrom('audit_log')
    .select(['id', 'address'])
    .where('school_id', '=', schoolId)
    .where('id', '<', firstIdAfter(full_address_days))
    // The condition of the index.
    .where(sql<boolean>`position('/' in address) = 0`)
    .orderBy('id')
    .limit(limit)
    .execute()
  if (rows.length === 0) return 0
  const ids = rows.map(({ id }) => id)
  const networks = rows.map(({ address }) => networkOf(address ?? ''))
  await db
    .updateTable('audit_log')
    .from(
      unnest('short', {
        id: { type: 'uuid', values: ids },
        address: { type: 'text', values: networks },
      }),
    )
    .set(({ ref }) => ({ address: ref('short.address') }))
    .where('audit_log.school_id', '=', schoolId)
    .whereRef('audit_log.id', '=', 'short.id')
    .execute()
  return rows.length
}

/** Returns the network of an address: /24 of IPv4, /48 of IPv6, which a provider gives to many customers or to one site. Null for other texts. */
export function networkOf(address: string): string | null {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  if (isIP(plain) === 4) return `${plain.split('.').slice(0, 3).join('.')}.0/24`
  if (isIP(plain) !== 6) return null
  // Written by the URL parser in the shortest form (RFC 5952).
  const text = new URL(`http://[${plain.replace(/%.*$/, '')}]`).hostname.slice(1, -1)
  const [head = '', tail] = text.split('::')
  const groups = head === '' ? [] : head.split(':')
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length)
  const first = [...groups, ...Array<string>(missing).fill('0')].slice(0, 3)
  return `${new URL(`http://[${first.join(':')}::]`).hostname.slice(1, -1)}/48`
}
