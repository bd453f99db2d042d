import { agentOf } from '../../support/agent.ts'
import { type Apache, startApache } from '../../support/apache.ts'
import type { Adapter, Site, Tokens } from '../fourConsents.ts'

/** Starts Apache with mod_oauth2 in front of the API: only tokens of this client pass, and the API checks their scope. */
export function startModOauth2({ issuer, clientId, clientSecret }: Site): Promise<Apache> {
  const options = new URLSearchParams({
    ...{ 'introspect.auth': 'client_secret_post', client_id: clientId, client_secret: clientSecret },
    // Without it, a revoked token is accepted for minutes.
    expiry: '0',
  })
  return startApache(
    ['proxy', 'proxy_http', 'oauth2'],
    `<Location /api>
  AuthType oauth2
  OAuth2TokenVerify introspect ${issuer}/api/oauth/introspect ${String(options).replaceAll('+', '%20')}
  Require oauth2_claim client_id:${clientId}
  ProxyPass ${issuer}/api
</Location>
`,
  )
}

/** A client without a library, which calls the API behind mod_oauth2 in the given Apache. */
export const modOauth2 =
  (apache: () => Apache): Adapter =>
  ({ issuer, clientId, clientSecret, redirectUri }) => {
    const agent = agentOf(issuer, clientId, clientSecret, redirectUri)
    let tokens: Tokens
    return {
      credentials: { clientId, clientSecret, redirectUri },
      begin: async (scope) => agent.authorizationUrl({ scope }).href,
      async finish(redirect) {
        tokens = (await agent.redeem(redirect)).body
      },
      tokens: () => tokens,
      async call(url) {
        const headers = { authorization: `Bearer ${tokens.access_token}` }
        return (await fetch(apache().origin + url.slice(issuer.length), { headers })).status
      },
    }
  }
