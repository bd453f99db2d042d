import { deprecated } from '../framework/declare/deprecation.ts'
import { exampleRequest } from '../framework/declare/exampleOf.ts'
import { isStreamed, type Operation } from '../framework/declare/operations.ts'
import { operationsOf } from '../framework/declare/operationsOf.ts'
import type { ChangeFeed } from '../framework/output/changeFeed.ts'
import { answerSchema, bodyName, bodySchema, type JsonSchema, publishedSchema, referenceTo } from '../framework/output/publishedSchemas.ts'
import { errorResponses, takesKey } from './openApiErrors.ts'
import { type AnswerHeader, headersNamed, requestHeader } from './openApiHeaders.ts'
import { operationDescription } from './operationDescription.ts'

type Described = Operation | ChangeFeed

const isOperation = (described: Described): described is Operation => 'kind' in described

/** The tag of the feed, which belongs to no resource. */
export const feedTag = { name: 'changes', description: 'Changes in the school, in order, for programs that keep a copy.' }

/** Returns the description of one operation, as it appears below its path. */
export function describeOperation(operation: Described, path: string): Record<string, unknown> {
  const { id, summary, anonymous, roles } = operation
  const description = operationDescription(operation)
  const scopes = isOperation(operation) ? [operation.scope] : [...new Set([...operation.types.values()].map(({ scope }) => scope))]
  return {
    operationId: id,
    summary,
    ...(description !== '' && { description }),
    tags: [isOperation(operation) ? operation.resource.name : feedTag.name],
    parameters: [...parametersOf(operation, path), ...headersOf(operation)],
    ...requestOf(operation),
    responses: {
      [operation.successStatus]: { ...answerOf(operation), ...linksOf(operation) },
      ...otherSuccess(operation),
      ...errorResponses,
    },
    // The feed accepts any of its scopes: each one grants the types of one resource.
    security: [...(isOperation(operation) ? [{ oauth2: scopes }] : scopes.map((scope) => ({ oauth2: [scope] }))), ...visitors(anonymous)],
    ...(operation.deprecation && deprecated(operation.deprecation)),
    'x-required-scopes': scopes,
    'x-anonymous': anonymous,
    'x-roles': roles,
  }
}

/** Returns the operations that follow this one. */
function linksOf(operation: Described): { links?: Record<string, { operationId: string; description: string }> } {
  if (!isOperation(operation)) return {}
  const following = operationsOf(operation.resource).filter((other) => other.kind === 'action' && other.rules.follows === operation.id)
  if (following.length === 0) return {}
  return { links: Object.fromEntries(following.map(({ id, summary }) => [id, { operationId: id, description: `${summary}.` }])) }
}

const visitors = (anonymous: Described['anonymous']): object[] => (anonymous === 'none' ? [] : [{}])

function parametersOf({ parameters }: Described, path: string): Record<string, unknown>[] {
  // Paths that differ only in the name of a parameter are published as one, with the names of the first.
  const namesInPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).values()
  return parameters.map(({ name, in: place, isRequired, description, schema }) => {
    const published = publishedSchema(schema)
    return {
      name: place === 'path' ? (namesInPath.next().value ?? name) : name,
      in: place,
      ...(isRequired && { required: true }),
      description: withoutDescriptionOf(published.items, description),
      ...(published.type === 'array' && { explode: false }),
      schema: describedOnce(published),
    }
  })
}

/** Returns the schema of a parameter without the description, which the parameter has. */
const describedOnce = ({ description: _, ...schema }: JsonSchema): JsonSchema => schema

/** Returns the description of a parameter without that of its values, which their schema has. */
function withoutDescriptionOf(items: unknown, description: string): string {
  const values = String(Object(items).description ?? '')
  return description.toLowerCase().endsWith(` ${values.toLowerCase()}`) ? description.slice(0, -values.length - 1) : description
}

