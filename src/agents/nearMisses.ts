import type { Middleware } from 'koa'
import { Problem } from '../base/problem.ts'
import { paths } from './schoolFacts.ts'

/** The right path for a path that clients guess. */
interface NearMiss {
  path: string
  /** The beginning of the sentence that names the right address. */
  about: string
  /** True if the response there is what the client asks for: then it is sent there with 308. */
  isSame?: true
}

const openApi = { path: paths.openApi, about: 'The OpenAPI description (JSON) is at' }
const mcp = { path: paths.mcp, about: 'The MCP server (Streamable HTTP) is at' }

/** Returns the paths that clients guess, with the paths that they mean. */
const nearMissesAt = (apiPath: string): Readonly<Record<string, NearMiss>> => {
  const api = { path: apiPath, about: 'The API begins at', isSame: true } as const
  return {
    '/mcp/': { ...mcp, isSame: true },
    '/sse': mcp,
    '/sse/': mcp,
    '/mcp/sse': mcp,
    '/api/mcp': mcp,
    '/api/mcp/': mcp,
    '/api': api,
    '/api/': api,
    [`${apiPath}/`]: api,
    '/v1': api,
    '/v1/': api,
    '/swagger.json': { ...openApi, isSame: true },
    '/openapi': { ...openApi, isSame: true },
    '/openapi/': { ...openApi, isSame: true },
    '/api/openapi.json': { ...openApi, isSame: true },
    [`${apiPath}/openapi.json`]: { ...openApi, isSame: true },
    '/api-docs': { path: paths.reference, about: 'The reference is at', isSame: true },
    '/swagger': { path: paths.reference, about: 'The reference is at', isSame: true },
    '/docs/': { path: paths.reference, about: 'The reference is at', isSame: true },
    '/openapi.yaml': openApi,
    '/openapi.yml': openApi,
    '/swagger.yaml': openApi,
    '/docs/api.md': { path: paths.apiMd, about: 'The API map is at', isSame: true },
    '/docs/auth.md': { path: paths.authMd, about: 'How to get a token is at', isSame: true },
    '/.well-known/auth.md': { path: paths.authMd, about: 'How to get a token is at', isSame: true },
    '/.well-known/llms.txt': { path: paths.llmsTxt, about: 'The index for agents is at', isSame: true },
    '/.well-known/openid_configuration': { path: paths.openidConfiguration, about: 'The OpenID Connect metadata are at', isSame: true },
    '/.well-known/oauth_authorization_server': {
      path: paths.authorizationServer,
      about: 'The metadata of the authorization server are at',
      isSame: true,
    },
    '/.well-known/openapi.json': { ...openApi, isSame: true },
  }
}

/** Leads paths that clients guess to the right ones: with a redirect where the response is what they ask for, otherwise with 404 and the address. */
export function nearMisses(apiPath: string): Middleware {
  const known = nearMissesAt(apiPath)
  return (ctx, next) => {
    const found = Object.hasOwn(known, ctx.path) ? known[ctx.path] : undefined
    if (!found || ctx.method === 'OPTIONS') return next()
    const address = ctx.state.school.issuer + found.path
    if (!found.isSame) throw new Problem('not_found', { description: `There is nothing at ${ctx.path}. ${found.about} ${address}.` })
    ctx.set('Location', address + ctx.search)
    ctx.status = 308
    ctx.type = 'text/plain; charset=utf-8'
    ctx.body = `${found.about} ${address}\n`
    return undefined
  }
}
