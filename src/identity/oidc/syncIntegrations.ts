import { isDeepStrictEqual } from 'node:util'
import { supportedGrants } from '../../base/text/clientValues.ts'
import type { SchoolConfig } from '../../config/schools.ts'
import { clientFact, clientTag } from '../../database/facts/fact.ts'
import { recordAudit } from '../../database/tables/audit.ts'
import { type ConfiguredClient, isDisabledByPerson, noteDisabledBy, saveClient } from '../../database/tables/clients.ts'
import { endClient, factsOfClient, type Stores } from './stores.ts'

export interface IntegrationChanges {
  added: string[]
  removed: string[]
}

/**
 * Updates the clients in the database to match a school's file, in every process, without ending any session. A client that the file
 * disables or no longer contains is revoked with its tokens. A client that a person disabled stays disabled. `clients` are the stored
 * clients of the file, and those that it names. A client that has not changed is not written.
 */
export async function syncIntegrations(
  stores: Stores,
  schoolId: string,
  integrations: SchoolConfig['integrations'],
  clients: readonly ConfiguredClient[],
): Promise<IntegrationChanges> {
  const { database } = stores
  const known = new Map(clients.map((client) => [client.id, client]))
  const isLive = (id: string): boolean => known.get(id)?.disabled_at === null
  const wanted = new Set(integrations.filter(({ enabled }) => enabled).map(({ client_id: id }) => id))
  const isFromFile = (id: string): boolean => known.get(id)?.registered_via === 'file'
  const removed = [...known.keys()].filter((id) => isFromFile(id) && isLive(id) && !wanted.has(id))
  for (const id of removed) {
    await endClient(stores, schoolId, id)
    await noteDisabledBy(database, { schoolId, id, by: 'file' })
    await recordAudit(database, [{ school_id: schoolId, event: 'client.disabled_by_file', client_id: id }])
  }
  const added = [...wanted].filter((id) => !isDisabledByPerson(known.get(id)?.disabled_by) && !(isFromFile(id) && isLive(id)))
  for (const clientId of added) {
    await stores.facts.changing(await factsOfClient(stores, schoolId, clientId), () =>
      stores.ephemeral.restoreClient({ schoolId, clientId, clientTag: clientTag(schoolId, clientId) }),
    )
  }
  for (const integration of integrations) {
    const { client_id: id, enabled } = integration
    const metadata = metadataOf(integration)
    if (isStored(known.get(id), metadata, enabled)) continue
    await stores.facts.changing([clientFact(schoolId, id)], () =>
      saveClient(database, { schoolId, id, registeredVia: 'file', metadata, isDisabledByFile: !enabled }),
    )
  }
  return { added, removed }
}

function isStored(client: ConfiguredClient | undefined, metadata: object, enabled: boolean): boolean {
  if (client?.registered_via !== 'file' || !isDeepStrictEqual(client.metadata, metadata)) return false
  return isDisabledByPerson(client.disabled_by) || (enabled ? client.disabled_at === null : client.disabled_by === 'file')
}

/** Members of an integration's client metadata that the file names as the engine does. Those that it leaves out are not stored. */
const sameMembers = ['post_logout_redirect_uris', 'id_token_signed_response_alg', 'jwks', 'jwks_uri'] as const

export function metadataOf(integration: SchoolConfig['integrations'][number]): Record<string, unknown> {
  return {
    client_id: integration.client_id,
    client_name: integration.client_name,
    // Only native clients may use another port of a loopback address than the registered one (RFC 8252 section 7.3).
    application_type: integration.redirect_uris.every((uri) => uri.startsWith('https:')) ? 'web' : 'native',
    redirect_uris: integration.redirect_uris,
    token_endpoint_auth_method: integration.token_endpoint_auth_method,
    grant_types: integration.grant_types ?? supportedGrants,
    response_types: ['code'],
    ...Object.fromEntries(sameMembers.flatMap((name) => (integration[name] === undefined ? [] : [[name, integration[name]]]))),
    ...(integration.secret_hash === undefined ? {} : { client_secret: integration.secret_hash }),
    ...(integration.previous_secret_hash === undefined || integration.previous_secret_until === undefined
      ? {}
      : { previous_client_secret: { hash: integration.previous_secret_hash, until: integration.previous_secret_until } }),
  }
}
