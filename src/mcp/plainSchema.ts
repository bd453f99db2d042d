import type { JsonSchema } from '../framework/output/publishedSchemas.ts'

/** The location of named schemas in a self-contained schema. */
const definitions = '#/$defs/'

/**
 * Converts a schema of the API's description (OpenAPI 3.0) to JSON Schema 2020-12, which tools use: `nullable` becomes a type, and a flag
 * with a bound becomes the bound. Examples are removed: a model reads every word of a list of tools.
 */
export function plainSchema(schema: JsonSchema): JsonSchema {
  const { nullable, example: _left, exclusiveMinimum, exclusiveMaximum, ...rest } = schema
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
