import ClientOAuth2 from 'client-oauth2'
import type { Adapter } from '../fourConsents.ts'
import { pkce } from './pkce.ts'

/** client-oauth2 in a web service. It does not get the secret, which it would send by HTTP Basic: each request has it in its form. */
export const clientOauth2: Adapter = ({ issuer, clientId, clientSecret, redirectUri }) => {
  const client = new ClientOAuth2({
    clientId,
    accessTokenUri: `${issuer}/api/oauth/token`,
    authorizationUri: `${issuer}/oauth/authorize`,
    redirectUri,
    state: 'a-state',
  })
  const credentials = { client_id: clientId, client_secret: clientSecret }
  let verifier = ''
  let token: ClientOAuth2.Token
  return {
    credentials: { clientId, clientSecret, redirectUri },
    async begin(scope) {
      const [secret, challenge] = pkce()
      verifier = secret
      return client.code.getUri({ scopes: scope.split(' '), query: { code_challenge: challenge, code_challenge_method: 'S256' } })
    },
    async finish({ href }) {
      token = await client.code.getToken(href, { body: { ...credentials, code_verifier: verifier } })
    },
    tokens: () => ({ access_token: token.accessToken, refresh_token: token.refreshToken, scope: token.data.scope }),
    async refresh() {
      token = await token.refresh({ headers: { Authorization: '' }, body: credentials })
    },
  }
}
