import { stringify } from 'yaml'
import type { z } from 'zod'
import { checkFile } from '../../../config/checkFile.ts'
import { integration } from '../../../config/integration.ts'
import { integrationRedirectError, uriIssues } from '../../../config/redirectUris.ts'
import { findClient, listClients } from '../../../database/tables/administration.ts'
import { deleteClient, findAnyClient, saveClient } from '../../../database/tables/clients.ts'
import { newClientId, newClientSecret } from '../../../identity/oidc/clientOptions.ts'
import { hashSecret } from '../../../identity/oidc/clientSecrets.ts'
import { restoreClient } from '../../../identity/oidc/restoreClient.ts'
import { endClient } from '../../../identity/oidc/stores.ts'
import { metadataOf } from '../../../identity/oidc/syncIntegrations.ts'
import { command, flag, group, jsonOption, removalOptions, required, schoolOption, text, texts } from '../command.ts'
import { failure, usage } from '../failures.ts'
import { moment } from '../table.ts'
import { rotateSecret } from './integrationsRotateSecret.ts'

const textsOf = (value: unknown): string[] => [value ?? []].flat().map(String)

const list = command({
  name: 'list',
  summary: "List the integrations of the school's file and those added by command.",
  examples: ['integrations list', 'integrations list --json'],
  options: { ...schoolOption, ...jsonOption },
  async run(session) {
    const school = await session.school()
    const clients = await listClients(await session.prisma(), { schoolId: school.id, via: ['file', 'operator'] })
    const rows = clients.map(({ id, metadata, registered_via, disabled_at, created_at }) => ({
      client_id: id,
      client_name: String(metadata.client_name ?? ''),
      registered_via,
      state: disabled_at === null ? 'enabled' : 'disabled',
      redirect_uris: textsOf(metadata.redirect_uris),
      post_logout_redirect_uris: textsOf(metadata.post_logout_redirect_uris),
      token_endpoint_auth_method: String(metadata.token_endpoint_auth_method ?? 'none'),
      created_at: moment(created_at),
    }))
    const columns = ['client_id', 'client_name', 'registered_via', 'state', 'token_endpoint_auth_method', 'redirect_uris']
    session.printList(rows, { columns, empty: 'no integrations' })
  },
})

const add = command({
  name: 'add',
  summary: 'Add an integration. Its secret is printed once and stored as a hash.',
  examples: [
    'integrations add --name "Newsletter Sync" --redirect-uri https://sync.example.com/callback',
    'integrations add --name Shop --redirect-uri https://shop.example.com/callback --post-logout-redirect-uri https://shop.example.com/',
    'integrations add --name Kiosk --client-id kiosk --public --redirect-uri https://kiosk.example.com/a https://kiosk.example.com/b',
    'integrations add --name Cursor --public --redirect-uri cursor://anysphere.cursor-mcp/oauth/callback http://localhost:8787/callback',
  ],
  options: {
    ...schoolOption,
    ...jsonOption,
    name: required(text('text', 'name on the consent page')),
    redirectUri: required(texts('uri', 'redirect URIs: https, loopback or a private-use scheme; compared byte for byte')),
    postLogoutRedirectUri: texts('uri', 'addresses to which a sign-out may lead back, with the rules of redirect URIs'),
    clientId: text('id', 'client id (default: generated)'),
    public: flag('public client without a secret; PKCE is its only protection'),
  },
  async run(session, { name, redirectUri, postLogoutRedirectUri, clientId, public: isPublic }) {
    const secret = isPublic ? undefined : newClientSecret()
    const checked = checkIntegration(session.settings().config.oauth.private_use_schemes, {
      client_id: clientId ?? newClientId(),
      client_name: name,
      redirect_uris: redirectUri,
      ...(postLogoutRedirectUri === undefined ? {} : { post_logout_redirect_uris: postLogoutRedirectUri }),
      token_endpoint_auth_method: secret === undefined ? 'none' : 'client_secret_post',
      ...(secret === undefined ? {} : { secret_hash: hashSecret(secret) }),
    })
    const school = await session.schoolToFill()
    const id = checked.client_id
    await school.change(async ({ writer, stores, record }) => {
      if (await findAnyClient(writer, school.id, id)) throw failure(`client ${id} already exists: choose another --client-id`)
      // An integration with the same id may have been removed recently.
      await restoreClient(await stores(), school.id, id)
      await saveClient(writer, { schoolId: school.id, id, registeredVia: 'operator', metadata: metadataOf(checked) })
      const details = { redirect_uris: checked.redirect_uris, client_name: checked.client_name }
      await record({ event: 'operator.integration_added', client_id: id, details })
    })
    session.printOne({
      client_id: id,
      client_secret: secret ?? null,
      redirect_uris: checked.redirect_uris,
      post_logout_redirect_uris: checked.post_logout_redirect_uris ?? [],
    })
    if (secret !== undefined) session.terminal.err('The secret is not shown again: copy it now.\n')
  },
})

const remove = command({
  name: 'remove <client_id>',
  summary: 'Remove an integration that was added by command, and revoke its tokens.',
  examples: ['integrations remove newsletter-sync', 'integrations remove newsletter-sync --yes'],
  options: { ...schoolOption, ...removalOptions },
  async run(session, _options, id) {
    const school = await session.school()
    const client = await findClient(await session.prisma(), { schoolId: school.id, id })
    if (!client) throw failure(`integration ${id} does not exist: see integrations list`)
    if (client.registered_via === 'file')
      throw failure(`${id} is defined in schools/${school.slug}.yaml: remove it there and reload the service`)
    if (client.registered_via !== 'operator') throw failure(`${id} is not a registered integration: use clients delete`)
    await session.confirm(`Remove ${id} and revoke its tokens?`)
    await school.change(async ({ writer, stores, record }) => {
      await endClient(await stores(), school.id, id)
      await deleteClient(writer, school.id, id)
      await record({ event: 'operator.integration_removed', client_id: id })
    })
    session.terminal.out(`${id} is removed, and its tokens are revoked\n`)
  },
})

export const integrations = group(
  {
    name: 'integrations',
    summary: 'Manages integrations: approved clients with fixed redirect URIs. Changes take effect immediately.',
    examples: ['integrations list', 'integrations add --name "Newsletter Sync" --redirect-uri https://sync.example.com/callback'],
  },
  [list, add, rotateSecret, remove],
)

function checkIntegration(schemes: readonly string[], given: object): z.output<typeof integration> {
  const { value, issues } = checkFile('integration', stringify(given), integration)
  const errors = value
    ? uriIssues(value, (uri) => integrationRedirectError(uri, schemes)).map(
        ({ path: [list, at], expected }) => `${list}[${at}] ${expected}`,
      )
    : issues.map(({ key, expected }) => `${key} ${expected}`)
  if (value && errors.length === 0) return value
  throw usage(errors.join('; '))
}
