import { createHash, randomBytes } from 'node:crypto'
import { type AccessToken, AuthorizationCode } from 'simple-oauth2'
import type { Adapter } from '../fourConsents.ts'

/** simple-oauth2 in a web service. It repeats the requested scope at a refresh, as its manual shows. */
export const simpleOauth2: Adapter = ({ issuer, clientId, clientSecret, redirectUri }) => {
  const client = new AuthorizationCode({
    client: { id: clientId, secret: clientSecret },
    auth: {
      tokenHost: issuer,
      tokenPath: '/api/oauth/token',
      authorizePath: '/oauth/authorize',
      revokePath: '/api/oauth/revoke',
    },
    options: { authorizationMethod: 'body' },
  })
  let scope = ''
  let verifier = ''
  let token: AccessToken
  return {
    credentials: { clientId, clientSecret, redirectUri },
    async begin(requested) {
      scope = requested
      verifier = randomBytes(32).toString('base64url')
      const challenge = {
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      }
      return client.authorizeURL({ redirect_uri: redirectUri, scope, state: 'a-state', ...challenge })
    },
    async finish(redirect) {
      const proof = { code_verifier: verifier }
      token = await client.getToken({ code: redirect.searchParams.get('code') ?? '', redirect_uri: redirectUri, ...proof })
    },
    tokens() {
      const [accessToken, refreshToken, granted] = ['access_token', 'refresh_token', 'scope'].map((name) => String(token.token[name]))
      return { access_token: accessToken ?? '', refresh_token: refreshToken ?? '', scope: granted }
    },
    async refresh() {
      token = await token.refresh({ scope })
    },
    revoke: () => token.revokeAll(),
  }
}
