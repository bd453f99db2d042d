import type { Config } from '../../../config/load.ts'
import { countGrants, findClient, listClients } from '../../../database/tables/administration.ts'
import { type ClientRow, countUnusedClients, deleteClient, noteDisabledBy, pruneClients } from '../../../database/tables/clients.ts'
import { previousSecretOf } from '../../../identity/oidc/clientSecrets.ts'
import { restoreClient } from '../../../identity/oidc/restoreClient.ts'
import { endClient } from '../../../identity/oidc/stores.ts'
import { choice, command, flag, group, jsonOption, removalOptions, schoolOption } from '../command.ts'
import { failure } from '../failures.ts'
import { withProgress } from '../progress.ts'
import type { Session } from '../session.ts'
import { type Listed, moment } from '../table.ts'

const list = command({
  name: 'list',
  summary: 'List clients, newest first.',
  examples: ['clients list', 'clients list --via self --json', 'clients list --disabled'],
  options: {
    ...schoolOption,
    ...jsonOption,
    via: choice('way', 'only clients that were added this way', ['self', 'document', 'file', 'operator', 'service']),
    disabled: flag('only disabled clients'),
  },
  async run(session, { via, disabled }) {
    const school = await session.school()
    const clients = await listClients(await session.prisma(), { schoolId: school.id })
    const rows = clients
      .filter((client) => (via === undefined || client.registered_via === via) && (!disabled || client.disabled_at !== null))
      .map(listed)
    const columns = ['client_id', 'client_name', 'registered_via', 'state', 'created_at', 'last_used_at']
    session.printList(rows, { columns, empty: 'no clients' })
  },
})

const show = command({
  name: 'show <client_id>',
  summary: 'Show one client with its metadata. Secrets are stored as hashes and not shown.',
  examples: ['clients show newsletter-sync', 'clients show newsletter-sync --json'],
  options: { ...schoolOption, ...jsonOption },
  async run(session, _options, id) {
    const school = await session.school()
    const client = await requireClient(session, school.id, id)
    const texts = (name: string): string[] => [client.metadata[name] ?? []].flat().map(String)
    session.printOne({
      ...listed(client),
      redirect_uris: texts('redirect_uris'),
      post_logout_redirect_uris: texts('post_logout_redirect_uris'),
      grant_types: texts('grant_types'),
      application_type: String(client.metadata.application_type ?? 'native'),
      token_endpoint_auth_method: String(client.metadata.token_endpoint_auth_method ?? 'none'),
      has_secret: client.metadata.client_secret !== undefined,
      previous_secret_until: previousSecretOf(client.metadata)?.until ?? null,
      live_grants: await countGrants(await session.prisma(), { schoolId: school.id, clientId: id }),
    })
  },
})

const disable = command({
  name: 'disable <client_id>',
  summary: 'Disable a client and revoke all its tokens. It stays disabled, also after reloads and restarts, until you run clients enable.',
  examples: ['clients disable cli_01k9zq4v6tf5wb0m3d8n2xhraj', 'clients disable newsletter-sync --yes'],
  options: { ...schoolOption, ...removalOptions },
  async run(session, _options, id) {
    const school = await session.school()
    const client = await requireClient(session, school.id, id)
    await session.confirm(`Disable ${nameOf(client)} and revoke its tokens?`)
    await school.change(async ({ writer, stores, record }) => {
      await endClient(await stores(), school.id, id)
      await noteDisabledBy(writer, { schoolId: school.id, id, by: 'operator' })
      await record({ event: 'operator.client_disabled', client_id: id })
    })
    session.terminal.out(`${id} is disabled, and its tokens are revoked\n`)
  },
})

const enable = command({
  name: 'enable <client_id>',
  summary: 'Enable a disabled client. Its earlier tokens stay revoked: people must connect it again.',
  examples: ['clients enable cli_01k9zq4v6tf5wb0m3d8n2xhraj'],
  options: schoolOption,
  async run(session, _options, id) {
    const school = await session.school()
    const client = await requireClient(session, school.id, id)
    if (client.disabled_at === null) throw failure(`${id} is not disabled`)
    if (client.registered_via === 'file' && !isWanted(session.settings().config, school.slug, id)) {
      throw failure(`schools/${school.slug}.yaml disables ${id} or does not list it: change the file and reload the service`)
    }
    if (client.registered_via === 'document' && client.disabled_by === 'file') {
      throw failure(`client_metadata_documents.trusted_hosts in oauth.yaml does not accept ${id}: add its host and reload the service`)
    }
    await school.change(async ({ stores, record }) => {
      await restoreClient(await stores(), school.id, id)
      await record({ event: 'operator.client_enabled', client_id: id })
    })
    session.terminal.out(`${id} is enabled\n`)
  },
})

