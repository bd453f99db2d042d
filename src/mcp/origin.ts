import { localhostAllowedHostnames, localhostAllowedOrigins, validateHostHeader, validateOriginHeader } from '@modelcontextprotocol/server'
import type { Context } from 'koa'
import { Problem } from '../lib/problem.ts'
import type { School } from '../policy/school.ts'

/**
 * Refuses a web page that has no business here, so that no page reaches a service on the reader's own machine or network by a name of its
 * own (DNS rebinding; MCP transport, security). Programs send no Origin and are let through.
 * @throws Problem access_denied
 */
export function requireOrigin(ctx: Context, { issuer }: School, allowedOrigins: ReadonlySet<string>): void {
  const values = ctx.req.headersDistinct.origin ?? []
  const isKnown = (origin: string): boolean =>
    origin === issuer || allowedOrigins.has(origin) || validateOriginHeader(origin, localhostAllowedOrigins()).ok
  if (!values.every(isKnown)) {
    throw new Problem('access_denied', {
      description: 'Pages of this origin may not call /mcp. An operator allows them by name in server.yaml: cors.allowed_origins.',
    })
  }
  // Further up, the host was replaced by the school's own; what the caller sent stands in the raw headers alone.
  const isLocal = localhostAllowedHostnames().includes(new URL(issuer).hostname)
  if (isLocal && !validateHostHeader(sentHost(ctx.req.rawHeaders), localhostAllowedHostnames()).ok) {
    throw new Problem('access_denied', { description: 'This service answers under the names of its own machine only.' })
  }
}

function sentHost(rawHeaders: readonly string[]): string | undefined {
  const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'host')
  return at === -1 ? undefined : rawHeaders[at + 1]
}
