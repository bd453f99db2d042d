import { exampleId } from '../../base/ids.ts'
import { isObject, objectOf } from '../../base/text/jsonValue.ts'
import { deprecated } from '../declare/deprecation.ts'
import { type AcrossTypes, exampleRequest, exampleValue, isStreamed, type Operation } from '../declare/operations.ts'
import { operationsOf } from '../declare/operationsOf.ts'
import type { Parameter } from '../declare/parameters.ts'
import { isArray } from '../declare/views.ts'
import { answerSchema, bodyName, publishedSchema, referenceTo } from '../output/publishedSchemas.ts'
import { isWrite, takesDryRun } from '../write/dryRun.ts'
import { addNamed, type Json, withNamedSchemas } from './namedSchemas.ts'
import { errorResponses, errorsOf, takesKey } from './openApiErrors.ts'
import { headersNamed, type ResponseHeader, requestHeader } from './openApiHeaders.ts'
import { operationDescription } from './operationDescription.ts'

type Described = Operation | AcrossTypes

export interface Components {
  schemas: Record<string, Json>
  requestBodies: Record<string, Json>
  parameters: Record<string, Json>
  responses: Record<string, Json>
  headers: Record<string, Json>
}

const isOperation = (described: Described): described is Operation => 'kind' in described

export function describeOperation(operation: Described, path: string, components: Components): Json {
  const { id, summary, anonymous, roles } = operation
  const description = operationDescription(operation)
  const scopes = isOperation(operation) ? [operation.scope] : [...new Set([...operation.types.values()].map(({ scope }) => scope))]
  return {
    operationId: id,
    summary,
    ...(description !== '' && { description }),
    tags: [isOperation(operation) ? operation.resource.name : operation.tag.name],
    parameters: [...parametersOf(operation, path, components), ...headersOf(operation)],
    ...requestOf(operation, components),
    responses: {
      [operation.successStatus]: { ...responseOf(operation, components), ...linksOf(operation) },
      ...otherSuccess(operation, components),
      ...errorResponses(errorsOf(operation)),
    },
    // An operation across types accepts any of its scopes: each one grants the types of one resource.
    security: [...(isOperation(operation) ? [{ oauth2: scopes }] : scopes.map((scope) => ({ oauth2: [scope] }))), ...visitors(anonymous)],
    ...(operation.deprecation && deprecated(operation.deprecation)),
    'x-required-scopes': scopes,
    'x-anonymous': anonymous,
    'x-roles': roles,
  }
}

function linksOf(operation: Described): { links?: Record<string, { operationId: string; description: string }> } {
  if (!isOperation(operation)) return {}
  const following = operationsOf(operation.resource).filter((other) => other.kind === 'action' && other.rules.follows === operation.id)
  if (following.length === 0) return {}
  return { links: Object.fromEntries(following.map(({ id, summary }) => [id, { operationId: id, description: `${summary}.` }])) }
}

const visitors = (anonymous: Described['anonymous']): object[] => (anonymous === 'none' ? [] : [{}])

function parametersOf({ parameters }: Described, path: string, components: Components): Json[] {
  // Paths that differ only in the name of a parameter are published as one, with the names of the first.
  const namesInPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).values()
  return parameters.map((parameter) => {
    const { name, in: place, isRequired, description, schema, component } = parameter
    const published = objectOf(withNamedSchemas(publishedSchema(schema), components.schemas))
    const example = exampleOf(parameter, published)
    const documented = {
      name: place === 'path' ? (namesInPath.next().value ?? name) : name,
      in: place,
      ...(isRequired && { required: true }),
      description: withoutDescriptionOf(published.items, description),
      ...(published.type === 'array' && { explode: false }),
      schema: describedOnce(published),
      ...(example !== undefined && { example }),
    }
    if (component === undefined) return documented
    addNamed(components.parameters, component, documented)
    return { $ref: `#/components/parameters/${component}` }
  })
}

/** Returns a value of a parameter that is a text; other schemas show their values. */
function exampleOf({ schema, target, filter }: Parameter, { items, ...own }: Json): unknown {
  const { type, enum: values, format } = isObject(items) ? items : own
  if (type !== 'string' || values !== undefined || ['date', 'date-time'].includes(String(format))) return undefined
  const idPrefix = (target ?? filter?.filter)?.idPrefix
  const example = exampleValue(isArray(schema) ? schema.element : schema) ?? (idPrefix && exampleId(idPrefix))
  return example === undefined || !isArray(schema) ? example : [example]
}

/** Returns the schema without what its parameter says: its example and, outside of a list, its description. */
function describedOnce({ example: _example, items, ...whole }: Json, isItem = false): Json {
  const { description, ...rest } = whole
  const schema = isItem && description !== undefined ? whole : rest
  if (isObject(items)) return { ...schema, items: describedOnce(items, true) }
  const [reference, ...others] = Array.isArray(schema.allOf) ? schema.allOf : []
  return isObject(reference) && others.length === 0 && Object.keys(schema).length === 1 ? reference : schema
}

/** Removes the end of a parameter's description that its schema repeats. */
function withoutDescriptionOf(items: unknown, description: string): string {
  const values = String(Object(items).description ?? '')
  return description.toLowerCase().endsWith(` ${values.toLowerCase()}`) ? description.slice(0, -values.length - 1) : description
}

