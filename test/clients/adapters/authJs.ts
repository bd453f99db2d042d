import type { Adapter, Tokens } from '../fourConsents.ts'

/** The types of the packages would add those of the DOM to the whole project. */
type Auth = (request: Request, config: object) => Promise<Response>

/** Creates an adapter of Auth.js in a web service, with what the version of this package needs. */
const authJsOf =
  (name: string, own: object): Adapter =>
  async ({ issuer, clientId, clientSecret, redirectUri }) => {
    // The first versions call it AuthHandler.
    const library: { Auth?: Auth; AuthHandler: Auth } = await import(name)
    const auth = library.Auth ?? library.AuthHandler
    const { origin } = new URL(redirectUri)
    const cookies = new Map<string, string>()
    let tokens: Tokens
    const config = {
      basePath: '/auth',
      secret: 'the secret with which the app encrypts its session',
      trustHost: true,
      providers: [
        {
          id: 'school',
          name: 'School',
          type: 'oidc',
          issuer,
          clientId,
          clientSecret,
          client: { token_endpoint_auth_method: 'client_secret_post' },
          ...own,
        },
      ],
      callbacks: {
        jwt({ token, account }: { token: object; account?: Tokens | null }) {
          if (account) tokens = account
          return token
        },
      },
    }
    const send = async (path: string, body?: URLSearchParams): Promise<Response> => {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const response = await auth(new Request(origin + path, { headers: { cookie }, ...(body && { method: 'POST', body }) }), config)
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        cookies.set(name, value)
      }
      return response
    }
    return {
      credentials: { clientId, clientSecret, redirectUri },
      async begin(scope) {
        const { csrfToken }: { csrfToken: string } = JSON.parse(await (await send('/auth/csrf')).text())
        const response = await send(`/auth/signin/school?${new URLSearchParams({ scope })}`, new URLSearchParams({ csrfToken }))
        return response.headers.get('location') ?? ''
      },
      async finish({ search }) {
        const response = await send(`/auth/callback/school${search}`)
        const location = response.headers.get('location') ?? ''
        if (location.includes('error')) throw new Error(location)
      },
      tokens: () => tokens,
    }
  }

export const authJs = authJsOf('@auth/core', { checks: ['pkce', 'state', 'nonce'] })
/** This version does not compare a nonce: it rejects an ID token that has one. */
export const authJs01 = authJsOf('auth-core-0.1', { checks: ['pkce', 'state'], profile: ({ sub }: { sub: string }) => ({ id: sub }) })
