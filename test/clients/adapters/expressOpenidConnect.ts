import { createRequire } from 'node:module'
import express from 'express'
import type { Adapter, Tokens } from '../fourConsents.ts'
import { startWebApp } from '../webApp.ts'

/** Creates an adapter of express-openid-connect in a web service. */
const expressOpenidConnectOf =
  (name: string, own: object): Adapter =>
  async ({ issuer, clientId, clientSecret, redirectUri }) => {
    const { auth }: typeof import('express-openid-connect') = createRequire(import.meta.url)(name)
    const app = express()
    app.use(
      auth({
        issuerBaseURL: issuer,
        baseURL: new URL(redirectUri).origin,
        clientID: clientId,
        clientSecret,
        secret: 'the secret with which the app encrypts its session',
        authorizationParams: { response_type: 'code' },
        authRequired: false,
        idpLogout: true,
        routes: { login: false },
        ...own,
      }),
    )
    app.get('/login', ({ query }, response) =>
      response.oidc.login({ authorizationParams: { response_type: 'code', scope: String(query.scope) } }),
    )
    app.get('/tokens', ({ oidc }, response) => {
      response.json({ access_token: oidc.accessToken?.access_token, refresh_token: oidc.refreshToken })
    })
    app.get('/refresh', async ({ oidc }, response) => {
      await oidc.accessToken?.refresh().then(
        () => response.json({}),
        (error: object) => response.status(502).json(error),
      )
    })
    const browser = await startWebApp(app)
    return {
      credentials: { clientId, clientSecret, redirectUri },
      begin: async (scope) => (await browser.open(`/login?${new URLSearchParams({ scope })}`)).location ?? '',
      async finish({ pathname, search }) {
        const { status, text } = await browser.open(pathname + search)
        if (status !== 302) throw new Error(`${status} ${text}`)
      },
      async tokens(): Promise<Tokens> {
        return JSON.parse((await browser.open('/tokens')).text)
      },
      async refresh() {
        const { status, text } = await browser.open('/refresh')
        if (status !== 200) throw new Error(text)
      },
      signOut: async () => (await browser.open('/logout')).location ?? '',
      stop: browser.stop,
    }
  }

export const expressOpenidConnect = expressOpenidConnectOf('express-openid-connect', { clientAuthMethod: 'client_secret_post' })
export const expressOpenidConnect2 = expressOpenidConnectOf('express-openid-connect-2', {})
