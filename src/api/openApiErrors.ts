import type { Operation } from '../framework/declare/operations.ts'
import type { ChangeFeed } from '../framework/output/changeFeed.ts'
import { bodySchema, referenceTo } from '../framework/output/publishedSchemas.ts'
import { problems } from '../lib/problem.ts'
import { type AnswerHeader, headersNamed } from './openApiHeaders.ts'

const table: Readonly<Record<string, { status: number; description: string }>> = problems

/** One error response that operations refer to: a status, and the codes that it can have. */
interface ErrorResponse {
  name: string
  status: number
  codes: readonly string[]
}

/** Returns references to every error response of an operation, by status. */
export const errorResponsesOf = (operation: Operation | ChangeFeed): Record<string, { $ref: string }> =>
  Object.fromEntries(errorResponses(operation).map(({ status, name }) => [status, { $ref: `#/components/responses/${name}` }]))

/** Returns the error responses that these operations refer to, each once. */
export const errorComponents = (operations: readonly (Operation | ChangeFeed)[]): Record<string, unknown> =>
  Object.fromEntries(operations.flatMap(errorResponses).map((response) => [response.name, describe(response)]))

function errorResponses(operation: Operation | ChangeFeed): ErrorResponse[] {
  const byStatus = Map.groupBy(codesOf(operation), (code) => table[code]?.status ?? 500)
  return [...byStatus].map(([status, codes]) => ({ name: codes.map(pascalCase).join('Or'), status, codes }))
}

const pascalCase = (code: string): string => code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

const headersOfStatus: Readonly<Record<number, readonly AnswerHeader[]>> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  412: ['ETag'],
  429: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
  503: ['Retry-After'],
}

function describe({ status, codes }: ErrorResponse): Record<string, unknown> {
  const error = { type: 'object', properties: { error: { type: 'string', enum: codes } } }
  const [first = ''] = codes
  return {
    description: codes.map((code) => `\`${code}\`: ${table[code]?.description}`).join('\n\n'),
    headers: headersNamed('Request-Id', ...(headersOfStatus[status] ?? [])),
    content: {
      'application/json': {
        schema: { allOf: [{ $ref: referenceTo('Error') }, error] },
        example: { error: first, error_description: table[first]?.description, request_id: 'req_01jgwejj00e6srgkpqm2sqf05m' },
      },
    },
  }
}

const always = [
  'invalid_request',
  'invalid_parameter',
  'invalid_token',
  'insufficient_scope',
  'access_denied',
  'not_acceptable',
  'uri_too_long',
  'rate_limited',
  'server_error',
  'temporarily_unavailable',
]

/** True if the operation accepts an Idempotency-Key. Reads by POST do not: they change no data. */
export const takesKey = (operation: Operation | ChangeFeed): boolean =>
  operation.method === 'POST' && !('kind' in operation && (operation.kind === 'read' || operation.kind === 'collectionRead'))

function codesOf(operation: Operation | ChangeFeed): string[] {
  if (!('kind' in operation)) return [...always, 'invalid_cursor', 'cursor_expired']
  const { kind, resource } = operation
  const isOnRow = 'needsIfMatch' in operation
  const hasKey = operation.parameters.some((parameter) => parameter.in === 'path')
  const hasBody = bodySchema(operation) !== undefined
  const writesFields = kind === 'create' || kind === 'update' || kind === 'replace'
  const isMade = kind === 'create'
  return [
    ...always,
    ...(kind === 'list' ? ['invalid_cursor'] : []),
    ...(kind === 'list' || (kind === 'collectionRead' && operation.rules.isHard) ? ['query_too_expensive'] : []),
    ...(hasKey ? ['invalid_id'] : []),
    ...(hasKey || isOnRow || kind === 'get' ? ['not_found'] : []),
    ...(hasBody ? ['invalid_json', 'payload_too_large', 'unsupported_media_type', 'validation_failed', 'unknown_field'] : []),
    ...(writesFields ? ['read_only_field', 'invalid_reference', ...(resource.hasSlug ? ['slug_taken', 'reserved_slug'] : [])] : []),
    ...(writesFields && 'external_id' in resource.schema.shape ? ['external_id_taken'] : []),
    ...(writesFields && !isMade ? ['immutable_field'] : []),
    ...(isOnRow ? ['precondition_failed'] : []),
    ...(isOnRow && operation.needsIfMatch ? ['precondition_required'] : []),
    ...(kind === 'action' || kind === 'remove' ? ['invalid_state'] : []),
    ...(kind === 'remove' ? ['resource_in_use'] : []),
    ...(takesKey(operation) ? ['idempotency_in_progress', 'idempotency_key_reused'] : []),
  ]
}
