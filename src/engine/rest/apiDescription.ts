import { isObject, objectOf } from '../../base/text/jsonValue.ts'
import type { AcrossTypes } from '../declare/acrossTypes.ts'
import type { Operation } from '../declare/operations.ts'
import { operationsAcrossTypes } from '../output/operationsAcrossTypes.ts'
import { bodyName, pageInfoSchema, publishedSchemas } from '../output/publishedSchemas.ts'
import { webhookEvents } from '../output/webhookEvents.ts'
import { errorSchema, errorSchemaName } from './errorSchema.ts'
import { addNamed, inputSuffix, type Json, withNamedSchemas } from './namedSchemas.ts'
import { errorComponents } from './openApiErrors.ts'
import { requestHeaders, responseHeaders } from './openApiHeaders.ts'
import { type Components, describeOperation } from './openApiOperation.ts'
import { usedComponents } from './usedComponents.ts'

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
    responses: errorComponents(),
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
