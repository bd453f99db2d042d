import { fromPublicId, timeOfId } from '../../base/ids.ts'
import { nearest } from '../../base/text/nearest.ts'
import type { SchoolReader } from '../../database/connection/database.ts'
import { auditEvents } from '../../database/tables/auditEvents.ts'
import type { AuditFilter } from '../../database/tables/readAudit.ts'
import { accountIdOf } from '../../identity/oidc/claims.ts'
import { resources } from '../../school/index.ts'
import { usage } from './failures.ts'
import { requirePerson } from './requirePerson.ts'

interface AuditOptions {
  event?: string[] | undefined
  person?: string | undefined
  client?: string | undefined
  grant?: string | undefined
  request?: string | undefined
  since?: string | undefined
  until?: string | undefined
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 }
/** A clock that is set back leaves request ids ahead of it, because ids of a process never decrease. */
const clockStepMs = 3_600_000
/** The longest time between the start of a request and its last entry: uploads are the longest requests. */
const longestRequestMs = 3_600_000

/** Returns the filter of the options. @throws CommanderError with exit code 2 for a value that cannot be meant */
export async function auditFilter(options: AuditOptions, rows: SchoolReader): Promise<AuditFilter> {
  const { event: events = [], client, grant, request, since, until } = options
  for (const event of events) requireEvent(event)
  if (grant !== undefined && !/^[\w-]{1,128}$/.test(grant)) throw usage('--grant must be the id of a grant, as grants list shows it')
  const filter: AuditFilter = {
    events,
    clientId: client,
    grantId: grant,
    accountId: await accountOf(options.person, rows),
    since: since === undefined ? undefined : timeOf('--since', since),
    until: until === undefined ? undefined : timeOf('--until', until),
  }
  if (filter.since && filter.until && filter.since >= filter.until) throw usage('--since must be earlier than --until')
  if (request === undefined) return filter
  const uuid = fromPublicId('req', request)
  if (uuid === undefined) throw usage('--request must be the id of a request: req_ and 26 characters')
  // The id of a request contains its time, which limits where its entries can be.
  const begun = timeOfId(uuid)
  return {
    ...filter,
    requestId: request,
    since: filter.since ?? new Date(begun - clockStepMs),
    until: filter.until ?? new Date(begun + longestRequestMs),
  }
}

/** The areas of events, the types of objects that the API writes, and the events. */
const areas: ReadonlySet<string> = new Set([
  ...Object.keys(auditEvents).map((event) => event.slice(0, event.indexOf('.'))),
  ...resources.flatMap((resource) => ('object' in resource ? [resource.object] : [])),
])

function requireEvent(event: string): void {
  if (Object.hasOwn(auditEvents, event) || areas.has(event)) return
  const [area = ''] = event.split('.', 1)
  const named = Object.keys(auditEvents)
  // Writes through the API have the name of their action, which deployments may have from earlier releases.
  const isWrite = areas.has(area) && !named.some((one) => one.startsWith(`${area}.`)) && /^\w+\.[\w/]+$/.test(event)
  if (isWrite) return
  const similar = nearest(event, [...named, ...areas])
  throw usage(`--event ${event} is not an event of docs/audit.md${similar ? `; did you mean ${similar}?` : ', nor an area such as grant'}`)
}

async function accountOf(person: string | undefined, rows: SchoolReader): Promise<string | undefined> {
  if (person === undefined) return undefined
  // The login may be gone; its entries stay.
  return accountIdOf(person) ?? (await requirePerson(rows, person)).accountId
}

/** Returns the time that a text names: a time of ISO 8601, or how long ago, such as `24h`. */
function timeOf(option: string, text: string): Date {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (count !== undefined) return new Date(Date.now() - Number(count) * (units[unit] ?? 0) * 1000)
  const time = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time))
    throw usage(`${option} must be a time such as 2026-01-31T08:00:00Z or 2026-01-31, or how long ago, such as 30m, 24h or 7d`)
  return new Date(time)
}
