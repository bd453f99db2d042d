import { newId, toPublicId } from '../../../base/ids.ts'
import { DeliveryFailure } from '../../../base/net/deliveryFailure.ts'
import type { School } from '../../../base/school.ts'
import { nearest } from '../../../base/text/nearest.ts'
import type { SchoolConfig } from '../../../config/schools.ts'
import type { WebhookEndpoint } from '../../../config/webhooks.ts'
import { replayOutbox } from '../../../database/outbox/outboxLists.ts'
import { listEndpoints, listOutbox } from '../../../database/tables/administration.ts'
import { reactivateEndpoint } from '../../../database/webhooks/endpointState.ts'
import { outgoingIsOff } from '../../compose/outboxHandlers.ts'
import { createSendToEndpoint } from '../../compose/webhooks.ts'
import { choice, command, group, jsonOption, schoolOption, text, withDefault } from '../command.ts'
import { failure, usage } from '../failures.ts'
import { limitIn } from '../outboxArguments.ts'
import type { Session } from '../session.ts'
import { moment } from '../table.ts'

const list = command({
  name: 'list',
  summary: 'List the endpoints and their state.',
  examples: ['webhooks list', 'webhooks list --json'],
  options: { ...schoolOption, ...jsonOption },
  async run(session) {
    const school = await session.school()
    const configured = session.settings().config.schools.find((one) => one.slug === school.slug)?.webhooks ?? []
    const stored = await listEndpoints(await session.prisma(), { schoolId: school.id })
    const rows = configured.map(({ name, url, types, enabled }) => {
      const found = stored.find((one) => one.name === name)
      return {
        name,
        // The path can contain a key.
        host: new URL(url).host,
        types,
        state: stateOf(enabled, found),
        pending: found?.pending ?? 0,
        dead: found?.dead ?? 0,
        last_success_at: moment(found?.succeeded_at ?? null),
        last_failure_at: moment(found?.failed_at ?? null),
        last_failure: found?.failure ?? null,
      }
    })
    const columns = ['name', 'host', 'state', 'pending', 'dead', 'last_success_at', 'last_failure']
    session.printList(rows, { columns, empty: 'no endpoints' })
  },
})

const deliveries = command({
  name: 'deliveries <endpoint>',
  summary: 'List deliveries to an endpoint, newest first. Delivered ones are kept for 7 days, those that were given up for 30 days.',
  examples: ['webhooks deliveries crm', 'webhooks deliveries crm --state dead --json'],
  options: {
    ...schoolOption,
    ...jsonOption,
    state: choice('state', 'only deliveries in this state', ['pending', 'delivered', 'dead', 'withheld']),
    limit: withDefault(text('number', 'maximum number of deliveries'), '100'),
  },
  async run(session, { state, limit }, name) {
    const most = limitIn(limit)
    const school = await session.school()
    const { endpoint } = endpointOf(session, school, name)
    const found = await listOutbox(await session.prisma(), { schoolId: school.id, endpoint: endpoint.name, state, limit: most })
    const rows = found.map(({ event, ...row }) => ({
      id: row.id,
      message_id: event === null ? null : toPublicId('evt', String(event.id)),
      type: event === null ? null : typeOf(event),
      state: row.state,
      attempts: row.attempts,
      created_at: moment(row.created_at),
      next_attempt_at: row.state === 'pending' ? moment(row.next_at) : null,
      delivered_at: row.state === 'delivered' ? moment(row.finished_at) : null,
      reason: row.reason,
    }))
    const columns = ['id', 'type', 'state', 'attempts', 'created_at', 'next_attempt_at', 'reason']
    session.printList(rows, { columns, empty: 'no deliveries' })
  },
})

