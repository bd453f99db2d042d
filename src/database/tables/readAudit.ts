import { firstIdAt } from '../../base/ids.ts'
import type { Reader, Stored } from '../connection/database.ts'
import { type Builder, isAmongTexts } from '../statements/expressions.ts'
import { eventsEndingGrantsOf, type NamedAuditEvent, securityEvents } from './auditEvents.ts'
import { type ChangeFilter, changeConditions } from './changeFilter.ts'

export interface AuditRow extends Stored<'audit_log', 'id' | 'at' | 'event' | 'account_id' | 'client_id' | 'grant_id' | 'request_id'> {
  /** The caller's address, or after some time its network. */
  address: string | null
  details: Record<string, unknown>
}

/** Which entries of a school are read; all by default. */
export interface AuditFilter {
  /** An event, or an area such as `grant`. */
  events?: readonly string[]
  accountId?: string | undefined
  clientId?: string | undefined
  /** Entries of this grant, and those that ended every grant of its client or person. */
  grantId?: string | undefined
  requestId?: string | undefined
  /** Only writes through the API. */
  changes?: ChangeFilter | undefined
  /** Only writes through the API, and events that show or change who has access. */
  isActivity?: boolean | undefined
  since?: Date | undefined
  until?: Date | undefined
}

export interface AuditPage extends AuditFilter {
  schoolId: string
  order: 'asc' | 'desc'
  /** The id of the last entry of the page before. */
  after?: string | undefined
  limit: number
}

/** How far the clocks of a process, which makes the ids, and of the database may differ. */
const clockMs = 60_000

/** Returns one page of the audit trail in the order of its ids, which contain their time. */
export async function readAudit(db: Reader, { schoolId, order, after, limit, ...filter }: AuditPage): Promise<AuditRow[]> {
  const { events = [], accountId, clientId, grantId, requestId, changes, isActivity = false, since, until } = filter
  const grant = grantId === undefined ? undefined : await findGrantOwner(db, schoolId, grantId)
  return await db
    .selectFrom('audit_log')
    .select(['id', 'at', 'event', 'account_id', 'client_id', 'grant_id', 'request_id', 'address', 'details'])
    .where('school_id', '=', schoolId)
    .where((row) =>
      row.and([
        ...(events.length === 0 ? [] : [row.or(events.flatMap((event) => [row('event', '=', event), row('event', '^@', `${event}.`)]))]),
        ...(accountId === undefined ? [] : [row('account_id', '=', accountId)]),
        ...(clientId === undefined ? [] : [row('client_id', '=', clientId)]),
        ...(grantId === undefined ? [] : [isAboutGrant(grantId, grant)(row)]),
        ...(requestId === undefined ? [] : [row('request_id', '=', requestId)]),
        ...(changes === undefined ? [] : changeConditions(changes)(row)),
        ...(isActivity
          ? [
              row.or([
                ...changeConditions({})(row),
                row('event', 'in', [...securityEvents.concerningAccess, 'activity.undone' satisfies NamedAuditEvent]),
              ]),
            ]
          : []),
        ...(since === undefined ? [] : [row('id', '>=', firstIdAt(Number(since) - clockMs)), row('at', '>=', since)]),
        ...(until === undefined ? [] : [row('id', '<', firstIdAt(Number(until) + clockMs)), row('at', '<', until)]),
        ...(after === undefined ? [] : [row('id', order === 'asc' ? '>' : '<', after)]),
      ]),
    )
    .orderBy('id', order)
    .limit(limit)
    .$narrowType<{ details: Record<string, unknown> }>()
    .execute()
}

type GrantOwner = Stored<'audit_log', 'account_id' | 'client_id'>

/** Returns the person and the client of a grant. The grant itself may be deleted; the entry of its consent stays. */
async function findGrantOwner(db: Reader, schoolId: string, id: string): Promise<GrantOwner | undefined> {
  const grant = await db
    .selectFrom('oidc_grant')
    .select(['account_id', 'client_id'])
    .where('school_id', '=', schoolId)
    .where('id', '=', id)
    .executeTakeFirst()
  return (
    grant ??
    (await db
      .selectFrom('audit_log')
      .select(['account_id', 'client_id'])
      .where('school_id', '=', schoolId)
      .where('grant_id', '=', id)
      .where('event', '=', 'consent.granted' satisfies NamedAuditEvent)
      .executeTakeFirst())
  )
}

const isAboutGrant = (grantId: string, owner: GrantOwner | undefined) => (row: Builder<'audit_log'>) =>
  row.or([
    row('grant_id', '=', grantId),
    ...(owner
      ? [
          row.and([row('client_id', '=', owner.client_id), row('event', 'in', eventsEndingGrantsOf('client'))]),
          row.and([row('account_id', '=', owner.account_id), row('event', 'in', eventsEndingGrantsOf('person'))]),
        ]
      : []),
  ])

/** Returns how many writes through the API each of these grants made in the last days. Grants without any are left out. */
export async function countChanges(
  db: Reader,
  schoolId: string,
  { grantIds, days }: { grantIds: readonly string[]; days: number },
): Promise<Map<string, number>> {
  if (grantIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('audit_log')
    .select(({ fn }) => ['grant_id', fn.countAll<string>().as('changes')])
    .where('school_id', '=', schoolId)
    .where(({ ref }) => isAmongTexts(ref('grant_id'), grantIds))
    .where('id', '>=', firstIdAt(Date.now() - days * 86_400_000))
    .where((row) => row.and(changeConditions({})(row)))
    .groupBy('grant_id')
    .$narrowType<{ grant_id: string }>()
    .execute()
  return new Map(rows.map(({ grant_id, changes }) => [grant_id, Number(changes)]))
}
