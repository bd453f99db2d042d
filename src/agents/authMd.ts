import type { Middleware } from 'koa'
import type { OAuthConfig } from '../config/oauth.ts'
import { serveDocument, storeDocument } from '../http/document.ts'
import { allowMethods } from '../http/methods.ts'
import type { ScopeEntry } from '../kit/scopeCatalogue.ts'
import type { School } from '../policy/school.ts'

export interface AuthMdFacts {
  name: string
  issuer: string
  oauth: OAuthConfig
  scopes: readonly ScopeEntry[]
  /** Addresses of the authorization server, as its metadata name them. */
  addresses: { metadata: string; registration: string; authorization: string; token: string; userinfo: string; revocation: string }
}

/** `/auth.md`: how an agent or developer gets from nothing to an answer of the API. Everything in it comes from what is in force. */
export function authMd({ name, issuer, oauth, scopes, addresses }: AuthMdFacts): string {
  const [host = '127.0.0.1'] = oauth.registration.loopback_hosts
  const callback = `http://${host}:8765/callback`
  const { lifetimes: life } = oauth
  return `# auth.md: access to ${inline(name)}

OAuth 2.0 and OpenID Connect: authorization code with PKCE (S256 only). A client registers itself; a person signs in and consents.
Not supported: a claim step, ID-JAG and other assertions, an identity endpoint, device codes, client credentials. There is nothing to claim.

Without a token you are a visitor: you see what is public, and you are never challenged. Do not wait for a 401 to begin.

## 1. Discover

\`\`\`sh
curl ${addresses.metadata}
curl ${issuer}/.well-known/oauth-protected-resource
\`\`\`

Where this page and the metadata differ, the metadata are right.

## 2. Register

${
  oauth.registration.enabled
    ? `Open to clients that redirect to the person's own machine. Any port may be used later; the path is fixed.

\`\`\`sh
curl ${addresses.registration} -H 'Content-Type: application/json' \\
  -d '${JSON.stringify({ client_name: 'My agent', application_type: 'native', redirect_uris: [callback], token_endpoint_auth_method: 'none' })}'
\`\`\`

Keep \`client_id\`. A fixed HTTPS callback is refused with \`invalid_redirect_uri\`: such clients are arranged with the school.`
    : 'Self-service registration is off. Clients are arranged with the school.'
}

## 3. Send the person

Make a random verifier of 43 to 128 characters; the challenge is its SHA-256 in base64url. Listen at the redirect URI, then open in a browser:

\`\`\`text
${addresses.authorization}?response_type=code&client_id=CLIENT_ID&redirect_uri=${encodeURIComponent(callback)}&scope=openid%20courses%3Aread&code_challenge=CHALLENGE&code_challenge_method=S256&state=RANDOM
\`\`\`

The browser comes back with \`code\`, \`state\` and \`iss\`. Compare \`state\` with yours and \`iss\` with \`${issuer}\`. The person may allow less than you asked for.

## 4. Redeem the code

Within ${life.authorization_code_seconds} seconds, once:

\`\`\`sh
curl ${addresses.token} -d grant_type=authorization_code -d client_id=CLIENT_ID \\
  -d code=CODE -d code_verifier=VERIFIER --data-urlencode redirect_uri=${callback}
\`\`\`

\`resource\` may be sent here or in step 3, to bind the token: \`${issuer}\` for the API, \`${issuer}/mcp\` for MCP.

## 5. Call, refresh, revoke

\`\`\`sh
curl ${issuer}/api/v1/account -H 'Authorization: Bearer ACCESS_TOKEN'
curl ${addresses.token} -d grant_type=refresh_token -d client_id=CLIENT_ID -d refresh_token=REFRESH_TOKEN
curl ${addresses.revocation} -d client_id=CLIENT_ID -d token=REFRESH_TOKEN
\`\`\`

An access token lives ${life.access_token_seconds} seconds. Each refresh answers a new refresh token: store it before you use it.
${
  oauth.refresh_window_seconds > 0
    ? `If the answer is lost, the same request within ${oauth.refresh_window_seconds} seconds gets the same answer again. Later it counts as theft and ends the grant.`
    : 'A refresh token is good once. Presented again it counts as theft and ends the grant.'
}

## Errors

| Answer | Means | Do |
|---|---|---|
| 401 \`invalid_token\` | the token is malformed, unknown, expired, revoked or bound elsewhere | refresh, else start at step 3 |
| 403 \`insufficient_scope\` | the token lacks a scope; the header \`WWW-Authenticate\` names it | step 3 with that scope |
| 403 \`access_denied\` | the person may not, or you sent no token | another token will not help, or get one |
| 400 \`invalid_grant\` | code or refresh token are spent, expired or not yours | step 3 |
| 401 \`invalid_client\` | the client is unknown here | step 2 |
| 429 | too many requests | wait as long as \`Retry-After\` says |
| 503 | the service cannot answer just now | the same request a little later |

## Scopes

A write scope does not include the read scope.

| Scope | A client may |
|---|---|
${scopes.map((scope) => `| \`${scope.name}\` | ${inline(scope.sentence)} |`).join('\n')}
`
}

const inline = (text: string): string => text.replace(/[\r\n]+/g, ' ').replace(/[|\\`*_<>[\]#]/g, '\\$&')

/** Serves `/auth.md`. */
export function serveAuthMd(facts: (school: School) => Promise<AuthMdFacts>): Middleware {
  return async (ctx, next) => {
    if (ctx.path !== '/auth.md') return next()
    if (allowMethods(ctx, ['GET', 'HEAD']) === 'answered') return
    serveDocument(ctx, storeDocument(authMd(await facts(ctx.state.school)), { type: 'text/markdown; charset=utf-8', maxAgeSeconds: 300 }))
  }
}
