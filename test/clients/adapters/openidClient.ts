import * as client from 'openid-client'
import type { Adapter } from '../fourConsents.ts'
import { loopbackRedirectUri } from './loopback.ts'

const signedOutUri = new URL('/signed-out', loopbackRedirectUri).href

/** openid-client as a public client that registers itself. */
export const openidClient: Adapter = async ({ issuer }) => {
  const metadata = { client_name: 'openid-client', redirect_uris: [loopbackRedirectUri], post_logout_redirect_uris: [signedOutUri] }
  const execute = [client.allowInsecureRequests, client.enableNonRepudiationChecks]
  const config = await client.dynamicClientRegistration(new URL(issuer), metadata, client.None(), { execute })
  let checks: client.AuthorizationCodeGrantChecks
  let tokens: Awaited<ReturnType<typeof client.authorizationCodeGrant>>
  return {
    credentials: { clientId: config.clientMetadata().client_id, redirectUri: loopbackRedirectUri },
    async begin(scope) {
      const pkceCodeVerifier = client.randomPKCECodeVerifier()
      const [expectedState, expectedNonce] = [client.randomState(), client.randomNonce()]
      checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true }
      return client.buildAuthorizationUrl(config, {
        redirect_uri: loopbackRedirectUri,
        scope,
        state: expectedState,
        nonce: expectedNonce,
        code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
      }).href
    },
    async finish(redirect) {
      tokens = await client.authorizationCodeGrant(config, redirect, checks)
    },
    tokens: () => ({ ...tokens, refresh_token: tokens.refresh_token ?? '' }),
    call: (url) =>
      client.fetchProtectedResource(config, tokens.access_token, new URL(url), 'GET').then(
        ({ status }) => status,
        ({ status }: { status: number }) => status,
      ),
    async refresh() {
      tokens = await client.refreshTokenGrant(config, tokens.refresh_token ?? '')
    },
    revoke: () => client.tokenRevocation(config, tokens.refresh_token ?? ''),
    signOut: async () =>
      client.buildEndSessionUrl(config, { id_token_hint: tokens.id_token ?? '', post_logout_redirect_uri: signedOutUri }).href,
  }
}
