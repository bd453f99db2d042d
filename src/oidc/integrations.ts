import type { SchoolConfig } from '../config/schools.ts'
import { listClients, saveClient } from '../store/clients.ts'
import { endClient, type Stores } from './stores.ts'
import { clientTag } from './tokenTags.ts'

export interface IntegrationChanges {
  added: string[]
  removed: string[]
}

/**
 * Makes the clients of a school's file the clients of the database: live at once, in every process, without ending anybody's session.
 * One that was taken out of the file ends, and its tokens with it.
 */
export async function syncIntegrations(
  stores: Stores,
  schoolId: string,
  integrations: SchoolConfig['integrations'],
): Promise<IntegrationChanges> {
  const before = (await listClients(stores.sql, schoolId)).filter(
    (client) => client.registered_via === 'file' && client.disabled_at === null,
  )
  const kept = new Set(integrations.map((integration) => integration.client_id))
  const removed = before.map((client) => client.id).filter((id) => !kept.has(id))
  for (const id of removed) await endClient(stores, schoolId, id)
  const known = new Set(before.map((client) => client.id))
  const added = [...kept].filter((id) => !known.has(id))
  for (const clientId of added) await stores.ephemeral.restoreClient({ schoolId, clientId, clientTag: clientTag(schoolId, clientId) })
  for (const integration of integrations) {
    await saveClient(stores.sql, { schoolId, id: integration.client_id, registeredVia: 'file', metadata: metadataOf(integration) })
  }
  return { added, removed }
}

/** An integration as the engine stores a client. */
export function metadataOf(integration: SchoolConfig['integrations'][number]): Record<string, unknown> {
  return {
    client_id: integration.client_id,
    client_name: integration.client_name,
    application_type: 'web',
    redirect_uris: integration.redirect_uris,
    token_endpoint_auth_method: integration.token_endpoint_auth_method,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    ...(integration.secret_hash === undefined ? {} : { client_secret: integration.secret_hash }),
  }
}
