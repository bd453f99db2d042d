import express from 'express'
import { auth } from 'express-openid-connect'
import type { Adapter, Tokens } from '../fourConsents.ts'
import { startWebApp } from '../webApp.ts'

/** express-openid-connect in a web service. */
export const expressOpenidConnect: Adapter = async ({ issuer, clientId, clientSecret, redirectUri }) => {
  const app = express()
  app.use(
    auth({
      issuerBaseURL: issuer,
      baseURL: new URL(redirectUri).origin,
      clientID: clientId,
      clientSecret,
      clientAuthMethod: 'client_secret_post',
      secret: 'the secret with which the app encrypts its session',
      authorizationParams: { response_type: 'code' },
      authRequired: false,
      idpLogout: true,
      routes: { login: false },
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
