import { type ProblemCode, problems } from '../../base/problem.ts'
import { keysOf } from '../../base/text/keysOf.ts'
import type { AcrossTypes, Operation } from '../declare/operations.ts'
import { bodySchema, referenceTo } from '../output/publishedSchemas.ts'
import { errorSchemaName } from './errorSchema.ts'
import type { Json } from './namedSchemas.ts'
import { headersNamed, type ResponseHeader } from './openApiHeaders.ts'

const ofEveryOperation: readonly ProblemCode[] = [
  'invalid_request',
  'invalid_parameter',
  'invalid_cursor',
  'invalid_id',
  'invalid_json',
  'invalid_token',
  'insufficient_scope',
  'access_denied',
  'not_found',
  'not_acceptable',
  'rate_limited',
  'temporarily_unavailable',
]

export const ofBodies: readonly ProblemCode[] = [
  'payload_too_large',
  'unsupported_media_type',
  'validation_failed',
  'unknown_field',
  'read_only_field',
  'immutable_field',
  'invalid_reference',
]

/**
 * Returns the codes of the errors with which an operation responds: those that follow from its kind, method and path, and those that it
 * declares. Problems of the connection or of the service are not included.
 */
export function errorsOf(operation: Operation | AcrossTypes): ProblemCode[] {
  const codes = [
    ...ofEveryOperation,
    ...('kind' in operation ? ofRows(operation) : operation.errors),
    ...(takesKey(operation) ? (['idempotency_in_progress', 'idempotency_key_reused'] as const) : []),
  ]
  return [...new Set(codes)]
}

function ofRows(operation: Operation): ProblemCode[] {
  const { resource, kind } = operation
  const writesFields = kind === 'create' || kind === 'update' || kind === 'replace'
  const states =
    kind === 'create' ? operation.rules.parentStatus : kind === 'action' || kind === 'remove' ? operation.rules.from : undefined
  return [
    ...(kind === 'list' || (kind === 'collectionRead' && operation.rules.isHard) ? (['query_too_expensive'] as const) : []),
    ...(bodySchema(operation) ? ofBodies : []),
    ...(kind === 'remove' ? (['resource_in_use'] as const) : []),
    ...(states ? (['invalid_state'] as const) : []),
    ...('needsIfMatch' in operation ? (['precondition_failed'] as const) : []),
    ...('needsIfMatch' in operation && operation.needsIfMatch ? (['precondition_required'] as const) : []),
    ...(writesFields && resource.hasSlug ? (['slug_taken'] as const) : []),
    ...(writesFields && resource.hasSlug && resource.reservedSlugs.length > 0 ? (['reserved_slug'] as const) : []),
    ...(writesFields && resource.writable.some(({ field }) => field === 'external_id') ? (['external_id_taken'] as const) : []),
    ...('rules' in operation ? (operation.rules.errors ?? []) : []),
  ]
}

const isRead = ({ kind }: Operation): boolean => kind === 'read' || kind === 'collectionRead'

/** True if the operation accepts an Idempotency-Key. Reads by POST do not: they change no data. */
export const takesKey = (operation: Operation | AcrossTypes): boolean =>
  operation.method === 'POST' && !('kind' in operation && isRead(operation))

/** Codes that no operation returns: those of registration, of the token endpoint, of signed URLs and of reports to the private port. */
const ofOtherUrls: readonly ProblemCode[] = [
  'invalid_redirect_uri',
  'invalid_client_metadata',
  'invalid_client',
  'signature_invalid',
  'upload_expired',
  'range_not_satisfiable',
  'reference_reused',
]

const statusOf = (code: ProblemCode): number => problems[code].status

const withStatus = (status: number): ProblemCode[] =>
  keysOf(problems).filter((code) => statusOf(code) === status && !ofOtherUrls.includes(code))

/** The responses that many operations share, by name. An operation describes a response with other codes itself. */
const shared: Readonly<Record<string, readonly ProblemCode[]>> = {
  BadRequest: withStatus(400),
  Unauthorized: withStatus(401),
  Forbidden: withStatus(403),
  NotFound: withStatus(404),
  NotAcceptable: withStatus(406),
  RetryConflict: ['idempotency_in_progress'],
  Gone: withStatus(410),
  PreconditionFailed: withStatus(412),
  ContentTooLarge: withStatus(413),
  UnsupportedMediaType: withStatus(415),
  UnprocessableContent: [...ofBodies.filter((code) => statusOf(code) === 422), 'idempotency_key_reused'],
  UnprocessableQuery: ['query_too_expensive'],
  PreconditionRequired: withStatus(428),
  TooManyRequests: withStatus(429),
  ServiceUnavailable: withStatus(503),
}

const headersOf: Readonly<Record<number, readonly ResponseHeader[]>> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  412: ['ETag'],
  429: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
  503: ['Retry-After'],
}

export function errorComponents(): Record<string, Json> {
  const other = withStatus(500)
  return {
    ...Object.fromEntries(Object.entries(shared).map(([name, codes]) => [name, errorResponse(codes)])),
    UnexpectedError: {
      ...errorResponse(other),
      description: `Any other error, such as ${listed(other)}. The code in \`error\` says what is wrong, \`error_description\` how to correct it.`,
    },
  }
}

/** Returns the responses to the errors with these codes by status, and `default` for all others. */
export function errorResponses(codes: readonly ProblemCode[]): Record<string, Json> {
  const byStatus = Map.groupBy(codes, statusOf)
  const statuses = [...byStatus.keys()].toSorted((left, right) => left - right)
  return Object.fromEntries([
    ...statuses.map((status) => [status, sharedOrOwn(status, byStatus.get(status) ?? [])]),
    ['default', reference('UnexpectedError')],
  ])
}

const reference = (name: string): Json => ({ $ref: `#/components/responses/${name}` })

/** Most statuses have the same codes for every operation. Those of 409 and 422 are what the operation checks. */
function sharedOrOwn(status: number, codes: readonly ProblemCode[]): Json {
  const isExact = status === 409 || status === 422
  const isSame = (known: readonly ProblemCode[]): boolean => known.length === codes.length && codes.every((code) => known.includes(code))
  const found = Object.entries(shared).find(([, known]) => known.map(statusOf).includes(status) && (!isExact || isSame(known)))
  return found ? reference(found[0]) : errorResponse(codes)
}

function errorResponse(codes: readonly ProblemCode[]): Json {
  const [status = 500] = codes.map(statusOf)
  return {
    description: `The code in \`error\` is ${listed(codes)}.`,
    headers: headersNamed('Request-Id', ...(headersOf[status] ?? [])),
    content: { 'application/json': { schema: { $ref: referenceTo(errorSchemaName) } } },
  }
}

const listed = (codes: readonly ProblemCode[]): string => {
  const quoted = [...new Set(codes)].map((code) => `\`${code}\``)
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`
}
