import * as oauth from 'oauth4webapi'
import type { Adapter } from '../fourConsents.ts'
import { loopbackRedirectUri } from './loopback.ts'

const insecure = { [oauth.allowInsecureRequests]: true }

/** oauth4webapi as a confidential client that registers itself. */
export const oauth4webapi: Adapter = async ({ issuer: base }) => {
  const issuer = new URL(base)
  const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure))
  const metadata = { client_name: 'oauth4webapi', redirect_uris: [loopbackRedirectUri], token_endpoint_auth_method: 'client_secret_post' }
  const registration = await oauth.dynamicClientRegistrationRequest(server, metadata, insecure)
  const client = await oauth.processDynamicClientRegistrationResponse(registration)
  const clientSecret = String(client.client_secret)
  const authentication = oauth.ClientSecretPost(clientSecret)
  let checks: Record<'verifier' | 'state' | 'nonce', string>
  let tokens: oauth.TokenEndpointResponse
  return {
    credentials: { clientId: client.client_id, clientSecret, redirectUri: loopbackRedirectUri },
    async begin(scope) {
      checks = {
        verifier: oauth.generateRandomCodeVerifier(),
        state: oauth.generateRandomState(),
        nonce: oauth.generateRandomNonce(),
      }
      const parameters = new URLSearchParams({
        client_id: client.client_id,
        redirect_uri: loopbackRedirectUri,
        response_type: 'code',
        scope,
        code_challenge: await oauth.calculatePKCECodeChallenge(checks.verifier),
        code_challenge_method: 'S256',
        state: checks.state,
        nonce: checks.nonce,
      })
      return `${server.authorization_endpoint}?${parameters}`
    },
    async finish(redirect) {
      const parameters = oauth.validateAuthResponse(server, client, redirect, checks.state)
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        authentication,
        parameters,
        loopbackRedirectUri,
        checks.verifier,
        insecure,
      )
      const expected = { expectedNonce: checks.nonce, requireIdToken: true }
      tokens = await oauth.processAuthorizationCodeResponse(server, client, response, expected)
    },
    tokens: () => ({ ...tokens, refresh_token: tokens.refresh_token ?? '' }),
    call: (url) =>
      oauth.protectedResourceRequest(tokens.access_token, 'GET', new URL(url), undefined, null, insecure).then(
        ({ status }) => status,
        ({ status }: { status: number }) => status,
      ),
    async refresh() {
      const response = await oauth.refreshTokenGrantRequest(server, client, authentication, tokens.refresh_token ?? '', insecure)
      tokens = await oauth.processRefreshTokenResponse(server, client, response)
    },
    async revoke() {
      await oauth.processRevocationResponse(
        await oauth.revocationRequest(server, client, authentication, tokens.refresh_token ?? '', insecure),
      )
    },
  }
}
