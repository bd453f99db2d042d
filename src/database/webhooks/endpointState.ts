import { sql } from 'kysely'
import type { Reader } from '../connection/database.ts'
import { type ClaimedRow, claimOutbox } from '../outbox/claimOutbox.ts'
import { now, secondsAgo } from '../statements/expressions.ts'

export interface EndpointKey {
  schoolId: string
  name: string
}

/** Failed attempts in a row after which an endpoint is paused. */
const maxFailures = 5
const longestPauseSeconds = 900

/**
 * Claims deliveries to an endpoint: none while it is paused, and after a pause one at a time until it accepts one.
 * @param most is the number of deliveries that may be under way
 */
export async function claimForEndpoint(
  db: Reader,
  target: EndpointKey,
  { free, most, leaseSeconds }: { free: number; most: number; leaseSeconds: number },
): Promise<ClaimedRow[]> {
  const endpoint = await db
    .selectFrom('webhook_endpoint')
    .select('failures')
    .where('school_id', '=', target.schoolId)
    .where('name', '=', target.name)
    .where('is_active', '=', true)
    .where((row) => row.or([row('paused_until', 'is', null), row('paused_until', '<=', now)]))
    .executeTakeFirst()
  if (!endpoint) return []
  const isProbed = endpoint.failures >= maxFailures
  if (isProbed && free < most) return []
  return await claimOutbox(db, { kind: 'webhook', target, limit: isProbed ? 1 : free, leaseSeconds })
}

const ofEndpoint = (db: Reader, { schoolId, name }: EndpointKey) =>
  db.updateTable('webhook_endpoint').where('school_id', '=', schoolId).where('name', '=', name)

/** Stores that an endpoint accepted a delivery. If it had been paused, its other deliveries are attempted now. */
export async function recordAcceptance(db: Reader, key: EndpointKey): Promise<void> {
  const recovered = await ofEndpoint(db, key)
    .from((one) =>
      one.selectFrom('webhook_endpoint').select('failures').where('school_id', '=', key.schoolId).where('name', '=', key.name).as('before'),
    )
    .set({ succeeded_at: now, failures: 0, paused_until: null, failure: null })
    // Not for each of many deliveries: the row would be written all the time.
    .where((row) =>
      row.or([row('webhook_endpoint.failures', '>', 0), row('succeeded_at', 'is', null), row('succeeded_at', '<', secondsAgo(60))]),
    )
    .returning('before.failures')
    .executeTakeFirst()
  if ((recovered?.failures ?? 0) < maxFailures) return
  await db
    .updateTable('outbox')
    .set({ next_at: now })
    .where('school_id', '=', key.schoolId)
    .where('target', '=', key.name)
    .where('state', '=', 'pending')
    .where('locked_until', 'is', null)
    .execute()
}

/** Stores that an endpoint did not accept a delivery. After several failures it is paused, longer each time. */
export async function recordRejection(db: Reader, key: EndpointKey, failure: string): Promise<void> {
  await ofEndpoint(db, key)
    .set(({ eb, ref }) => ({
      failures: eb('failures', '+', 1),
      failed_at: now,
      failure,
      paused_until: eb
        .case()
        .when(eb('failures', '>=', maxFailures - 1))
        .then(
          sql<Date>`now() + make_interval(secs => least(${longestPauseSeconds}::int, 5 * 2 ^ least(${ref('failures')} - ${maxFailures - 1}::int, 10)))`,
        )
        .else(ref('paused_until'))
        .end(),
    }))
    .execute()
}

/** Stores that an endpoint answered 410: it gets no further events, and what it has not received is given up until a replay. */
export async function recordGone(db: Reader, key: EndpointKey, reason: string): Promise<void> {
  await ofEndpoint(db, key).set({ is_active: false, gone_at: now, failed_at: now, failure: reason }).execute()
  await db
    .updateTable('outbox')
    .set({ state: 'dead', finished_at: now, locked_until: null, reason })
    .where('school_id', '=', key.schoolId)
    .where('target', '=', key.name)
    .where('state', '=', 'pending')
    .where('locked_until', 'is', null)
    .execute()
}

/** Gives up deliveries whose time is over and whose endpoint is no longer active. Returns their number. */
export async function parkAbandoned(db: Reader): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('outbox')
    .set({ state: 'dead', finished_at: now, locked_until: null, reason: 'the endpoint is not active' })
    .where('state', '=', 'pending')
    .where('kind', '=', 'webhook')
    .where('expires_at', '<', secondsAgo(3600))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('webhook_endpoint')
            .select('webhook_endpoint.name')
            .whereRef('webhook_endpoint.school_id', '=', 'outbox.school_id')
            .whereRef('webhook_endpoint.name', '=', 'outbox.target')
            .where('webhook_endpoint.is_active', '=', true),
        ),
      ),
    )
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

/** Makes an endpoint active again that answered 410, and ends its pause. */
export async function reactivateEndpoint(db: Reader, key: EndpointKey): Promise<void> {
  await ofEndpoint(db, key).set({ is_active: true, gone_at: null, failures: 0, paused_until: null }).execute()
}

const maxNamed = 5

/** Returns which endpoints fail repeatedly and why, or undefined if none does. */
export async function failingEndpoints(db: Reader): Promise<string | undefined> {
  const failing = await db
    .selectFrom('webhook_endpoint')
    .innerJoin('school', 'school.id', 'webhook_endpoint.school_id')
    .select(['school.slug', 'webhook_endpoint.name', 'webhook_endpoint.failure'])
    .where('webhook_endpoint.is_active', '=', true)
    .where('webhook_endpoint.failures', '>=', maxFailures)
    .orderBy('school.slug')
    .orderBy('webhook_endpoint.name')
    .execute()
  if (failing.length === 0) return undefined
  const named = failing.slice(0, maxNamed).map(({ slug, name, failure }) => `${slug}/${name} (${failure ?? 'no reason'})`)
  const more = failing.length > maxNamed ? ` and ${failing.length - maxNamed} more` : ''
  return `receivers reject deliveries: ${named.join(', ')}${more}`
}
