import { isObject, objectOf } from '../../base/text/jsonValue.ts'
import type { ScopeEntry } from '../declare/area.ts'
import type { AcrossTypes, Operation } from '../declare/operations.ts'
import { operationsAcrossTypes } from '../output/operationsAcrossTypes.ts'
import { bodyName, pageInfoSchema, publishedSchemas } from '../output/publishedSchemas.ts'
import { webhookEvents } from '../output/webhookEvents.ts'
import { errorSchema, errorSchemaName } from './errorSchema.ts'
import { addNamed, inputSuffix, type Json, withNamedSchemas } from './namedSchemas.ts'
import { errorComponents } from './openApiErrors.ts'
import { requestHeaders, responseHeaders } from './openApiHeaders.ts'
import { type Components, describeOperation, dryRunResponse } from './openApiOperation.ts'
import { contactOf, type OpenApiFacts, openApiMarkers } from './serveOpenApi.ts'
import { usedComponents } from './usedComponents.ts'

/** Returns the text that `serveOpenApi.ts` serves: undefined if there is no such tag. */
export function openApiText(description: ApiDescription, scopes: readonly ScopeEntry[], tag?: string): string | undefined {
  if (tag !== undefined && !description.tags.some(({ name }) => name === tag)) return undefined
  const { issuer, name, contact } = openApiMarkers
  const part = tag === undefined ? description : describedTag(description, tag)
  return JSON.stringify(openApiDocument(part, scopes, { issuer, name, contactEmail: null, supportUrl: null }, contact))
}

export function openApiDocument(
  { tags, paths, components, webhooks }: ApiDescription,
  scopes: readonly ScopeEntry[],
  facts: OpenApiFacts,
  contact: object | string = contactOf(facts),
) {
  const needed = JSON.stringify(paths)
  const own = scopes.filter(({ name, verb }) => verb === 'identity' || needed.includes(`"${name}"`))
  return {
    ...schoolPart(facts, contact),
    ...{ tags, paths, components: { ...components, securitySchemes: securitySchemes(own, facts) } },
    ...(webhooks && { 'x-webhooks': webhooks }),
  }
}

function schoolPart({ issuer, name }: OpenApiFacts, contact: object | string): Record<string, unknown> {
  return {
    openapi: '3.0.3',
    info: {
      title: `API of ${name}`,
      version: '1.0.0',
      description: aboutApi,
      contact,
    },
    externalDocs: { description: 'The same as a web page, with every error.', url: `${issuer}/docs` },
    servers: [{ url: issuer, description: 'This school.' }],
  }
}

const aboutApi = [
  'The resources of one school. Without a token, you get the public view. With a token, you get what its scopes and the role of its person allow.',
  'A list returns one page of the rows that the caller can see. Get the other pages with the `Link` header or with `page`.',
  'Responses are JSON. Some operations also offer CSV (parameter `csv`, or `Accept`), and with `Accept` the types in `x-media-types`.',
  'A list in a parameter is one value with commas (`status=draft,published`). Where your client repeats the parameter instead, set its serializer to `explode: false`: a repeated parameter is 400.',
  'A GET responds with an `ETag`: send it in `If-None-Match` to get 304 if nothing has changed, or in `If-Match` with a change.',
  'PATCH takes a merge patch (RFC 7396): absent fields keep their value, null clears a field, and a list is replaced as a whole.',
  'Every response has `Request-Id`, `RateLimit` (requests left) and `RateLimit-Policy` (all limits of the request). Changes count against the limit `write`, too.',
  'Clients must ignore unknown members and unknown values: adding them does not change the version.',
].join('\n\n')

const securitySchemes = (scopes: readonly ScopeEntry[], { issuer }: OpenApiFacts) => ({
  oauth2: {
    type: 'oauth2',
    description: `Authorization code with PKCE (S256). Clients register themselves. ${issuer}/auth.md describes every step.`,
    flows: {
      authorizationCode: {
        authorizationUrl: `${issuer}/oauth/authorize`,
        tokenUrl: `${issuer}/api/oauth/token`,
        refreshUrl: `${issuer}/api/oauth/token`,
        scopes: Object.fromEntries(scopes.map(({ name, sentence }) => [name, sentence])),
      },
    },
  },
})

