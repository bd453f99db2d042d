import type { ChangeFeed } from '../kit/changeFeed.ts'
import { deprecated } from '../kit/deprecation.ts'
import { exampleBody, exampleObject, exampleRow } from '../kit/exampleOf.ts'
import { type Operation, resourceAnswered } from '../kit/operations.ts'
import { answerSchema, bodyName, bodySchema, ownOutput, publishedSchema, referenceTo } from '../kit/publishedSchemas.ts'
import { type AnswerHeader, headersNamed, requestHeader } from './openApiHeaders.ts'
import { refusalsOf, takesKey } from './openApiRefusals.ts'
import { operationDescription } from './operationDescription.ts'

type Described = Operation | ChangeFeed

const isOperation = (described: Described): described is Operation => 'kind' in described

/** The tag of the feed, which belongs to no resource. */
export const feedTag = { name: 'changes', description: 'What has changed in the school, in order: for those who keep a copy.' }

/** One operation, as it stands under its path. */
export function describeOperation(operation: Described, path: string): Record<string, unknown> {
  const { id, summary, anonymous, roles } = operation
  const scopes = isOperation(operation) ? [operation.scope] : [...new Set([...operation.types.values()].map(({ scope }) => scope))]
  return {
    operationId: id,
    summary,
    description: operationDescription(operation),
    tags: [isOperation(operation) ? operation.resource.name : feedTag.name],
    parameters: [...parametersOf(operation, path), ...headersOf(operation)],
    ...requestOf(operation),
    responses: {
      [operation.successStatus]: answerOf(operation),
      ...thereAlready(operation),
      ...notModified(operation),
      ...refusalsOf(operation),
    },
    // The feed takes any of its scopes: each opens the types of its own resource.
    security: [...(isOperation(operation) ? [{ oauth2: scopes }] : scopes.map((scope) => ({ oauth2: [scope] }))), ...visitors(anonymous)],
    ...(operation.deprecation && deprecated(operation.deprecation)),
    'x-required-scopes': scopes,
    'x-anonymous': anonymous,
    'x-roles': roles,
  }
}

const visitors = (anonymous: Described['anonymous']): object[] => (anonymous === 'none' ? [] : [{}])

function parametersOf({ parameters }: Described, path: string): Record<string, unknown>[] {
  // Paths that differ in a parameter's name alone are published as one: the names in it are those of the first.
  const namesInPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).values()
  return parameters.map(({ name, in: place, isRequired, description, schema }) => {
    const published = publishedSchema(schema)
    return {
      name: place === 'path' ? (namesInPath.next().value ?? name) : name,
      in: place,
      required: isRequired,
      description,
      ...(published.type === 'array' && { style: 'form', explode: false }),
      schema: published,
    }
  })
}

function headersOf(operation: Described): { $ref: string }[] {
  if (operation.method === 'GET') return [requestHeader('IfNoneMatch')]
  const isOnRow = isOperation(operation) && 'needsIfMatch' in operation
  return [
    ...(isOnRow ? [requestHeader(operation.needsIfMatch ? 'NeededIfMatch' : 'IfMatch')] : []),
    ...(takesKey(operation) ? [requestHeader('IdempotencyKey')] : []),
  ]
}

function requestOf(operation: Described): Record<string, unknown> {
  const body = isOperation(operation) && bodySchema(operation)
  if (!body) return {}
  const { kind } = operation
  const media = { schema: { $ref: referenceTo(bodyName(operation)) }, example: exampleRequest(operation) }
  const form = kind === 'create' && operation.rules.takes
  const types = form
    ? [form.type]
    : operation.method === 'PATCH'
      ? ['application/merge-patch+json', 'application/json']
      : ['application/json']
  return { requestBody: { required: kind !== 'action', content: Object.fromEntries(types.map((type) => [type, media])) } }
}

function exampleRequest(operation: Operation): Record<string, unknown> {
  if (operation.kind === 'collection') return exampleObject(operation.rules.input)
  if (operation.kind !== 'action' && 'rules' in operation && 'input' in operation.rules && operation.rules.input)
    return exampleObject(operation.rules.input)
  if (operation.kind === 'action') return operation.input ? exampleObject(operation.input) : {}
  return exampleBody(operation.resource, operation.kind !== 'update')
}

function answerOf(operation: Described): Record<string, unknown> {
  const schema = answerSchema(operation)
  const isList = isOperation(operation) && operation.kind === 'list'
  const status = operation.successStatus
  const names: AnswerHeader[] = [
    'Request-Id',
    'RateLimit',
    'RateLimit-Policy',
    ...(schema ? (['ETag'] as const) : []),
    ...(status === 201 && !(isOperation(operation) && operation.resource.isPart) ? (['Location'] as const) : []),
    ...(operation.method === 'GET' ? (['Link'] as const) : []),
    ...(operation.deprecation ? (['Deprecation', 'Sunset'] as const) : []),
  ]
  const headers = headersNamed(...names)
  if (!schema) return { description: 'Done.', headers }
  const example = exampleAnswer(operation)
  const content: Record<string, unknown> = { 'application/json': { schema, ...(example && { example }) } }
  if (isList && operation.resource.isExported) {
    content['text/csv'] = { schema: { type: 'string' }, example: 'id,object\r\n' }
    content['application/x-ndjson'] = { schema: { type: 'string' }, example: '{"object":"…"}\n' }
  }
  if (isOperation(operation) && operation.kind === 'read' && operation.rules.asHtml) content['text/html'] = { schema: { type: 'string' } }
  if (isOperation(operation) && (isList || operation.kind === 'get')) {
    for (const { type, example: text } of operation.resource.representations) content[type] = { schema: { type: 'string' }, example: text }
  }
  if (isOperation(operation) && operation.kind === 'collectionRead' && operation.rules.rows) {
    content['text/csv'] = { schema: { type: 'string' }, example: 'date,…\r\n' }
  }
  return { description: status === 201 ? 'Made. Location says where it stands.' : 'As asked.', headers, content }
}

/** What is made at most once is answered by what there is, the next time. */
function thereAlready(operation: Described): Record<string, unknown> {
  const isOnce = isOperation(operation) && operation.kind === 'create' && operation.rules.isOnce === true
  return isOnce ? { 200: { ...answerOf({ ...operation, successStatus: 200 }), description: 'It was there already.' } } : {}
}

const notModified = ({ method }: Described): Record<string, unknown> =>
  method === 'GET' ? { 304: { description: 'If-None-Match names what is there.', headers: headersNamed('ETag', 'Request-Id') } } : {}

/** A row, a page, or what the operation answers instead. */
function exampleAnswer(operation: Described): Record<string, unknown> | undefined {
  const page = { limit: 20, has_more: false, next_cursor: null, prev_cursor: null }
  if (!isOperation(operation)) return { object: 'list', data: [], page }
  const output = ownOutput(operation)
  if (output) return exampleObject(output)
  if (operation.kind === 'collection') return undefined
  const row = exampleRow(resourceAnswered(operation))
  return operation.kind === 'list' ? { object: 'list', data: [row], page } : row
}
