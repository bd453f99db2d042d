import { Ajv, type ValidateFunction } from 'ajv'
import { problems as knownProblems } from '../../src/base/problem.ts'
import { schemaValidators } from '../../test/support/openApi.ts'
import type { Tool } from './mcpRequests.ts'
import { type OpenApi, type Target, targetsOf } from './openApiTargets.ts'
import type { FuzzReply, FuzzRequest } from './wire.ts'

/** Returns what is wrong with a response; nothing if it is as published. */
export type Judge = (request: FuzzRequest, reply: FuzzReply) => string[]

/** Matches what must not be in a response: a place in the code, or a message of a library. */
const internals =
  /\bat [\w.<>]+ \(?(?:file:|\/|node:)|node_modules|\bECONN|PrismaClient|PGlite|kysely|syntax error at or near|violates \w+ constraint/

/** Judges every response: no 5xx, no internals, and the shape that the documents publish. */
export function createJudge(document: OpenApi, tools: readonly Tool[]): Judge {
  const api = judgeApi(document)
  const mcp = judgeMcp(tools)
  return (request, reply) => {
    const problems: string[] = []
    if (reply.status >= 500) problems.push(`status ${reply.status}`)
    const sent = `${request.path}${request.body?.toString('latin1', 0, 20_000) ?? ''}`
    const leaked = internals.exec(reply.text)?.[0]
    if (leaked && !sent.includes(leaked)) problems.push(`the response contains "${leaked}"`)
    if (reply.status >= 500 || request.mutations.some((name) => /^(?:another (?:method|segment)|a path as)/.test(name))) return problems
    if (request.target.startsWith('MCP')) return [...problems, ...mcp(request, reply)]
    return [...problems, ...(request.target.includes(' ') ? judgeOauth(request, reply) : api(request, reply))]
  }
}

function judgeApi(document: OpenApi): Judge {
  const validatorOf = schemaValidators(document)
  const targets = new Map<string, Target>(targetsOf(document).map((target) => [target.id, target]))
  return ({ target: id, method, path, headers, role, mutations }, { status, headers: received, text }) => {
    const target = targets.get(id)
    // Another segment can be the path of another operation.
    if (!target || mutations.includes('another segment')) return []
    if (status === 304) return headers['if-none-match'] === undefined ? ['304 without If-None-Match'] : []
    const contents = target.responses.get(String(status)) ?? (status >= 400 ? target.responses.get('default') : undefined)
    if (!contents) return [`status ${status} is not described`]
    const problems: string[] = []
    if (status === 401 && headers.authorization === undefined) problems.push('a caller without a token is challenged')
    if (status === 401 && received['www-authenticate'] === undefined) problems.push('401 without WWW-Authenticate')
    if (received['request-id'] === undefined) problems.push('no Request-Id')
    if (status === 204) return text === '' ? problems : [...problems, '204 with a body']
    const type = String(received['content-type']).split(';')[0] ?? ''
    const accepted = String(headers.accept ?? '')
    if ((type === 'text/csv' || type === 'application/x-ndjson') && accepted.includes(type)) return problems
    const schema = contents.get(type)
    if (!schema) return contents.size === 0 ? problems : [...problems, `content type ${type} is not described for ${status}`]
    if (method === 'HEAD') return problems
    const body = parsed(text)
    if (body === undefined) return [...problems, 'the body is not JSON']
    const isValid = validatorOf(schema)
    if (!isValid(body)) {
      const [error] = isValid.errors ?? []
      problems.push(`the body is not what the schema says for ${status}: ${error?.instancePath} ${error?.message}`)
    }
    const code = (body as { error?: unknown }).error
    const codes = target.errorCodes.get(String(status)) ?? otherCodes(status)
    if (status >= 400 && !codes.has(String(code))) problems.push(`the error ${code} is not described for ${status}`)
    // A valid request of somebody with every permission is rejected by a rule of the school, never as malformed.
    if (mutations.length === 0 && role === 'owner' && code === 'invalid_json') problems.push(`a valid request is malformed: ${path}`)
    return problems
  }
}

/** Returns the codes of a status that an operation does not list, such as those of an unsupported method. */
const otherCodes = (status: number): ReadonlySet<string> =>
  new Set(Object.entries(knownProblems).flatMap(([code, problem]) => (problem.status === status ? [code] : [])))

const oauthErrors =
  /^(invalid_\w+|unauthorized_client|unsupported_\w+|access_denied|login_required|consent_required|interaction_required|account_selection_required|request_not_supported|request_uri_not_supported|registration_not_supported|unmet_authentication_requirements|insufficient_scope|payload_too_large|unsupported_media_type|uri_too_long|header_too_long|method_not_allowed|not_acceptable|misdirected_request)$/

const judgeOauth: Judge = ({ target, headers }, { status, headers: received, text }) => {
  const problems: string[] = []
  const location = received.location
  if (
    typeof location === 'string' &&
    !location.startsWith('/') &&
    !['127.0.0.1', '[::1]', 'localhost'].includes(new URL(location).hostname)
  ) {
    problems.push(`a redirect to ${location.slice(0, 100)}`)
  }
  if (String(headers.accept).includes('html') || (status >= 300 && status < 400)) return problems
  const type = String(received['content-type'])
  if (text === '') return status === 200 && target.includes('revo') ? problems : [...problems, `an empty body with ${status}`]
  const body = parsed(text) as Record<string, unknown> | undefined
  if (!type.includes('json') || body === undefined || typeof body !== 'object')
    return [...problems, `${status} with ${type} instead of a JSON object`]
  if (received['cache-control'] !== 'no-store') problems.push('the response may be stored')
  if (status >= 400 && !oauthErrors.test(String(body.error))) problems.push(`the error ${body.error} is not one of OAuth`)
  if (status === 200 && target.includes('introspect') && typeof body.active !== 'boolean') problems.push('introspection without `active`')
  if (status === 201 && typeof body.client_id !== 'string') problems.push('a registration without `client_id`')
  return problems
}

function judgeMcp(tools: readonly Tool[]): Judge {
  const ajv = new Ajv({ strict: false })
  const outputs = new Map<string, ValidateFunction>(
    tools.flatMap(({ name, outputSchema }) => (outputSchema ? [[`MCP ${name}`, ajv.compile(outputSchema)] as const] : [])),
  )
  return ({ target, mutations }, { status, headers, text }) => {
    if (status === 202) return text === '' ? [] : ['202 with a body']
    const type = String(headers['content-type'])
    if (!type.includes('json')) return [`${status} with ${type}`]
    const body = parsed(text) as
      | { jsonrpc?: unknown; result?: Record<string, unknown>; error?: { code?: unknown; message?: unknown } }
      | undefined
    if (body === undefined) return ['the body is not JSON']
    if (Array.isArray(body) || mutations.includes('a batch')) return []
    if (body.jsonrpc !== '2.0') return status >= 400 ? [] : ['no JSON-RPC response']
    if (body.error)
      return Number.isInteger(body.error.code) && typeof body.error.message === 'string' ? [] : ['an error without code and message']
    if (body.result === undefined) return ['neither result nor error']
    const isValid = outputs.get(target)
    const content = body.result.structuredContent
    if (!isValid || body.result.isError === true || content === undefined) return []
    return isValid(content)
      ? []
      : [`the output is not what the schema says: ${isValid.errors?.[0]?.instancePath} ${isValid.errors?.[0]?.message}`]
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