function headersOf(operation: Described): { $ref: string }[] {
  if (operation.method === 'GET') return isOperation(operation) && isStreamed(operation) ? [] : [requestHeader('IfNoneMatch')]
  const isOnRow = isOperation(operation) && 'needsIfMatch' in operation
  return [
    ...(isOnRow ? [requestHeader(operation.needsIfMatch ? 'NeededIfMatch' : 'IfMatch')] : []),
    ...(takesKey(operation) ? [requestHeader('IdempotencyKey')] : []),
  ]
}

function requestOf(operation: Described): { requestBody?: { $ref: string } } {
  if (!isOperation(operation) || !bodySchema(operation)) return {}
  return { requestBody: { $ref: `#/components/requestBodies/${bodyName(operation)}` } }
}

/**
 * Returns the request bodies by name, and takes their schemas out of `schemas`. A schema with defaults is inlined, because generators
 * treat a member with a default as always present where a schema can also describe a response. Only PATCH refers to its schema:
 * it has two media types and no defaults.
 */
export function requestBodies(operations: readonly Operation[], schemas: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> {
  const found = operations
    .filter((operation) => bodySchema(operation))
    .map((operation) => [bodyName(operation), bodyOf(operation, schemas)])
  return Object.fromEntries(found)
}

function bodyOf(operation: Operation, schemas: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const { kind, method } = operation
  const name = bodyName(operation)
  const isPatch = method === 'PATCH'
  const media = {
    schema: isPatch ? { $ref: referenceTo(name) } : { ...schemas[name] },
    example: exampleRequest(operation),
  }
  const form = kind === 'create' && operation.rules.takes
  const types = form ? [form.type] : isPatch ? ['application/merge-patch+json', 'application/json'] : ['application/json']
  return { required: kind !== 'action', content: Object.fromEntries(types.map((type) => [type, media])) }
}

function answerOf(operation: Described): Record<string, unknown> {
  const schema = answerSchema(operation)
  const status = operation.successStatus
  const names: AnswerHeader[] = [
    ...(status === 201 && !(isOperation(operation) && operation.resource.isPart) ? (['Location'] as const) : []),
    ...(operation.deprecation ? (['Deprecation', 'Sunset'] as const) : []),
  ]
  const headers = names.length > 0 && { headers: headersNamed(...names) }
  if (!schema) return { description: 'Success, without a body.', ...headers }
  const others = otherMediaTypes(operation)
  return {
    description: status === 201 ? 'Created.' : 'Success.',
    ...headers,
    content: { 'application/json': { schema } },
    ...(Object.keys(others).length > 0 && { 'x-media-types': others }),
  }
}

/**
 * Returns the other media types that `Accept` can request, each with an example. They are published as an extension: with several
 * media types in `content`, typed clients would have to distinguish them in every response.
 */
function otherMediaTypes(operation: Described): Record<string, { example: string }> {
  if (!isOperation(operation)) return {}
  const { kind, resource } = operation
  return {
    ...(kind === 'list' && resource.isExported && exportTypes),
    ...(operation.kind === 'read' && operation.rules.asHtml && { 'text/html': { example: '<!doctype html>…' } }),
    ...((kind === 'list' || kind === 'get') &&
      Object.fromEntries(resource.representations.map(({ type, example }) => [type, { example }]))),
    ...(operation.kind === 'collectionRead' && operation.rules.rows && { 'text/csv': { example: 'date,…\r\n' } }),
  }
}

const exportTypes = { 'text/csv': { example: 'id,object\r\n' }, 'application/x-ndjson': { example: '{"object":"…"}\n' } }

/** Returns the 200 response of an operation that returns what it would create if it exists, and of a bulk request that writes all items or none. */
function otherSuccess(operation: Described): Record<string, unknown> {
  const isOnce = isOperation(operation) && (operation.kind === 'create' || operation.kind === 'action') && operation.rules.isOnce === true
  if (isOnce) return { 200: { ...answerOf({ ...operation, successStatus: 200 }), description: 'It existed already.' } }
  const isAtomic = isOperation(operation) && operation.kind === 'collection' && operation.rules.isAtomic !== undefined
  return isAtomic
    ? { 200: { ...answerOf({ ...operation, successStatus: 200 }), description: 'All items were written, with `atomic`.' } }
    : {}
}
