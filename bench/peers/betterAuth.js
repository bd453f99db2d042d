/**
 * Peer B: better-auth with its OAuth provider on PostgreSQL, with Argon2id at the service's parameters.
 *
 *   PORT=… DATABASE_URL=… node betterAuth.js
 */
import { createServer } from 'node:http'
import { oauthProvider } from '@better-auth/oauth-provider'
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { toNodeHandler } from 'better-auth/node'
import { jwt } from 'better-auth/plugins'
import pg from 'pg'
import { credentials, hashPassword, verifyPassword } from './password.js'

const { PORT, DATABASE_URL } = process.env
const options = {
  baseURL: `http://127.0.0.1:${PORT}`,
  basePath: '/api/auth',
  secret: 'a secret of a benchmark that is long enough for everybody',
  database: new pg.Pool({ connectionString: DATABASE_URL, max: 10 }),
  disabledPaths: ['/token'],
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  emailAndPassword: {
    enabled: true,
    password: { hash: hashPassword, verify: ({ password, hash }) => verifyPassword(password, hash) },
  },
  plugins: [
    jwt(),
    oauthProvider({
      loginPage: '/sign-in',
      consentPage: '/consent',
      allowDynamicClientRegistration: true,
      allowUnauthenticatedClientRegistration: true,
      scopes: ['openid', 'profile', 'email', 'offline_access'],
      silenceWarnings: { oauthAuthServerConfig: true, openidConfig: true },
    }),
  ],
}
const { runMigrations } = await getMigrations(options)
await runMigrations()
const auth = betterAuth(options)
await auth.api.signUpEmail({ body: { ...credentials, name: 'Bench' } }).catch(() => {})
const handler = toNodeHandler(auth)

/** Serves the metadata at the root, as required. */
async function metadata(res) {
  const response = await auth.api.getOpenIdConfig()
  res.setHeader('content-type', 'application/json')
  res.end(JSON.stringify(response))
}

createServer((req, res) => {
  const { pathname } = new URL(req.url ?? '/', 'http://127.0.0.1')
  if (pathname === '/.well-known/openid-configuration') return void metadata(res)
  if (pathname === '/sign-in' || pathname === '/consent') {
    res.setHeader('content-type', 'text/html')
    return void res.end(`<!doctype html><html lang="en"><title>${pathname}</title><h1>${pathname}</h1></html>`)
  }
  return void handler(req, res)
}).listen(Number(PORT), '127.0.0.1')
