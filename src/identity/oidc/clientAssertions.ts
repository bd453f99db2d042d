import { type Configuration, errors } from 'oidc-provider'
import type { SendOutbound } from '../../base/net/outboundRequest.ts'
import type { Caches } from '../../base/process/caches.ts'

/** The accepted algorithms of client assertions: asymmetric ones only. */
export const assertionAlgorithms = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const

/** An assertion must expire within this time: its `jti` is stored until then. */
const maxLifetimeSeconds = 3600
const maxJtiLength = 256
const maxKeySetBytes = 64 * 1024
const timeoutMs = 2500
/** Time for which a key set that could not be loaded is not requested again. */
const pauseMs = 10_000

/**
 * The engine's options for `private_key_jwt` (RFC 7523 section 3). The engine checks signature, audience and times, and stores the `jti` of
 * each assertion. It keeps the keys of a `jwks_uri` for at least a minute.
 */
export function clientAssertions(send: SendOutbound, caches: Caches): Pick<Configuration, 'assertJwtClientAuthClaimsAndHeader' | 'fetch'> {
  const unreachable = caches.create<{ until: number }>('unreachable_key_sets')
  return {
    assertJwtClientAuthClaimsAndHeader(_ctx, { exp, jti }) {
      if (typeof exp !== 'number' || exp > Date.now() / 1000 + maxLifetimeSeconds)
        throw new errors.InvalidClientAuth('client_assertion lives too long')
      if (typeof jti !== 'string' || jti.length > maxJtiLength) throw new errors.InvalidClientAuth('client_assertion has no usable jti')
    },
    async fetch(input) {
      const url = new URL(input instanceof Request ? input.url : input)
      if (performance.now() < (unreachable.get(url.href)?.until ?? 0)) throw new Error(`${url.href} could not be loaded a moment ago`)
      try {
        const { keys, cacheControl } = await loadKeySet(send, url)
        return Response.json({ keys }, cacheControl === undefined ? {} : { headers: { 'cache-control': cacheControl } })
      } catch (error) {
        unreachable.set(url.href, { until: performance.now() + pauseMs })
        throw error
      }
    },
  }
}

/**
 * Loads the JSON Web Key Set of a client.
 * @throws OutboundError, or an error that names the problem of the response
 */
export async function loadKeySet(send: SendOutbound, url: URL): Promise<{ keys: unknown; cacheControl: string | undefined }> {
  const response = await send({ url, method: 'GET', headers: { Accept: 'application/json' }, maxBytes: maxKeySetBytes, timeoutMs })
  if (response.status !== 200) throw new Error(`${url.href} has answered with the status ${response.status}`)
  const { keys } = JSON.parse(response.body.toString())
  return { keys, cacheControl: response.headers['cache-control'] }
}
