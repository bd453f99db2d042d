import { type AccessToken, AuthorizationCode } from 'simple-oauth2'
import type { Adapter } from '../fourConsents.ts'
import { pkce } from './pkce.ts'

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
      const [secret, challenge] = pkce()
      verifier = secret
      const proof = { code_challenge: challenge, code_challenge_method: 'S256' }
      return client.authorizeURL({ redirect_uri: redirectUri, scope, state: 'a-state', ...proof })
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
