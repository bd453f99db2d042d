import type { Middleware } from 'koa'
import { freshMilliseconds, serveDocument, storeDocument } from '../base/http/document.ts'
import { allowMethods } from '../base/http/methods.ts'
import type { School } from '../base/school.ts'
import type { LegalLinks } from './legalLinks.ts'

export interface ProtectedResourceFacts {
  issuer: string
  name: string
  docsUrl: string
  /** Scopes that a client without specific needs should request. The list is short, because clients request all of it. */
  baselineScopes: readonly string[]
  legal: LegalLinks
}

/** The resources of this origin, by the path of their metadata (RFC 9728 section 3.1). */
const resources = { '': '', '/mcp': '/mcp' } as const
type ResourcePath = keyof typeof resources

/**
 * Returns the Protected Resource Metadata (RFC 9728 section 2). `resource` is exactly the identifier from which the metadata URL is built.
 */
function protectedResourceMetadata(facts: ProtectedResourceFacts, path: ResourcePath): Record<string, unknown> {
  return {
    resource: `${facts.issuer}${path}`,
    authorization_servers: [facts.issuer],
    scopes_supported: facts.baselineScopes,
    bearer_methods_supported: ['header'],
    resource_name: path === '/mcp' ? `${facts.name} (MCP)` : facts.name,
    resource_documentation: facts.docsUrl,
    ...(facts.legal.privacy && { resource_policy_uri: facts.legal.privacy }),
    ...(facts.legal.terms && { resource_tos_uri: facts.legal.terms }),
  }
}

export function protectedResources(facts: (school: School) => Promise<ProtectedResourceFacts>): Middleware {
  const base = '/.well-known/oauth-protected-resource'
  return async (ctx, next) => {
    if (!ctx.path.startsWith(base)) return next()
    const path = ctx.path.slice(base.length)
    if (!Object.hasOwn(resources, path)) return next()
    if (allowMethods(ctx, ['GET', 'HEAD']) === 'answered') return
    const metadata = protectedResourceMetadata(await facts(ctx.state.school), path as ResourcePath)
    serveDocument(ctx, storeDocument(JSON.stringify(metadata), { type: 'application/json', maxAgeSeconds: 300 }), { freshMilliseconds })
  }
}
