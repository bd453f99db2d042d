import type { ProblemCode } from '../../base/problem.ts'
import type { AcrossTypes } from '../declare/acrossTypes.ts'
import type { Operation } from '../declare/operations.ts'
import { bodySchema } from '../output/publishedSchemas.ts'

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
