import type { ChangeFeed } from '../kit/changeFeed.ts'
import { exampleBody, exampleRow } from '../kit/exampleOf.ts'
import type { Operation } from '../kit/operations.ts'
import type { Parameter } from '../kit/parameters.ts'
import { answerSchema, bodyName, bodySchema, publishedSchema, referenceTo } from '../kit/publishedSchemas.ts'
import { problems } from '../lib/problem.ts'

type Described = Operation | ChangeFeed

const isOperation = (described: Described): described is Operation => 'kind' in described

/** One operation, as it stands under its path. */
export function describeOperation(operation: Described, path: string): Record<string, unknown> {
  const { id, summary, anonymous, roles } = operation
  const scopes = isOperation(operation) ? [operation.scope] : [...new Set([...operation.types.values()].map(({ scope }) => scope))]
  const security = [{ oauth2: scopes }, { openIdConnect: scopes }, ...(anonymous === 'none' ? [] : [{}])]
  return {
    operationId: id,
    summary,
    tags: isOperation(operation) ? [operation.resource.name] : [],
    parameters: [...parametersOf(operation, path), ...headersOf(operation)],
    ...requestOf(operation),
    responses: { [operation.successStatus]: answerOf(operation), ...refusalsOf(operation) },
    security,
    'x-required-scopes': scopes,
    'x-anonymous': anonymous,
    'x-roles': roles,
  }
}

function parametersOf({ parameters }: Described, path: string): Record<string, unknown>[] {
  const nameInPath = /\{(\w+)\}/.exec(path)?.[1]
  return parameters.map(({ name, in: place, isRequired, description, schema }: Parameter) => {
    const published = publishedSchema(schema)
    const isList = published.type === 'array'
    return {
      name: place === 'path' ? (nameInPath ?? name) : name,
      in: place,
      required: isRequired,
      description,
      ...(isList && { style: 'form', explode: false }),
      schema: published,
    }
  })
}

function headersOf(operation: Described): Record<string, unknown>[] {
  const header = (name: string, description: string, required = false) => ({
    name,
    in: 'header',
    required,
    description,
    schema: { type: 'string' },
  })
  if (operation.method === 'GET') return [header('If-None-Match', 'ETag of what is there already: 304 where it is still right.')]
  const needsIfMatch = isOperation(operation) && 'needsIfMatch' in operation && operation.needsIfMatch
  return [
    ...(isOperation(operation) && 'needsIfMatch' in operation
      ? [header('If-Match', 'ETag of the row that is meant: 412 where it has changed since.', needsIfMatch)]
      : []),
    ...(operation.method === 'POST'
      ? [header('Idempotency-Key', 'Makes it safe to send the same again: for a day, the answer is the same.')]
      : []),
  ]
}

function requestOf(operation: Described): Record<string, unknown> {
  if (!isOperation(operation) || !bodySchema(operation)) return {}
  const { kind, resource } = operation
  const example = kind === 'create' || kind === 'update' ? exampleBody(resource, kind === 'create') : undefined
  const media = { schema: { $ref: referenceTo(bodyName(operation)) }, ...(example && { example }) }
  const types = kind === 'update' ? ['application/merge-patch+json', 'application/json'] : ['application/json']
  return { requestBody: { required: kind !== 'action', content: Object.fromEntries(types.map((type) => [type, media])) } }
}

function answerOf(operation: Described): Record<string, unknown> {
  const schema = answerSchema(operation)
  if (!schema) return { description: 'Done.' }
  const row = isOperation(operation) && operation.kind !== 'collection' ? exampleRow(operation.resource) : undefined
  const page = { limit: 20, has_more: false, next_cursor: null, prev_cursor: null }
  const isList = isOperation(operation) && operation.kind === 'list'
  const example = row && (isList ? { object: 'list', data: [row], page } : row)
  const content: Record<string, unknown> = { 'application/json': { schema, ...(example && { example }) } }
  if (isList && operation.resource.isExported) {
    content['text/csv'] = { schema: { type: 'string' } }
    content['application/x-ndjson'] = { schema: { type: 'string' } }
  }
  return {
    description: operation.successStatus === 201 ? 'Made. Location says where it stands.' : 'As asked.',
    headers: { ETag: { description: 'Version and view of what is answered.', schema: { type: 'string' } } },
    content,
  }
}

const table: Readonly<Record<string, { status: number; description: string }>> = problems

/** Every refusal by status, with the codes that it can carry. */
function refusalsOf(operation: Described): Record<string, unknown> {
  const codes = codesOf(operation)
  const byStatus = Map.groupBy(codes, (code) => table[code]?.status ?? 500)
  return Object.fromEntries(
    [...byStatus].map(([status, found]) => [
      status,
      {
        description: found.map((code) => `${code}: ${table[code]?.description}`).join('\n'),
        content: {
          'application/json': {
            schema: { allOf: [{ $ref: referenceTo('Error') }, { type: 'object', properties: { error: { type: 'string', enum: found } } }] },
            example: { error: found[0], error_description: table[found[0] as string]?.description },
          },
        },
      },
    ]),
  )
}

function codesOf(operation: Described): string[] {
  const always = [
    'invalid_request',
    'invalid_parameter',
    'invalid_token',
    'insufficient_scope',
    'access_denied',
    'not_acceptable',
    'rate_limited',
    'server_error',
    'temporarily_unavailable',
  ]
  if (!isOperation(operation)) return [...always, 'invalid_cursor', 'cursor_expired']
  const { kind, resource, method } = operation
  const onRow = ['update', 'remove', 'action'].includes(kind) || kind === 'get'
  const hasBody = !['list', 'get', 'remove'].includes(kind)
  return [
    ...always,
    ...(kind === 'list' ? ['invalid_cursor', 'query_too_expensive'] : []),
    ...(onRow ? [...(resource.isSingleton ? [] : ['invalid_id']), 'not_found'] : []),
    ...(hasBody ? ['invalid_json', 'payload_too_large', 'unsupported_media_type', 'validation_failed', 'unknown_field'] : []),
    ...(kind === 'create' || kind === 'update'
      ? ['read_only_field', 'invalid_reference', ...(resource.hasSlug ? ['slug_taken', 'reserved_slug'] : [])]
      : []),
    ...(kind === 'update' ? ['immutable_field'] : []),
    ...(['update', 'remove', 'action'].includes(kind) ? ['precondition_failed'] : []),
    ...('needsIfMatch' in operation && operation.needsIfMatch ? ['precondition_required'] : []),
    ...(kind === 'action' || kind === 'remove' ? ['invalid_state'] : []),
    ...(kind === 'remove' ? ['resource_in_use'] : []),
    ...(method === 'POST' ? ['idempotency_in_progress', 'idempotency_key_reused'] : []),
  ]
}