function headersOf(operation: Described): { $ref: string }[] {
  if (operation.method === 'GET') return isOperation(operation) && isStreamed(operation) ? [] : [requestHeader('IfNoneMatch')]
  const isOnRow = isOperation(operation) && 'needsIfMatch' in operation
  return [
    ...(isOnRow ? [requestHeader(operation.needsIfMatch === true ? 'NeededIfMatch' : 'IfMatch')] : []),
    ...(takesKey(operation) ? [requestHeader('IdempotencyKey')] : []),
    ...(isOperation(operation) && takesDryRun(operation) ? [requestHeader('DryRunParameter'), requestHeader('ProposalParameter')] : []),
    ...(isOperation(operation) && isWrite(operation) ? [requestHeader('AgentReason')] : []),
  ]
}

/** Returns the request body of an operation: a component, unless it is a patch, whose schema is one. */
function requestOf(operation: Described, { schemas, requestBodies }: Components): { requestBody?: Json } {
  const schema = isOperation(operation) ? schemas[bodyName(operation)] : undefined
  if (!isOperation(operation) || !schema) return {}
  if (operation.method === 'PATCH') return { requestBody: bodyOf(operation, schema) }
  const isEmpty = Object.keys(Object(schema.properties)).length === 0
  const name = isEmpty ? 'EmptyBody' : bodyName(operation)
  addNamed(requestBodies, name, { ...bodyOf(operation, schema), ...(isEmpty && { required: false }) })
  return { requestBody: { $ref: `#/components/requestBodies/${name}` } }
}

/**
 * A schema with defaults is written inline, because generators treat a member with a default as always present where a schema can also
 * describe a response. That of a patch has none, and two media types.
 */
function bodyOf(operation: Operation, schema: Json): Json {
  const { kind, method } = operation
  const isPatch = method === 'PATCH'
  const media = { schema: isPatch ? { $ref: referenceTo(bodyName(operation)) } : schema, example: exampleRequest(operation) }
  const form = kind === 'create' && operation.rules.takes
  const types = form ? [form.type] : isPatch ? ['application/merge-patch+json', 'application/json'] : ['application/json']
  const takesCsv = kind === 'collection' && operation.rules.csv !== undefined
  return {
    required: kind !== 'action',
    content: Object.fromEntries(types.map((type) => [type, media])),
    ...(takesCsv && { 'x-media-types': { 'text/csv': { example: 'email,name\r\n' } } }),
  }
}

function responseOf(operation: Described, { schemas }: Components): Json {
  const schema = answerSchema(operation, schemas)
  const status = operation.successStatus
  const names: ResponseHeader[] = [
    ...(status === 201 && !(isOperation(operation) && operation.resource.isPart) ? (['Location'] as const) : []),
    ...(isOperation(operation) && operation.kind === 'get' && operation.resource.hasSlug ? (['Content-Location'] as const) : []),
    ...(operation.deprecation ? (['Deprecation', 'Sunset'] as const) : []),
  ]
  const headers = names.length > 0 && { headers: headersNamed(...names) }
  if (!schema) return { description: 'Success, without a body.', ...headers }
  const others = acceptedTypes(operation)
  return {
    description: status === 201 ? 'Created.' : 'Success.',
    ...headers,
    content: { 'application/json': { schema }, ...(operation.parameters.some(({ name }) => name === 'csv') && csvMedia) },
    ...(Object.keys(others).length > 0 && { 'x-media-types': others }),
  }
}

/** Unlike the other media types, CSV is also requested by a parameter. */
const csvMedia = { 'text/csv': { schema: { type: 'string' }, example: 'id,object\r\n' } }

/**
 * Returns the media types that only `Accept` requests, each with an example. They are published as an extension: with NDJSON in `content`,
 * generated clients would read every list as a stream.
 */
function acceptedTypes(operation: Described): Record<string, { example: string }> {
  if (!isOperation(operation)) return {}
  const { kind, resource } = operation
  return {
    ...(kind === 'list' && resource.isExported && { 'application/x-ndjson': { example: '{"object":"…"}\n' } }),
    ...(operation.kind === 'read' && operation.rules.asHtml && { 'text/html': { example: '<!doctype html>…' } }),
    ...((kind === 'list' || kind === 'get') &&
      Object.fromEntries(resource.representations.map(({ type, example }) => [type, { example }]))),
  }
}

export const dryRunResponse = {
  description: 'What the request would do, with `Dry-Run: true`.',
  headers: headersNamed('Dry-Run'),
  content: {
    'application/json': {
      schema: { type: 'object', required: ['dry_run'], properties: { dry_run: { $ref: referenceTo('DryRunReport') } } },
    },
  },
}

/** Returns the 200 response of an operation that returns what it would create if it exists, and of a bulk request that writes all items or none. */
function otherSuccess(operation: Described, components: Components): Json {
  const isOnce = isOperation(operation) && (operation.kind === 'create' || operation.kind === 'action') && operation.rules.isOnce === true
  if (isOnce) return { 200: { ...responseOf({ ...operation, successStatus: 200 }, components), description: 'It existed already.' } }
  if (isOperation(operation) && operation.successStatus === 204 && takesDryRun(operation))
    return { 200: { $ref: '#/components/responses/DryRunOfRemoval' } }
  const isAtomic = isOperation(operation) && operation.kind === 'collection' && operation.rules.isAtomic !== undefined
  return isAtomic
    ? { 200: { ...responseOf({ ...operation, successStatus: 200 }, components), description: 'All items were written, with `atomic`.' } }
    : {}
}
