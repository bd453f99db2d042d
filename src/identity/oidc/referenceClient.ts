import { isDeepStrictEqual } from 'node:util'
import type { School } from '../../base/school.ts'
import { clientFact } from '../../database/facts/fact.ts'
import { findAnyClient, saveClient } from '../../database/tables/clients.ts'
import type { Stores } from './stores.ts'

const referenceClientId = 'api-reference'

/**
 * Returns the metadata of the client: public, with PKCE, and with one redirect URI at the address of the school, so no other site receives
 * its codes. It has no refresh tokens: a sign-in ends with the page.
 */
const metadataOf = (issuer: string, callbackPath: string) => ({
  client_id: referenceClientId,
  client_name: 'API reference',
  application_type: 'web',
  redirect_uris: [`${issuer}${callbackPath}`],
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code'],
  response_types: ['code'],
})

/**
 * Returns the id of the client of the API reference, and stores the client if it is missing or if the address of the school has changed.
 * Returns undefined if the client is disabled, or if the school's file defines a client of this id.
 */
export async function ensureReferenceClient(
  stores: Stores,
  { id: schoolId, issuer }: School,
  callbackPath: string,
): Promise<string | undefined> {
  const metadata = metadataOf(issuer, callbackPath)
  const client = await findAnyClient(stores.database, schoolId, referenceClientId)
  if (client && (client.registered_via !== 'service' || client.disabled_at !== null)) return undefined
  if (client && isDeepStrictEqual(client.metadata, metadata)) return referenceClientId
  await stores.facts.changing([clientFact(schoolId, referenceClientId)], () =>
    saveClient(stores.database, { schoolId, id: referenceClientId, registeredVia: 'service', metadata }),
  )
  return referenceClientId
}