const replay = command({
  name: 'replay <endpoint>',
  summary:
    'Send deliveries again: those that were given up or, with --state delivered, those that the receiver lost. Activates an endpoint that answered 410.',
  examples: ['webhooks replay crm', 'webhooks replay crm --state delivered --since 2026-03-01T09:00:00Z'],
  options: {
    ...schoolOption,
    state: withDefault(choice('state', 'which deliveries', ['dead', 'delivered', 'withheld']), 'dead'),
    since: text('time', 'only events from this time on, such as 2026-03-01T09:00:00Z'),
  },
  async run(session, { since, state }, name) {
    const from = since === undefined ? undefined : timeIn(since)
    if (state === 'delivered' && from === undefined) throw usage('--state delivered requires --since')
    const school = await session.school()
    const { endpoint } = endpointOf(session, school, name)
    if (!endpoint.enabled) throw usage(`endpoint ${name} is disabled in the file of the school: enable it first`)
    const count = await school.change(async ({ writer, record }) => {
      await reactivateEndpoint(writer, { schoolId: school.id, name: endpoint.name })
      const replayed = await replayOutbox(writer, { schoolId: school.id, target: endpoint.name, state, since: from })
      await record({ event: 'operator.webhooks_replayed', details: { endpoint: endpoint.name, state, count: replayed } })
      return replayed
    })
    session.terminal.out(`${count} ${count === 1 ? 'delivery' : 'deliveries'} will be sent again\n`)
  },
})

const test = command({
  name: 'test <endpoint>',
  summary: 'Send a signed event of the type webhook.test from this machine, and show the response.',
  examples: ['webhooks test crm'],
  options: schoolOption,
  async run(session, _options, name) {
    if (session.settings().config.server.outgoing === 'off') throw failure(`${outgoingIsOff}: nothing is sent`)
    const school = session.configuredSchool()
    const { config, endpoint } = endpointOf(session, school, name)
    const send = createSendToEndpoint({ readSecret: session.settings().readSecret })
    const event = { type: 'webhook.test', timestamp: new Date().toISOString(), data: { school: school.issuer } }
    const status = await send(endpoint, config.webhook_private_hosts, { id: toPublicId('evt', newId()), event }).catch((error: unknown) => {
      throw error instanceof DeliveryFailure ? failure(`${endpoint.name}: ${error.message}`) : error
    })
    if (status < 200 || status > 299) throw failure(`${endpoint.name}: the receiver answered ${status}; it must answer 2xx`)
    session.terminal.out(`${endpoint.name} answered ${status}\n`)
  },
})

export const webhooks = group(
  {
    name: 'webhooks',
    summary: 'Shows the receivers of webhooks and what they missed. The file of the school configures them.',
    examples: ['webhooks list', 'webhooks deliveries crm --state dead'],
  },
  [list, deliveries, replay, test],
)

function endpointOf(session: Session, school: Pick<School, 'slug'>, name: string): { config: SchoolConfig; endpoint: WebhookEndpoint } {
  const config = session.settings().config.schools.find(({ slug }) => slug === school.slug)
  const endpoint = config?.webhooks.find((one) => one.name === name)
  if (config && endpoint) return { config, endpoint }
  const names = config?.webhooks.map((one) => one.name) ?? []
  const near = nearest(name, names)
  const way = near
    ? `did you mean ${near}?`
    : names.length > 0
      ? `choose one of ${names.join(', ')}`
      : 'the file of the school has no webhooks'
  throw usage(`endpoint ${name} does not exist; ${way}`)
}

function timeIn(text: string): Date {
  const time = new Date(text)
  if (!/^\d{4}-\d\d-\d\d/.test(text) || Number.isNaN(time.getTime())) throw usage('--since must be a time such as 2026-03-01T09:00:00Z')
  return time
}

const typeOf = (event: Record<string, unknown>): string =>
  event.source === 'audit' ? `security.${String(event.event)}` : `${String(event.type)}.${String(event.action)}`

function stateOf(enabled: boolean, stored: { is_active: boolean; gone_at: Date | null; paused_until: Date | null } | undefined): string {
  if (!enabled) return 'disabled'
  if (!stored) return 'not started'
  if (stored.gone_at) return 'gone'
  if (!stored.is_active) return 'disabled'
  return stored.paused_until && stored.paused_until > new Date() ? 'paused' : 'active'
}
