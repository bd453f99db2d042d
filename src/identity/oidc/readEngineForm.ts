import type { Context } from 'koa'
import { putBodyBack } from '../../base/http/readBody.ts'
import { urlencodedFormReader } from '../../base/http/urlencodedForm.ts'
import { Problem } from '../../base/problem.ts'
import { canonicalResource } from './resourceIndicators.ts'

const readText = urlencodedFormReader(32 * 1024)

/** Parameters that must be sent in the body: in a URL they end up in logs and histories (RFC 6749 section 2.3.1). */
const bodyOnly = ['client_assertion', 'client_secret', 'code', 'code_verifier', 'grant_type', 'refresh_token', 'token']

/**
 * Reads the form of a token, revocation or introspection request and puts it back for the engine, which must see repeated parameters
 * and rejects a body that is parsed already. Resource indicators are put back in canonical spelling.
 * @throws Problem invalid_request, payload_too_large
 */
export async function readForm(ctx: Context): Promise<URLSearchParams> {
  const misplaced = bodyOnly.filter((name) => ctx.query[name] !== undefined)
  if (misplaced.length > 0) {
    throw new Problem('invalid_request', {
      description: `${misplaced.join(', ')} must not be in the URL. Send it in the form body.`,
    })
  }
  if (!ctx.is('application/x-www-form-urlencoded')) {
    throw new Problem('invalid_request', {
      description: 'Send the parameters as a form with Content-Type: application/x-www-form-urlencoded.',
    })
  }
  const text = await readText(ctx)
  const form = new URLSearchParams(text)
  const isCanonical = canonicalise(form)
  putBodyBack(ctx.req, Buffer.from(isCanonical ? text : form.toString()))
  // Without the charset: the engine answers an unknown one as an error of the server.
  ctx.req.headers['content-type'] = 'application/x-www-form-urlencoded'
  return form
}

/** Rewrites `resource` to canonical spelling, and each only once. Returns true if it already was canonical. */
export function canonicalise(parameters: URLSearchParams): boolean {
  const sent = parameters.getAll('resource')
  const canonical = [...new Set(sent.map(canonicalResource))]
  if (canonical.length === sent.length && sent.every((resource, at) => resource === canonical[at])) return true
  parameters.delete('resource')
  for (const resource of canonical) parameters.append('resource', resource)
  return false
}
