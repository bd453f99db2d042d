import type { Command } from 'commander'
import { stringify } from 'yaml'
import type { z } from 'zod'
import { checkFile } from '../../config/checkFile.ts'
import { integration } from '../../config/integration.ts'
import { integrationRedirectError } from '../../config/redirectUris.ts'
import { newClientId, newClientSecret } from '../../oidc/clientOptions.ts'
import { hashSecret } from '../../oidc/clientSecrets.ts'
import { restoreClient } from '../../oidc/restoreClient.ts'
import { endClient } from '../../oidc/stores.ts'
import { metadataOf } from '../../oidc/syncIntegrations.ts'
import { findClient, listClients } from '../../store/administration.ts'
import { deleteClient, findAnyClient, saveClient } from '../../store/clients.ts'
import { confirm, requireAnswer } from '../confirm.ts'
import { asJson, define, type JsonOption, type SchoolOption, withSchoolOption, withYesOption, type YesOption } from '../define.ts'
import { failure, usage } from '../failures.ts'
import type { Session } from '../session.ts'
import { moment, printList, printOne } from '../table.ts'
import { addRotateSecret } from './integrationsRotateSecret.ts'

/** `integrations list`, `add`, `rotate-secret` and `remove`. */
export function addIntegrations(program: Command, session: Session): void {
  const group = define(program, {
    form: 'integrations',
    about: 'Manages integrations: approved clients with fixed redirect URIs. Changes take effect immediately.',
    examples: ['integrations list', 'integrations add --name "Newsletter Sync" --redirect-uri https://sync.example.com/callback'],
  })
  addList(group, session)
  addAdd(group, session)
  addRotateSecret(group, session)
  addRemove(group, session)
}

function addList(group: Command, session: Session): void {
  const list = define(group, {
    form: 'list',
    about: "List the integrations of the school's file and those added by command.",
    examples: ['integrations list', 'integrations list --json'],
  })
  asJson(withSchoolOption(list)).action(async ({ school: slug, json }: SchoolOption & JsonOption) => {
    const school = await session.school(slug)
    const clients = await listClients(await session.prisma(), { schoolId: school.id, via: ['file', 'operator'] })
    const rows = clients.map(({ id, metadata, registered_via, disabled_at, created_at }) => ({
      client_id: id,
      client_name: String(metadata.client_name ?? ''),
      registered_via,
      state: disabled_at === null ? 'enabled' : 'disabled',
      redirect_uris: [metadata.redirect_uris ?? []].flat().map(String),
      token_endpoint_auth_method: String(metadata.token_endpoint_auth_method ?? 'none'),
      created_at: moment(created_at),
    }))
    const columns = ['client_id', 'client_name', 'registered_via', 'state', 'token_endpoint_auth_method', 'redirect_uris']
    printList(session.terminal, rows, { json, columns, empty: 'no integrations' })
  })
}

interface AddOptions extends SchoolOption, JsonOption {
  name: string
  redirectUri: string[]
  clientId?: string
  public?: boolean
}

function addAdd(group: Command, session: Session): void {
  const { terminal } = session
  const add = define(group, {
    form: 'add',
    about: 'Add an integration. Its secret is printed once and stored as a hash.',
    examples: [
      'integrations add --name "Newsletter Sync" --redirect-uri https://sync.example.com/callback',
      'integrations add --name Kiosk --client-id kiosk --public --redirect-uri https://kiosk.example.com/a https://kiosk.example.com/b',
      'integrations add --name Cursor --public --redirect-uri cursor://anysphere.cursor-mcp/oauth/callback http://localhost:8787/callback',
    ],
  })
  asJson(withSchoolOption(add))
    .requiredOption('--name <text>', 'name on the consent page')
    .requiredOption('--redirect-uri <uri...>', 'redirect URIs: https, loopback or a private-use scheme; compared byte for byte')
    .option('--client-id <id>', 'client id (default: generated)')
    .option('--public', 'public client without a secret; PKCE is its only protection')
    .action(async ({ school: slug, json, name, redirectUri, clientId, public: isPublic }: AddOptions) => {
      const secret = isPublic ? undefined : newClientSecret()
      const checked = checkIntegration(session.settings().config.oauth.private_use_schemes, {
        client_id: clientId ?? newClientId(),
        client_name: name,
        redirect_uris: redirectUri,
        token_endpoint_auth_method: secret === undefined ? 'none' : 'client_secret_post',
        ...(secret === undefined ? {} : { secret_hash: hashSecret(secret) }),
      })
      const school = await session.schoolToFill(slug)
      const id = checked.client_id
      await session.change(async ({ writer, stores, record }) => {
        if (await findAnyClient(writer, school.id, id)) throw failure(`client ${id} already exists: choose another --client-id`)
        // An integration with the same id may have been removed recently.
        await restoreClient(await stores(), school.id, id)
        await saveClient(writer, { schoolId: school.id, id, registeredVia: 'operator', metadata: metadataOf(checked) })
        const details = { redirect_uris: checked.redirect_uris, client_name: checked.client_name }
        await record({ school_id: school.id, event: 'operator.integration_added', client_id: id, details })
      })
      printOne(terminal, { client_id: id, client_secret: secret ?? null, redirect_uris: checked.redirect_uris }, { json })
      if (secret !== undefined) terminal.err('The secret is not shown again: copy it now.\n')
    })
}

function addRemove(group: Command, session: Session): void {
  const { terminal } = session
  const remove = define(group, {
    form: 'remove <client_id>',
    about: 'Remove an integration that was added by command, and revoke its tokens.',
    examples: ['integrations remove newsletter-sync', 'integrations remove newsletter-sync --yes'],
  })
  withYesOption(withSchoolOption(remove)).action(async (id: string, { school: slug, yes }: SchoolOption & YesOption) => {
    requireAnswer(terminal, { yes })
    const school = await session.school(slug)
    const client = await findClient(await session.prisma(), { schoolId: school.id, id })
    if (!client) throw failure(`integration ${id} does not exist: see integrations list`)
    if (client.registered_via === 'file')
      throw failure(`${id} is defined in schools/${school.slug}.yaml: remove it there and reload the service`)
    if (client.registered_via !== 'operator') throw failure(`${id} is not a registered integration: use clients delete`)
    await confirm(terminal, `Remove ${id} and revoke its tokens?`, { yes })
    await session.change(async ({ writer, stores, record }) => {
      await endClient(await stores(), school.id, id)
      await deleteClient(writer, school.id, id)
      await record({ school_id: school.id, event: 'operator.integration_removed', client_id: id })
    })
    terminal.out(`${id} is removed, and its tokens are revoked\n`)
  })
}

/** Checks an integration by the rules of a school's file. */
function checkIntegration(schemes: readonly string[], given: object): z.output<typeof integration> {
  const { value, issues } = checkFile('integration', stringify(given), integration)
  const errors = value
    ? value.redirect_uris.flatMap((uri, at) => {
        const error = integrationRedirectError(uri, schemes)
        return error ? [`redirect_uris[${at}] ${error}`] : []
      })
    : issues.map(({ key, expected }) => `${key} ${expected}`)
  if (value && errors.length === 0) return value
  throw usage(errors.join('; '))
}
