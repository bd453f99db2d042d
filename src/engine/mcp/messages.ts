import { localhostAllowedHostnames, localhostAllowedOrigins, validateHostHeader, validateOriginHeader } from '@modelcontextprotocol/server'
import type { Context } from 'koa'
import { Problem } from '../../base/problem.ts'
import type { School } from '../../base/school.ts'
import { type CatalogueArguments, createCatalogue } from './createCatalogue.ts'
import { createExchange } from './exchangeMessage.ts'

/** Creates the part of the MCP endpoint that needs the SDK. */
export const createMessages = (args: CatalogueArguments) => ({ requireOrigin, exchange: createExchange(createCatalogue(args), args.log) })

/**
 * Rejects requests from pages of other origins, so that no page reaches a service on the user's machine or network through its own DNS name
 * (DNS rebinding; MCP transport, security). Programs send no Origin and are accepted.
 * @throws Problem access_denied
 */
function requireOrigin(ctx: Context, { issuer }: School, allowedOrigins: ReadonlySet<string>): void {
  const values = ctx.req.headersDistinct.origin ?? []
  const isKnown = (origin: string): boolean =>
    origin === issuer || allowedOrigins.has(origin) || validateOriginHeader(origin, localhostAllowedOrigins()).ok
  if (!values.every(isKnown)) {
    throw new Problem('access_denied', {
      description: 'Pages of this origin may not call /mcp. An operator can add the origin to cors.allowed_origins in server.yaml.',
    })
  }
  // Earlier middleware has replaced the host with the school's; only the raw headers contain the value that the caller sent.
  const isLocal = localhostAllowedHostnames().includes(new URL(issuer).hostname)
  if (isLocal && !validateHostHeader(sentHost(ctx.req.rawHeaders), localhostAllowedHostnames()).ok) {
    throw new Problem('access_denied', { description: 'Host must be a name of this machine: this service accepts local requests only.' })
  }
}

function sentHost(rawHeaders: readonly string[]): string | undefined {
  const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'host')
  return at === -1 ? undefined : rawHeaders[at + 1]
}