const remove = command({
  name: 'delete <client_id>',
  summary: 'Delete a client with its tokens and grants. To connect again, it must register again.',
  examples: ['clients delete cli_01k9zq4v6tf5wb0m3d8n2xhraj', 'clients delete cli_01k9zq4v6tf5wb0m3d8n2xhraj --yes'],
  options: { ...schoolOption, ...removalOptions },
  async run(session, _options, id) {
    const school = await session.school()
    const client = await requireClient(session, school.id, id)
    if (client.registered_via === 'file') {
      throw failure(`${id} is defined in schools/${school.slug}.yaml: remove it there and reload the service, which revokes its tokens`)
    }
    await session.confirm(`Delete ${nameOf(client)} with all its grants?`)
    await school.change(async ({ writer, stores, record }) => {
      await endClient(await stores(), school.id, id)
      await deleteClient(writer, school.id, id)
      await record({ event: 'operator.client_deleted', client_id: id, details: { registered_via: client.registered_via } })
    })
    session.terminal.out(`${id} is deleted, and its tokens are revoked\n`)
  },
})

const prune = command({
  name: 'prune',
  summary:
    'Delete unused clients: self-registered ones after registration.never_used_days or idle_days, those of metadata documents after one day without an authorization.',
  examples: ['clients prune --dry-run', 'clients prune --yes'],
  options: { ...schoolOption, ...removalOptions },
  async run(session) {
    const { terminal } = session
    const school = await session.school()
    const { never_used_days: neverUsedDays, idle_days: idleDays } = session.settings().config.oauth.registration
    const rules = { neverUsedDays, idleDays, schoolId: school.id }
    const found = await countUnusedClients(school.rows, rules)
    if (found === 0) return terminal.out('0 unused clients; nothing was changed\n')
    await session.confirm(`Delete ${found} unused ${found === 1 ? 'client' : 'clients'} of ${school.slug}?`)
    const removed = await withProgress(terminal, 'removing unused clients', () =>
      school.change(async ({ writer, record }) => {
        const removed = await pruneClients(writer, rules)
        await record({ event: 'operator.clients_pruned', details: { removed } })
        return removed
      }),
    )
    terminal.out(`${removed} deleted\n`)
  },
})

export const clients = group(
  {
    name: 'clients',
    summary: 'Manages OAuth clients: self-registered clients, clients of metadata documents and registered integrations.',
    examples: ['clients list', 'clients disable cli_01k9zq4v6tf5wb0m3d8n2xhraj'],
  },
  [list, show, disable, enable, remove, prune],
)

const isWanted = ({ schools }: Config, slug: string, id: string): boolean =>
  schools.some((school) => school.slug === slug && school.integrations.some(({ client_id, enabled }) => client_id === id && enabled))

/** @throws CommanderError if the school does not have this client */
async function requireClient(session: Session, schoolId: string, id: string): Promise<ClientRow> {
  const client = await findClient(await session.prisma(), { schoolId, id })
  if (!client) throw failure(`client ${id} does not exist: see clients list`)
  return client
}

const nameOf = ({ id, metadata }: ClientRow): string => `${id} (“${String(metadata.client_name ?? '')}”)`

function listed({ id, metadata, registered_via, disabled_at, disabled_by, paused_at, created_at, last_used_at }: ClientRow): Listed {
  return {
    client_id: id,
    client_name: metadata.client_name === undefined ? null : String(metadata.client_name),
    registered_via,
    state: disabled_at !== null ? 'disabled' : paused_at !== null ? 'paused' : 'enabled',
    created_at: moment(created_at),
    last_used_at: moment(last_used_at),
    disabled_at: moment(disabled_at),
    disabled_by,
    paused_at: moment(paused_at),
  }
}
