import { createRequire } from 'node:module'
import type { Adapter, Tokens } from '../fourConsents.ts'
import { loopbackRedirectUri } from './loopback.ts'
import { pkce } from './pkce.ts'

/** The members of versions before 6 that this adapter calls. */
interface FirstClient {
  client_id: string
  client_secret: string
  CLOCK_TOLERANCE: number
  authorizationUrl(parameters: object): string
  authorizationCallback(redirectUri: string, parameters: object, checks: object): Promise<Tokens>
  callbackParams(url: string): object
  refresh(tokens: Tokens): Promise<Tokens>
  revoke(token: string): Promise<unknown>
}
interface FirstIssuer {
  Client: { register(metadata: object): Promise<FirstClient> }
}

/** The first openid-client with PKCE, as a confidential client that registers itself. */
export const openidClient1: Adapter = async ({ issuer }) => {
  const library: { Issuer: { discover(issuer: string): Promise<FirstIssuer> } } = createRequire(import.meta.url)('openid-client-1')
  const { Client } = await library.Issuer.discover(issuer)
  const client = await Client.register({
    client_name: 'openid-client',
    redirect_uris: [loopbackRedirectUri],
    token_endpoint_auth_method: 'client_secret_post',
  })
  // Its clock may be behind that of the service, which the library otherwise rejects.
  client.CLOCK_TOLERANCE = 120
  const [verifier, challenge] = pkce()
  const checks = { state: 'a-state', nonce: 'a-nonce', code_verifier: verifier }
  let tokens: Tokens
  return {
    credentials: { clientId: client.client_id, clientSecret: client.client_secret, redirectUri: loopbackRedirectUri },
    async begin(scope) {
      const { state, nonce } = checks
      const proof = { code_challenge: challenge, code_challenge_method: 'S256' }
      return client.authorizationUrl({ redirect_uri: loopbackRedirectUri, scope, state, nonce, ...proof })
    },
    async finish({ href }) {
      tokens = await client.authorizationCallback(loopbackRedirectUri, client.callbackParams(href), checks)
    },
    tokens: () => tokens,
    async refresh() {
      tokens = await client.refresh(tokens)
    },
    revoke: () => client.revoke(tokens.refresh_token),
  }
}
