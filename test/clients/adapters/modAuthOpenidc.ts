import { unescapeHtml } from '../../../src/base/text/escapeHtml.ts'
import { type Apache, startApache } from '../../support/apache.ts'
import type { Adapter, Site } from '../fourConsents.ts'
import { createAppBrowser } from '../webApp.ts'

/** Starts Apache with mod_auth_openidc. Below /more it asks for another permission. */
export const startModAuthOpenidc = ({ issuer, clientId, clientSecret, redirectUri }: Site, asked: string, more: string): Promise<Apache> =>
  startApache(
    ['headers', 'proxy', 'proxy_http', 'auth_openidc'],
    `OIDCProviderMetadataURL ${issuer}/.well-known/openid-configuration
OIDCClientID ${clientId}
OIDCClientSecret "${clientSecret}"
OIDCProviderTokenEndpointAuth client_secret_post
OIDCPKCEMethod S256
OIDCScope "${asked}"
OIDCRedirectURI ${redirectUri}
OIDCXForwardedHeaders X-Forwarded-Proto X-Forwarded-Host
OIDCCryptoPassphrase "the secret with which the app encrypts its session"
OIDCInfoHook access_token refresh_token
<Location />
  AuthType openid-connect
  Require valid-user
</Location>
<Location /more>
  Require claim orders:allowed
  OIDCUnAutzAction auth
  OIDCPathScope "${more}"
</Location>
<Location /api>
  ProxyPass ${issuer}/api
  RequestHeader set Authorization "Bearer %{OIDC_access_token}e"
</Location>
`,
  )

/** mod_auth_openidc in the given Apache. It repeats the requested scope at a refresh. */
export const modAuthOpenidc =
  (apache: () => Apache, more: string): Adapter =>
  ({ issuer, clientId, clientSecret, redirectUri }) => {
    const browser = createAppBrowser(apache().origin)
    const { origin, pathname } = new URL(redirectUri)
    const hook = (parameters: Record<string, string>) => browser.open(`${pathname}?${new URLSearchParams(parameters)}`)
    const tokens = async () => {
      const { status, text } = await hook({ info: 'json' })
      if (status !== 200) throw new Error(`no session: ${status}`)
      return JSON.parse(text)
    }
    let [last, left] = ['', '']
    return {
      credentials: { clientId, clientSecret, redirectUri },
      async begin(scope) {
        const { status, location, text } = await browser.open(scope.includes(more) ? '/more' : '/')
        // To ask for more, it answers with a page that leads on.
        const address = location ?? /url=([^"]+)/.exec(text)?.[1]
        if (address === undefined) throw new Error(`${status} ${text}`)
        return unescapeHtml(address)
      },
      async finish({ search }) {
        const { status, location, text } = await browser.open(pathname + search)
        if (status !== 302) throw new Error(`${status} ${location} ${text}`)
      },
      tokens,
      call: async (url) => (await browser.open(url.slice(issuer.length))).status,
      async refresh() {
        const held = await tokens().catch(() => ({ access_token: last }))
        const { status, location } = await hook({ refresh: `${origin}/`, access_token: held.access_token })
        if (status !== 302 || location !== `${origin}/`) throw new Error(`${status} ${location}, as after invalid_grant`)
      },
      async revoke() {
        last = (await tokens()).access_token
        left = (await hook({ logout: `${origin}/` })).location ?? ''
      },
      // It revokes and signs out in one step.
      signOut: async () => left,
    }
  }
