import type { Command } from 'commander'
import { Option } from 'commander'
import type { Config } from '../../config/load.ts'
import { previousSecretOf } from '../../oidc/clientSecrets.ts'
import { restoreClient } from '../../oidc/restoreClient.ts'
import { endClient } from '../../oidc/stores.ts'
import { countGrants, findClient, listClients } from '../../store/administration.ts'
import { type ClientRow, countUnusedClients, deleteClient, noteDisabledBy, pruneClients } from '../../store/clients.ts'
import { confirm, requireAnswer } from '../confirm.ts'
import { asJson, define, type JsonOption, type SchoolOption, withSchoolOption, withYesOption, type YesOption } from '../define.ts'
import { failure } from '../failures.ts'
import { withProgress } from '../progress.ts'
import type { Session } from '../session.ts'
import { type Listed, moment, printList, printOne } from '../table.ts'

/** `clients list`, `show`, `disable`, `enable`, `delete` and `prune`. */
export function addClients(program: Command, session: Session): void {
  const group = define(program, {
    form: 'clients',
    about: 'Manages OAuth clients: self-registered clients, clients of metadata documents and registered integrations.',
    examples: ['clients list', 'clients disable cli_01k9zq4v6tf5wb0m3d8n2xhraj'],
  })
  addList(group, session)
  addShow(group, session)
  addDisable(group, session)
  addEnable(group, session)
  addDelete(group, session)
  addPrune(group, session)
}

function addList(group: Command, session: Session): void {
  const list = define(group, {
    form: 'list',
    about: 'List clients, newest first.',
    examples: ['clients list', 'clients list --via self --json', 'clients list --disabled'],
  })
  asJson(withSchoolOption(list))
    .addOption(
      new Option('--via <way>', 'only clients that were added this way').choices(['self', 'document', 'file', 'operator', 'service']),
    )
    .option('--disabled', 'only disabled clients')
    .action(async ({ school: slug, json, via, disabled }: SchoolOption & JsonOption & { via?: string; disabled?: boolean }) => {
      const school = await session.school(slug)
      const clients = await listClients(await session.prisma(), { schoolId: school.id })
      const rows = clients
        .filter((client) => (via === undefined || client.registered_via === via) && (!disabled || client.disabled_at !== null))
        .map(listed)
      printList(session.terminal, rows, {
        json,
        columns: ['client_id', 'client_name', 'registered_via', 'state', 'created_at', 'last_used_at'],
        empty: 'no clients',
      })
    })
}

function addShow(group: Command, session: Session): void {
  const show = define(group, {
    form: 'show <client_id>',
    about: 'Show one client with its metadata. Secrets are stored as hashes and not shown.',
    examples: ['clients show newsletter-sync', 'clients show newsletter-sync --json'],
  })
  asJson(withSchoolOption(show)).action(async (id: string, { school: slug, json }: SchoolOption & JsonOption) => {
    const school = await session.school(slug)
    const client = await requireClient(session, school.id, id)
    const texts = (name: string): string[] => [client.metadata[name] ?? []].flat().map(String)
    const row = {
      ...listed(client),
      redirect_uris: texts('redirect_uris'),
      grant_types: texts('grant_types'),
      application_type: String(client.metadata.application_type ?? 'native'),
      token_endpoint_auth_method: String(client.metadata.token_endpoint_auth_method ?? 'none'),
      has_secret: client.metadata.client_secret !== undefined,
      previous_secret_until: previousSecretOf(client.metadata)?.until ?? null,
      live_grants: await countGrants(await session.prisma(), { schoolId: school.id, clientId: id }),
    }
    printOne(session.terminal, row, { json })
  })
}

function addDisable(group: Command, session: Session): void {
  const { terminal } = session
  const disable = define(group, {
    form: 'disable <client_id>',
    about: 'Disable a client and revoke all its tokens. It stays disabled, also after reloads and restarts, until you run clients enable.',
    examples: ['clients disable cli_01k9zq4v6tf5wb0m3d8n2xhraj', 'clients disable newsletter-sync --yes'],
  })
  withYesOption(withSchoolOption(disable)).action(async (id: string, { school: slug, yes }: SchoolOption & YesOption) => {
    requireAnswer(terminal, { yes })
    const school = await session.school(slug)
    const client = await requireClient(session, school.id, id)
    await confirm(terminal, `Disable ${nameOf(client)} and revoke its tokens?`, { yes })
    await session.change(async ({ writer, stores, record }) => {
      await endClient(await stores(), school.id, id)
      await noteDisabledBy(writer, { schoolId: school.id, id, by: 'operator' })
      await record({ school_id: school.id, event: 'operator.client_disabled', client_id: id })
    })
    terminal.out(`${id} is disabled, and its tokens are revoked\n`)
  })
}

