import type { Context } from 'koa'
import { putBodyBack, readBody } from '../../base/http/readBody.ts'
import { Problem } from '../../base/problem.ts'
import { DuplicateMember, parseJson } from '../../base/text/parseJson.ts'
import { type RegisteredMetadata, type RegistrationRules, readMetadata } from '../clients/registrationError.ts'

const limitBytes = 32 * 1024

/** The cleaned metadata of a request, and the requested scope. */
export interface RegistrationRequest {
  metadata: RegisteredMetadata
  requestedScope: string | undefined
}

/**
 * Reads and checks a registration request (RFC 7591 section 3.1), and replaces its body by the checked metadata. A registered `scope` would
 * limit every later request, so it is echoed but not registered.
 * @throws Problem invalid_request, invalid_redirect_uri, invalid_client_metadata, payload_too_large
 */
export async function readRegistration(ctx: Context, rules: RegistrationRules): Promise<RegistrationRequest> {
  if (!ctx.is('json')) {
    throw new Problem('invalid_request', { description: 'Send the client metadata as a JSON object with Content-Type: application/json.' })
  }
  const sent = parseObject(await readBody(ctx, limitBytes))
  const result = readMetadata(sent, rules)
  if ('error' in result) throw new Problem(result.error, { description: result.description })
  const { metadata } = result
  const requestedScope = typeof sent.scope === 'string' ? sent.scope : undefined
  putBodyBack(ctx.req, Buffer.from(JSON.stringify(metadata)))
  ctx.req.headers['content-type'] = 'application/json'
  // Registration is open: credentials that a client sends are ignored.
  delete ctx.req.headers.authorization
  return { metadata, requestedScope }
}

function parseObject(body: Buffer): Record<string, unknown> {
  let value: unknown
  try {
    value = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch (error) {
    const description = error instanceof DuplicateMember ? error.message : 'The body is not valid JSON in UTF-8.'
    throw new Problem('invalid_request', { description, cause: error })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Problem('invalid_request', { description: 'The body must be a JSON object with client metadata.' })
  }
  return value as Record<string, unknown>
}

/** Members of the registration response, in this order (RFC 7591 section 3.2.1). */
const answered = [
  'client_id',
  'client_id_issued_at',
  'client_secret',
  'client_secret_expires_at',
  'client_name',
  'application_type',
  'redirect_uris',
  'post_logout_redirect_uris',
  'token_endpoint_auth_method',
  'grant_types',
  'response_types',
  'id_token_signed_response_alg',
] as const

/** Returns the registration response: every value that applies, without members that have no effect here. */
export function registrationResponse(
  registered: Record<string, unknown>,
  { requestedScope, knownScopes }: { requestedScope: string | undefined; knownScopes: readonly string[] },
): Record<string, unknown> {
  const answer: Record<string, unknown> = {}
  for (const name of answered) {
    const value = registered[name]
    if (value === undefined || (name === 'post_logout_redirect_uris' && (value as unknown[]).length === 0)) continue
    answer[name] = value
  }
  const scope = requestedScope?.split(' ').filter((name) => knownScopes.includes(name))
  return scope && scope.length > 0 ? { ...answer, scope: scope.join(' ') } : answer
}
