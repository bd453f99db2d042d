import { CodeChallengeMethod, generateCodeVerifier, OAuth2Client, type OAuth2Tokens } from 'arctic'
import type { Adapter } from '../fourConsents.ts'

/** arctic in a web service, as a client without a secret: with one it sends HTTP Basic. */
export const arctic: Adapter = ({ issuer, publicClientId, redirectUri }) => {
  const client = new OAuth2Client(publicClientId, null, redirectUri)
  const tokenEndpoint = `${issuer}/api/oauth/token`
  let verifier = ''
  let tokens: OAuth2Tokens
  return {
    credentials: { clientId: publicClientId, redirectUri },
    async begin(scope) {
      verifier = generateCodeVerifier()
      const authorization = `${issuer}/oauth/authorize`
      return client.createAuthorizationURLWithPKCE(authorization, 'a-state', CodeChallengeMethod.S256, verifier, scope.split(' ')).href
    },
    async finish({ searchParams }) {
      tokens = await client.validateAuthorizationCode(tokenEndpoint, searchParams.get('code') ?? '', verifier)
    },
    tokens: () => ({ access_token: tokens.accessToken(), refresh_token: tokens.refreshToken(), scope: tokens.scopes().join(' ') }),
    async refresh() {
      tokens = await client.refreshAccessToken(tokenEndpoint, tokens.refreshToken(), [])
    },
    revoke: () => client.revokeToken(`${issuer}/api/oauth/revoke`, tokens.refreshToken()),
  }
}