/** Operations by path and method, and the components to which they refer, by kind and name. */
interface Described {
  paths: Record<string, Record<string, Json>>
  components: Record<string, Record<string, Json>>
}

/** The part of the OpenAPI document that is the same for every school. */
export interface ApiDescription extends Described {
  tags: { name: string; description: string }[]
  /** The events that are sent to other systems. Only the whole document has them. */
  webhooks?: Record<string, unknown>
}

/**
 * Returns the description of the operations, derived from the same declarations as the routes. Its components are what the declarations name:
 * resources, inputs, schemas and parameters with a name, and errors. Everything else is described at its place.
 */
export function apiDescription(operations: readonly Operation[]): ApiDescription {
  const components: Components = {
    schemas: { Paging: pageInfoSchema, [errorSchemaName]: errorSchema },
    requestBodies: {},
    parameters: { ...requestHeaders },
    responses: { ...errorComponents(), DryRunOfRemoval: dryRunResponse },
    headers: responseHeaders,
  }
  const bodies = new Set(operations.map(bodyName))
  for (const [name, schema] of Object.entries(publishedSchemas(operations))) {
    const suffix = bodies.has(name) ? inputSuffix : ''
    addNamed(components.schemas, name, objectOf(withNamedSchemas(schema, components.schemas, suffix)))
  }
  const paths = pathsOf([...operations, ...operationsAcrossTypes(operations)], components)
  const { paths: leanPaths, components: lean } = leanExamples({ paths, components }) as Described
  return { tags: tagsOf(operations), ...withUsed(leanPaths, lean), webhooks: webhookEvents(operations) }
}

/** Returns the part of a description that is about one tag. It is complete: it contains every component that it refers to. */
export function describedTag({ tags, paths, components }: ApiDescription, tag: string): ApiDescription {
  const own = Object.entries(paths).flatMap(([path, methods]) => {
    const found = Object.entries(methods).filter(([, operation]) => (operation.tags as string[]).includes(tag))
    return found.length > 0 ? [[path, Object.fromEntries(found)] as const] : []
  })
  return { tags: tags.filter(({ name }) => name === tag), ...withUsed(Object.fromEntries(own), components) }
}

const withUsed = (paths: Described['paths'], components: Described['components']): Described => ({
  paths,
  components: usedComponents(paths, components),
})

/** Groups operations by path. Paths that differ only in the name of a parameter are one path. */
function pathsOf(operations: readonly (Operation | AcrossTypes)[], components: Components): Described['paths'] {
  const names = new Map<string, string>()
  const paths: Described['paths'] = {}
  for (const operation of operations) {
    const form = operation.path.replace(/\{\w+\}/g, '{}')
    const path = names.get(form) ?? operation.path
    names.set(form, path)
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describeOperation(operation, path, components) }
  }
  return paths
}

const tagsOf = (operations: readonly Operation[]): { name: string; description: string }[] => [
  ...[...new Set(operations.map(({ resource }) => resource))].map(({ name, about }) => ({ name, description: about })),
  ...operationsAcrossTypes(operations).map(({ tag }) => tag),
]

/**
 * Removes the examples that a reader gets from the schema itself: of values that are listed or have a format, of true and false, of null, and
 * of objects whose members have examples.
 */
function leanExamples(part: unknown, inside?: string): unknown {
  if (Array.isArray(part)) return part.map((item) => leanExamples(item))
  if (!isObject(part)) return part
  const isProperties = inside === 'properties'
  const entries = Object.entries(part).filter(([member]) => isProperties || member !== 'example' || !isEvident(part))
  return Object.fromEntries(
    entries.map(([member, value]) => [
      member,
      member === 'example' && !isProperties ? value : leanExamples(value, isProperties ? undefined : member),
    ]),
  )
}

const knownFormats = ['date-time', 'date', 'email', 'uri']

function isEvident({ example, enum: values, properties, items, type, format }: Json): boolean {
  return (
    example === null ||
    knownFormats.includes(String(format)) ||
    (Array.isArray(values) && type !== undefined) ||
    type === 'boolean' ||
    (type === 'object' && isObject(properties)) ||
    (type === 'array' && isObject(items) && isObject(items.properties))
  )
}
