import { createRequire } from 'node:module'
import express from 'express'
import type { oauth2tokenCallback } from 'oauth'
import { Passport } from 'passport'
import type { Profile, VerifyCallback } from 'passport-openidconnect'
import type { Adapter, Tokens } from '../fourConsents.ts'
import { startWebApp } from '../webApp.ts'
import { pkce } from './pkce.ts'

/** Creates an adapter of passport-openidconnect in a web service, with the session of one user. */
const passportOf =
  (name: string): Adapter =>
  async ({ issuer, clientId, clientSecret, redirectUri }) => {
    const OpenIDConnectStrategy: typeof import('passport-openidconnect') = createRequire(import.meta.url)(name)
    const session = {}
    let verifier = ''
    let tokens: Tokens
    /** Adds PKCE (RFC 7636), which the library does not send. */
    class StrategyWithPkce extends OpenIDConnectStrategy {
      override authorizationParams(): object {
        const [secret, challenge] = pkce()
        verifier = secret
        return { code_challenge: challenge, code_challenge_method: 'S256' }
      }
      override authenticate(...given: Parameters<import('passport-openidconnect')['authenticate']>): void {
        const redeem = this._oauth2.getOAuthAccessToken.bind(this._oauth2)
        this._oauth2 = Object.create(this._oauth2)
        Object.assign(this._oauth2, {
          getOAuthAccessToken: (code: string, parameters: object, done: oauth2tokenCallback) =>
            redeem(code, { ...parameters, code_verifier: verifier }, done),
        })
        super.authenticate(...given)
      }
    }
    const settings = {
      issuer,
      authorizationURL: `${issuer}/oauth/authorize`,
      tokenURL: `${issuer}/api/oauth/token`,
      userInfoURL: `${issuer}/api/oauth/userinfo`,
      clientID: clientId,
      clientSecret,
      callbackURL: redirectUri,
      nonce: 'true',
    }
    const strategy = new StrategyWithPkce(
      settings,
      (
        _issuer: string,
        profile: Profile,
        _context: object,
        _idToken: string | object,
        accessToken: string | object,
        refreshToken: string,
        done: VerifyCallback,
      ) => {
        tokens = { access_token: String(accessToken), refresh_token: refreshToken }
        done(null, profile)
      },
    )
    const authenticator = new Passport().use(strategy)
    const app = express().use((request, _response, next) => next(void Object.assign(request, { session })))
    app.get('/login', (request, response, next) => {
      const scope = String(request.query.scope).split(' ').slice(1)
      authenticator.authenticate('openidconnect', { scope, session: false })(request, response, next)
    })
    app.get('/callback', authenticator.authenticate('openidconnect', { session: false }), (_request, response) => void response.send('in'))
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

export const passport = passportOf('passport-openidconnect')
export const passport01 = passportOf('passport-openidconnect-0.1')
