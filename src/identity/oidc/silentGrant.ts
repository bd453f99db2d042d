import type { KoaContextWithOIDC } from 'oidc-provider'
import { findClient, type RegisteredVia } from '../../database/tables/clients.ts'
import { type GrantPayload, type GrantScopes, listGrantsToClient } from '../../database/tables/connectedApps.ts'
import { accountIdOf } from './claims.ts'
import type { Exchanges } from './engineTransaction.ts'
import { once } from './requestFacts.ts'
import { orUnavailable, type Stores } from './stores.ts'

/** Clients that an operator registered, with redirect URIs that only they can receive. */
const ofOperators: ReadonlySet<RegisteredVia> = new Set(['file', 'operator'])

/**
 * Returns the id of the newest grant in which the person has decided about every scope and resource of this request (OpenID Connect Core
 * section 3.1.2.1, `prompt=none`). Only integrations with https redirect URIs alone are answered without a page: such an address proves
 * who receives the code, and any program can imitate another client (RFC 6749 section 10.2, RFC 8252 section 8.6).
 */
export async function findSilentGrant(
  { oidc }: KoaContextWithOIDC,
  { stores, exchanges, schoolId }: { stores: Stores; exchanges: Exchanges; schoolId: string },
): Promise<string | undefined> {
  const { client, session, account } = oidc
  const accountId = account && session?.accountId ? accountIdOf(session.accountId) : undefined
  if (!client || accountId === undefined || client.applicationType !== 'web') return undefined
  const { clientId } = client
  const find = () => findClient(stores.database, schoolId, clientId)
  const stored = await orUnavailable(stores, once(exchanges.getStore()?.facts.clients, clientId, find))
  if (!stored || !ofOperators.has(stored.registered_via)) return undefined
  const grants = await orUnavailable(stores, listGrantsToClient(stores.database, schoolId, { accountId, clientId }))
  const requested = {
    scopes: oidc.requestParamOIDCScopes,
    resources: Object.entries(oidc.resourceServers ?? {}).map(([resource, { scopes }]): [string, ReadonlySet<string>] => [
      resource,
      oidc.requestParamScopes.intersection(scopes),
    ]),
  }
  return grants.find(({ payload }) => isDecided(payload, requested))?.id
}

interface Requested {
  scopes: ReadonlySet<string>
  resources: readonly [resource: string, scopes: ReadonlySet<string>][]
}

/**
 * True if the person has granted or refused each requested scope, everywhere it was requested. A grant without `openid` does not answer a
 * sign-in: earlier consent pages let people refuse it.
 */
function isDecided({ rejected = {}, ...granted }: GrantPayload, { scopes, resources }: Requested): boolean {
  const decided = (read: (scopes: GrantScopes) => string | undefined): Set<string> =>
    new Set([granted, rejected].flatMap((one) => (read(one) ?? '').split(' ')))
  const signsIn = !scopes.has('openid') || (granted.openid?.scope ?? '').split(' ').includes('openid')
  return (
    signsIn &&
    scopes.isSubsetOf(decided(({ openid }) => openid?.scope)) &&
    resources.every(([resource, names]) => names.isSubsetOf(decided((one) => one.resources?.[resource])))
  )
}
