import type { JsonSchema } from '../framework/output/publishedSchemas.ts'

/** Where named schemas stand in a schema that stands for itself. */
const definitions = '#/$defs/'

/**
 * A schema of the API's description (OpenAPI 3.0) in the words of JSON Schema 2020-12, which tools speak:
 * `nullable` becomes a type, a flag beside a bound becomes the bound. Examples stay out: a model reads every word of a list of tools.
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

/** One type in each branch: clients that know no lists of types read that too. */
function orNull({ description, ...inner }: JsonSchema): JsonSchema {
  const about = description === undefined ? {} : { description }
  if (Array.isArray(inner.anyOf)) return { ...about, ...inner, anyOf: [...inner.anyOf, { type: 'null' }] }
  return Object.keys(inner).length === 0 ? about : { ...about, anyOf: [inner, { type: 'null' }] }
}

/** The names of the schemas that a schema refers to, as far as they lead. */
export function referredTo(schema: unknown, all: Readonly<Record<string, JsonSchema>>, found = new Set<string>()): Set<string> {
  if (typeof schema !== 'object' || schema === null) return found
  for (const [name, value] of Object.entries(schema)) {
    if (name !== '$ref') referredTo(value, all, found)
    else {
      const target = String(value).replace(/^.*\//, '')
      if (!found.has(target)) referredTo(all[target], all, found.add(target))
    }
  }
  return found
}
