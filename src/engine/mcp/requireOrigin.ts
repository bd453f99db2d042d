import type { Context } from 'koa'
import { isLoopbackHost, type OriginPolicy } from '../../base/http/originPolicy.ts'
import { Problem } from '../../base/problem.ts'
import type { School } from '../../base/school.ts'

/**
 * Rejects requests from pages of other origins, so that no page reaches a service on the user's machine or network through its own DNS name
 * (DNS rebinding; MCP transport, security). Programs send no Origin and are accepted.
 * @throws Problem access_denied
 */
export function requireOrigin(ctx: Context, school: School, policy: OriginPolicy): void {
  const values = ctx.req.headersDistinct.origin ?? []
  if (!values.every((origin) => policy(origin, { path: ctx.path, school }) !== undefined)) {
    throw new Problem('access_denied', {
      description:
        'Pages of this origin may not call /mcp here. An operator can name the origin in cors.allowed_origins in server.yaml; * counts for schools at a public https address only.',
    })
  }
  // Earlier middleware has replaced the host with the school's; only the raw headers contain the value that the caller sent.
  if (isLoopbackHost(new URL(school.issuer).hostname) && !isLoopbackHost(URL.parse(`http://${sentHost(ctx.req.rawHeaders)}`)?.hostname)) {
    throw new Problem('access_denied', { description: 'Host must be a name of this machine: this service accepts local requests only.' })
  }
}

function sentHost(rawHeaders: readonly string[]): string | undefined {
  const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'host')
  return at === -1 ? undefined : rawHeaders[at + 1]
}
