import type { Operation } from '../framework/declare/operations.ts'
import type { Parameter } from '../framework/declare/parameters.ts'
import { type JsonSchema, publishedSchema, publishedSchemas, schemaName } from '../framework/output/publishedSchemas.ts'
import { plainSchema } from './plainSchema.ts'

/** Limits that the parser checks. A model does not need them to write a correct call. */
const leftOut = new Set(['description', 'minLength', 'maxLength', 'minItems', 'maxItems', 'pattern', 'format'])
const bounds = new Set(['minimum', 'maximum'])

/** Returns the input schema of a tool: the parameters of its operation. */
export function inputSchema(parameters: readonly Parameter[]): JsonSchema & { type: 'object' } {
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
 * Returns the output schema of a list: its page, and the types of the fields that a row has unless the caller selects others. Other tools
 * return the fields that the API documents; their schemas would be most of the bytes of the list of tools.
 */
export function outputSchema(operation: Operation): (JsonSchema & { type: 'object' }) | undefined {
  const { kind, resource } = operation
  const { row } = resource.catalogue
  if (kind !== 'list' || row.length === 0) return undefined
  const published = publishedSchemas([operation])[schemaName(resource.object)]
  const fields = (published?.properties ?? {}) as Record<string, JsonSchema>
  const properties = Object.fromEntries(['id', ...row].map((name) => [name, typeOf(fields[name] ?? {})]))
  return {
    type: 'object',
    required: ['data', 'page'],
    properties: {
      data: { type: 'array', items: { type: 'object', required: ['id'], properties } },
      page: { type: 'object' },
    },
  }
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
