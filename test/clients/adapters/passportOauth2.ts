import { createRequire } from 'node:module'
import express from 'express'
import { Passport, type Strategy } from 'passport'
import type { Adapter, Tokens } from '../fourConsents.ts'
import { startWebApp } from '../webApp.ts'

type Verify = (accessToken: string, refreshToken: string, profile: object, done: (error: null, user: object) => void) => void

/** Creates an adapter of passport-oauth2 in a web service, with the session of one user. */
const passportOauth2Of =
  (name: string): Adapter =>
  async ({ issuer, clientId, clientSecret, redirectUri }) => {
    const OAuth2Strategy: new (settings: object, verify: Verify) => Strategy = createRequire(import.meta.url)(name)
    const session = {}
    let tokens: Tokens
    const settings = {
      authorizationURL: `${issuer}/oauth/authorize`,
      tokenURL: `${issuer}/api/oauth/token`,
      clientID: clientId,
      clientSecret,
      callbackURL: redirectUri,
      state: true,
      pkce: true,
    }
    const strategy = new OAuth2Strategy(settings, (accessToken, refreshToken, profile, done) => {
      tokens = { access_token: accessToken, refresh_token: refreshToken }
      done(null, profile)
    })
    const authenticator = new Passport().use(strategy)
    const app = express().use((request, _response, next) => next(void Object.assign(request, { session })))
    app.get('/login', (request, response, next) => {
      authenticator.authenticate('oauth2', { scope: String(request.query.scope).split(' '), session: false })(request, response, next)
    })
    app.get('/callback', authenticator.authenticate('oauth2', { session: false }), (_request, response) => void response.send('in'))
    const browser = await startWebApp(app)
    return {
      credentials: { clientId, clientSecret, redirectUri },
      begin: async (scope) => (await browser.open(`/login?${new URLSearchParams({ scope })}`)).location ?? '',
      async finish({ pathname, search }) {
        const { text } = await browser.open(pathname + search)
        if (text !== 'in') throw new Error(text)
      },
      tokens: () => tokens,
      stop: browser.stop,
    }
  }

export const passportOauth2 = passportOauth2Of('passport-oauth2')
export const passportOauth2First = passportOauth2Of('passport-oauth2-1.5')
