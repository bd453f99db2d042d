import { isTemporaryId } from '../../base/ids.ts'
import { hash } from '../../base/keyring.ts'
import { DeliveryFailure } from '../../base/net/deliveryFailure.ts'
import { createOutbound, type OutboundNetwork } from '../../base/net/outboundRequest.ts'
import type { School } from '../../base/school.ts'
import type { Config } from '../../config/load.ts'
import type { ReadSecret } from '../../config/webhookSecrets.ts'
import type { WebhookEndpoint } from '../../config/webhooks.ts'
import { isPrivateHost } from '../../config/webhooks.ts'
import type { Database } from '../../database/connection/database.ts'
import { securityEvents } from '../../database/tables/auditEvents.ts'
import { claimForEndpoint, recordAcceptance, recordGone, recordRejection } from '../../database/webhooks/endpointState.ts'
import { syncEndpoints } from '../../database/webhooks/syncEndpoints.ts'
import type { Operation } from '../../engine/declare/operations.ts'
import { isTemporaryClient } from '../../identity/oidc/clientOptions.ts'
import { sendWebhook } from '../../school/webhooks/sendWebhook.ts'
import { type ObjectNames, type StoredEvent, type WebhookEvent, webhookEvent, webhookId } from '../../school/webhooks/webhookEvent.ts'
import type { OutboxHandler } from '../jobs/outbox/outboxWorker.ts'
import type { Runtime } from './runtime.ts'

const concurrency = 4

/** Returns every type of event that a school's file can name: those of the change feed, and the security events. */
export function webhookTypes(operations: readonly Operation[]): string[] {
  return [
    ...new Set(operations.map(({ resource }) => resource.object)),
    'security',
    ...securityEvents.all.map((event) => `security.${event}`),
  ]
}

/** Returns how objects are named, with the path of those that have a separate one. */
function objectNames(operations: readonly Operation[]): (type: string) => ObjectNames | undefined {
  const names = new Map<string, ObjectNames>()
  for (const { resource, kind, path } of operations) {
    const [, before, after] = /^([^{}]*)\{[^{}]*\}([^{}]*)$/.exec(path) ?? []
    const isOwn = kind === 'get' && before !== undefined && after === ''
    const known = names.get(resource.object)
    names.set(resource.object, { idPrefix: resource.idPrefix, path: isOwn ? (id) => `${before}${id}` : known?.path })
  }
  return (type) => names.get(type)
}

/** Stores the endpoints of the configuration, so that the triggers of the database record events for them. */
export async function syncWebhooks(database: Database, { schools }: Runtime): Promise<void> {
  await syncEndpoints(
    database.kysely,
    schools.all.map(({ school }) => school.id),
    schools.all.flatMap(({ school, config }) =>
      config.webhooks
        .filter(({ enabled }) => enabled)
        .map(({ name, url, types }) => ({ schoolId: school.id, name, types: types.flatMap(expanded), urlHash: hash(url) })),
    ),
  )
}

/** True if the file of the school has an endpoint that gets events. */
export const hasWebhooks = ({ schools }: Runtime, { id }: Pick<School, 'id'>): boolean =>
  schools.all.some(({ school, config }) => school.id === id && config.webhooks.some(({ enabled }) => enabled))

const expanded = (type: string): string[] =>
  type === 'security' ? securityEvents.concerningAccess.map((event) => `security.${event}`) : [type]

/** Sends one webhook to an endpoint. Returns the status of the response. @throws DeliveryFailure without a response */
export type SendToEndpoint = (
  endpoint: WebhookEndpoint,
  hosts: readonly string[],
  message: { id: string; event: WebhookEvent },
) => Promise<number>

export function createSendToEndpoint({
  network,
  readSecret,
}: {
  network?: Partial<OutboundNetwork> | undefined
  readSecret: ReadSecret
}): SendToEndpoint {
  const guarded = createOutbound(network)
  const trusting = createOutbound({ ...network, forbiddenReason: () => undefined, allowsHttp: true })
  return async ({ url: text, secrets: references }, hosts, message) => {
    const url = new URL(text)
    const secrets = references.map((reference) => {
      try {
        return readSecret(reference)
      } catch {
        throw new DeliveryFailure('a secret of the endpoint cannot be read')
      }
    })
    return await sendWebhook({ url, secrets, ...message, send: isPrivateHost(url, hosts) ? trusting : guarded })
  }
}

interface HandlerArguments {
  database: Database
  runtime: Runtime
  operations: readonly Operation[]
  send: SendToEndpoint
}

export function webhookHandler({ database, runtime, operations, send }: HandlerArguments): OutboxHandler {
  const names = objectNames(operations)
  return {
    concurrency,
    keepsPayload: true,
    isTriedOnce: true,
    claim: (target, free, leaseSeconds) => claimForEndpoint(database.kysely, target, { free, most: concurrency, leaseSeconds }),
    async deliver({ school_id: schoolId, target, payload }) {
      const { endpoint, hosts, school } = endpointIn(runtime, schoolId, target ?? '')
      const stored = payload as StoredEvent
      if (isTemporary(stored)) return
      const key = { schoolId, name: endpoint.name }
      try {
        const status = await send(endpoint, hosts, { id: webhookId(stored), event: webhookEvent(stored, school.issuer, names) })
        if (status >= 200 && status < 300) return await recordAcceptance(database.kysely, key)
        const reason = `the receiver answered ${status}`
        if (status !== 410) throw new DeliveryFailure(reason)
        await recordGone(database.kysely, key, reason)
        throw new DeliveryFailure(reason, { isPermanent: true })
      } catch (error) {
        if (error instanceof DeliveryFailure && !error.isPermanent) await recordRejection(database.kysely, key, error.message)
        throw error
      }
    },
  }
}

/** True for events about a client or an account of `schoolgate doctor`. */
const isTemporary = (stored: StoredEvent): boolean =>
  stored.source === 'audit'
    ? isTemporaryClient(stored.client_id ?? '') || isTemporaryId(stored.account_id ?? '')
    : isTemporaryId(stored.resource_id)

interface FoundEndpoint {
  endpoint: WebhookEndpoint
  /** Hosts that may have private addresses. */
  hosts: readonly string[]
  school: School
}

function endpointIn(
  { schools }: { schools: { all: readonly { school: School; config: Config['schools'][number] }[] } },
  schoolId: string,
  name: string,
): FoundEndpoint {
  const entry = schools.all.find(({ school }) => school.id === schoolId)
  const endpoint = entry?.config.webhooks.find((one) => one.name === name)
  // Another process may have a newer configuration.
  if (!entry || !endpoint) throw new DeliveryFailure('the endpoint is not configured')
  return { endpoint, hosts: entry.config.webhook_private_hosts, school: entry.school }
}
