import { objectOf } from '../../base/text/jsonValue.ts'
import type { Operation } from '../declare/operations.ts'
import type { Parameter } from '../declare/parameters.ts'
import { type JsonSchema, outputName, ownOutput, publishedSchema, publishedSchemas, schemaName } from '../output/publishedSchemas.ts'
import { isRendering, type ObjectSchema, type ToolSchemas, toolName, toolReads } from './catalogue.ts'

const definitions = '#/$defs/'

/**
 * Converts a schema of the API's description (OpenAPI 3.0) to JSON Schema 2020-12, which tools use: `nullable` becomes a type, and a flag
 * with a bound becomes the bound. Examples are removed: a model reads every word of a list of tools.
 */
function plainSchema(schema: JsonSchema): JsonSchema {
  const { nullable, example: _example, component: _component, exclusiveMinimum, exclusiveMaximum, ...rest } = schema
  const plain: JsonSchema = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, plainMember(name, value)]))
  if (exclusiveMinimum === true) moveBound(plain, 'minimum', 'exclusiveMinimum')
  if (exclusiveMaximum === true) moveBound(plain, 'maximum', 'exclusiveMaximum')
  return nullable === true ? orNull(plain) : plain
}

function plainMember(name: string, value: unknown): unknown {
  if (name === '$ref') return String(value).replace(/^.*\//, definitions)
  if (name === 'properties')
    return Object.fromEntries(Object.entries(value as Record<string, JsonSchema>).map(([field, inner]) => [field, plainSchema(inner)]))
  if (['allOf', 'anyOf', 'oneOf'].includes(name)) return (value as JsonSchema[]).map(plainSchema)
  if (['items', 'additionalProperties', 'not'].includes(name) && typeof value === 'object') return plainSchema(value as JsonSchema)
  return value
}

function moveBound(schema: JsonSchema, from: string, to: string): void {
  schema[to] = schema[from]
  delete schema[from]
}

/** One type per branch: clients without support for lists of types can read it, too. */
function orNull({ description, ...inner }: JsonSchema): JsonSchema {
  const about = description === undefined ? {} : { description }
  if (Array.isArray(inner.anyOf)) return { ...about, ...inner, anyOf: [...inner.anyOf, { type: 'null' }] }
  return Object.keys(inner).length === 0 ? about : { ...about, anyOf: [inner, { type: 'null' }] }
}

/** Leaves out tools such as `search`, which no operation declares. */
export const toolSchemas = (operations: readonly Operation[]): ToolSchemas =>
  Object.fromEntries(
    toolReads(operations).map((operation) => [
      toolName(operation),
      { inputSchema: inputSchema(operation.parameters), outputSchema: outputSchema(operation) },
    ]),
  )

/** Limits that the parser checks. A model does not need them to write a correct call. */
const leftOut = new Set(['description', 'minLength', 'maxLength', 'minItems', 'maxItems', 'pattern', 'format'])
const bounds = new Set(['minimum', 'maximum'])

function inputSchema(parameters: readonly Parameter[]): ObjectSchema {
  const required = parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(
      parameters.map(({ name, description, schema }) => [
        name,
        { ...inputOf(plainSchema(publishedSchema(schema)), name), ...(description !== '' && { description }) },
      ]),
    ),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
}

/**
 * Returns the output schema: the types of the fields that a row of a list has unless the caller selects others, and those of the members of
 * other responses. Results may have more members, which the API documents: their schemas would be most of the bytes of the list of tools.
 */
function outputSchema(operation: Operation): ObjectSchema {
  const { kind, resource } = operation
  const schemas = publishedSchemas([operation])
  const own = ownOutput(operation) && schemas[outputName(operation)]
  const { properties, required } = own ?? schemas[schemaName(resource.object)] ?? {}
  const fields = objectOf(properties)
  const always = Array.isArray(required) ? required.map(String) : []
  const isWhole = own !== undefined || resource.catalogue.row.length === 0
  const names = isWhole ? always.filter((name) => !isRendering(name)) : ['id', ...resource.catalogue.row]
  const row: ObjectSchema = {
    type: 'object',
    required: own ? names : ['id'],
    properties: Object.fromEntries(names.map((name) => [name, typeOf(objectOf(fields[name]))])),
  }
  if (kind !== 'list') return row
  return { type: 'object', required: ['data', 'page'], properties: { data: { type: 'array', items: row }, page: { type: 'object' } } }
}

/** Returns the schema of a parameter without what a model does not need. A text filter takes several values, but is described with one. */
function inputOf(schema: JsonSchema, name: string): JsonSchema {
  const { items, ...short } = Object.fromEntries(
    Object.entries(schema).filter(([member]) => !leftOut.has(member) && (name === 'limit' || !bounds.has(member))),
  )
  if (items === undefined) return short
  const item = inputOf(items as JsonSchema, name)
  return 'enum' in item || name === 'fields' || name === 'expand' ? { ...short, items: item } : item
}

/** Returns only the type: `fields` may select parts of a nested object. */
function typeOf({ type, nullable }: JsonSchema): JsonSchema {
  if (typeof type !== 'string') return {}
  return { type: nullable === true ? [type, 'null'] : type }
}
