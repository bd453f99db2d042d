import type { Context } from 'koa'
import { putBodyBack, readBody } from '../http/body.ts'
import { Problem } from '../lib/problem.ts'
import { canonicalResource } from './resourceIndicators.ts'

const limitBytes = 32 * 1024

/** Parameters that belong in the body: in an address they end up in logs and histories (RFC 6749 section 2.3.1). */
const bodyOnly = ['client_secret', 'code', 'code_verifier', 'grant_type', 'refresh_token', 'token']

/**
 * Reads the form of a token, revocation or introspection request and puts it back for the engine, with resource indicators
 * in canonical spelling.
 * @throws Problem invalid_request, payload_too_large
 */
export async function readForm(ctx: Context): Promise<URLSearchParams> {
  const misplaced = bodyOnly.filter((name) => ctx.query[name] !== undefined)
  if (misplaced.length > 0) {
    throw new Problem('invalid_request', {
      description: `${misplaced.join(', ')} must not stand in the address. Send it in the form body.`,
    })
  }
  if (!ctx.is('application/x-www-form-urlencoded')) {
    throw new Problem('invalid_request', {
      description: 'Send the parameters as a form with Content-Type: application/x-www-form-urlencoded.',
    })
  }
  const body = await readBody(ctx, limitBytes)
  const form = new URLSearchParams(body.toString('utf8'))
  const isCanonical = canonicalise(form)
  putBodyBack(ctx.req, isCanonical ? body : Buffer.from(form.toString()))
  // A charset the engine does not know would be its failure, not the client's.
  ctx.req.headers['content-type'] = 'application/x-www-form-urlencoded'
  return form
}

/** Rewrites `resource` to canonical spelling. True where nothing had to change. */
export function canonicalise(parameters: URLSearchParams): boolean {
  const sent = parameters.getAll('resource')
  const canonical = sent.map(canonicalResource)
  if (sent.every((resource, at) => resource === canonical[at])) return true
  parameters.delete('resource')
  for (const resource of canonical) parameters.append('resource', resource)
  return false
}