function addEnable(group: Command, session: Session): void {
  const enable = define(group, {
    form: 'enable <client_id>',
    about: 'Enable a disabled client. Its earlier tokens stay revoked: people must connect it again.',
    examples: ['clients enable cli_01k9zq4v6tf5wb0m3d8n2xhraj'],
  })
  withSchoolOption(enable).action(async (id: string, { school: slug }: SchoolOption) => {
    const school = await session.school(slug)
    const client = await requireClient(session, school.id, id)
    if (client.disabled_at === null) throw failure(`${id} is not disabled`)
    if (client.registered_via === 'file' && !isWanted(session.settings().config, school.slug, id)) {
      throw failure(`schools/${school.slug}.yaml disables ${id} or does not list it: change the file and reload the service`)
    }
    if (client.registered_via === 'document' && client.disabled_by === 'file') {
      throw failure(`client_metadata_documents.trusted_hosts in oauth.yaml does not accept ${id}: add its host and reload the service`)
    }
    await session.change(async ({ stores, record }) => {
      await restoreClient(await stores(), school.id, id)
      await record({ school_id: school.id, event: 'operator.client_enabled', client_id: id })
    })
    session.terminal.out(`${id} is enabled\n`)
  })
}

function addDelete(group: Command, session: Session): void {
  const { terminal } = session
  const remove = define(group, {
    form: 'delete <client_id>',
    about: 'Delete a client with its tokens and grants. To connect again, it must register again.',
    examples: ['clients delete cli_01k9zq4v6tf5wb0m3d8n2xhraj', 'clients delete cli_01k9zq4v6tf5wb0m3d8n2xhraj --yes'],
  })
  withYesOption(withSchoolOption(remove)).action(async (id: string, { school: slug, yes }: SchoolOption & YesOption) => {
    requireAnswer(terminal, { yes })
    const school = await session.school(slug)
    const client = await requireClient(session, school.id, id)
    if (client.registered_via === 'file') {
      throw failure(`${id} is defined in schools/${school.slug}.yaml: remove it there and reload the service, which revokes its tokens`)
    }
    await confirm(terminal, `Delete ${nameOf(client)} with all its grants?`, { yes })
    await session.change(async ({ writer, stores, record }) => {
      await endClient(await stores(), school.id, id)
      await deleteClient(writer, school.id, id)
      await record({
        school_id: school.id,
        event: 'operator.client_deleted',
        client_id: id,
        details: { registered_via: client.registered_via },
      })
    })
    terminal.out(`${id} is deleted, and its tokens are revoked\n`)
  })
}

function addPrune(group: Command, session: Session): void {
  const { terminal } = session
  const prune = define(group, {
    form: 'prune',
    about:
      'Delete unused clients: self-registered ones after registration.never_used_days or idle_days, those of metadata documents after one day without an authorization.',
    examples: ['clients prune --dry-run', 'clients prune --yes'],
  })
  withYesOption(withSchoolOption(prune))
    .option('--dry-run', 'only count the clients that would be deleted')
    .action(async ({ school: slug, yes, dryRun }: SchoolOption & YesOption & { dryRun?: boolean }) => {
      if (!dryRun) requireAnswer(terminal, { yes })
      const school = await session.school(slug)
      const { never_used_days: neverUsedDays, idle_days: idleDays } = session.settings().config.oauth.registration
      const rules = { neverUsedDays, idleDays, schoolId: school.id }
      const found = await countUnusedClients((await session.database()).kysely, rules)
      if (dryRun || found === 0) return terminal.out(`${found} unused ${found === 1 ? 'client' : 'clients'}; nothing was changed\n`)
      await confirm(terminal, `Delete ${found} unused ${found === 1 ? 'client' : 'clients'} of ${school.slug}?`, { yes })
      const removed = await withProgress(terminal, 'removing unused clients', () =>
        session.change(async ({ writer, record }) => {
          const removed = await pruneClients(writer, rules)
          await record({ school_id: school.id, event: 'operator.clients_pruned', details: { removed } })
          return removed
        }),
      )
      terminal.out(`${removed} deleted\n`)
    })
}

/** Returns true if the school's file lists the integration and does not disable it. */
const isWanted = ({ schools }: Config, slug: string, id: string): boolean =>
  schools.some((school) => school.slug === slug && school.integrations.some(({ client_id, enabled }) => client_id === id && enabled))

/** @throws CommanderError if the school does not have this client */
async function requireClient(session: Session, schoolId: string, id: string): Promise<ClientRow> {
  const client = await findClient(await session.prisma(), { schoolId, id })
  if (!client) throw failure(`client ${id} does not exist: see clients list`)
  return client
}

const nameOf = ({ id, metadata }: ClientRow): string => `${id} (“${String(metadata.client_name ?? '')}”)`

function listed({ id, metadata, registered_via, disabled_at, disabled_by, created_at, last_used_at }: ClientRow): Listed {
  return {
    client_id: id,
    client_name: metadata.client_name === undefined ? null : String(metadata.client_name),
    registered_via,
    state: disabled_at === null ? 'enabled' : 'disabled',
    created_at: moment(created_at),
    last_used_at: moment(last_used_at),
    disabled_at: moment(disabled_at),
    disabled_by,
  }
}
