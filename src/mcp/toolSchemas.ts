import type { Operation } from '../framework/declare/operations.ts'
import type { Parameter } from '../framework/declare/parameters.ts'
import type { Resource } from '../framework/declare/resource.ts'
import {
  answerSchema,
  type JsonSchema,
  pageInfoSchema,
  publishedSchema,
  publishedSchemas,
  schemaName,
} from '../framework/output/publishedSchemas.ts'
import { plainSchema, referredTo } from './plainSchema.ts'

/** Returns the input schema of a tool: the parameters of its operation. */
export function inputSchema(parameters: readonly Parameter[]): JsonSchema & { type: 'object' } {
  const required = parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(
      parameters.map(({ name, description, schema }) => [name, { ...saidOnce(plainSchema(publishedSchema(schema))), description }]),
    ),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
}

/** The description of the parameter is sufficient; the items of its list need none. */
function saidOnce(schema: JsonSchema): JsonSchema {
  if (schema.type !== 'array') return schema
  const { description: _said, ...items } = schema.items as JsonSchema
  return { ...schema, items }
}

/**
 * Returns the output schema of a tool: the self-contained response schema of the operation. If the caller selects fields, only fields that
 * are always present are required.
 */
export function outputSchema(operation: Operation, parameters: readonly Parameter[]): (JsonSchema & { type: 'object' }) | undefined {
  const answer = answerSchema(operation)
  if (!answer) return undefined
  const published: Record<string, JsonSchema> = { ...publishedSchemas([operation]), Paging: pageInfoSchema }
  const row = schemaName(operation.resource.object)
  const takes = (name: string): boolean => parameters.some((parameter) => parameter.name === name)
  const chosen = published[row]
  if (chosen && takes('fields')) published[row] = partial(chosen)
  if (published[row] && takes('expand')) published[row] = withExpansions(published[row], operation.resource)
  const { $ref: reference, ...rest } = answer
  const root = typeof reference === 'string' ? published[reference.replace(/^.*\//, '')] : rest
  const names = [...referredTo(root, published)].toSorted()
  return {
    ...plainSchema(root ?? {}),
    type: 'object',
    ...(names.length > 0 && { $defs: Object.fromEntries(names.map((name) => [name, plainSchema(published[name] ?? {})])) }),
  }
}

/** `fields` removes members of the row and of its nested objects. */
function partial(row: JsonSchema): JsonSchema {
  const properties = Object.entries((row.properties ?? {}) as Record<string, JsonSchema>).map(([name, field]) => {
    const { required: _left, ...others } = field
    return [name, others]
  })
  return { ...row, required: ['id', 'object'], properties: Object.fromEntries(properties) }
}

/** `expand` adds a row, or a list of rows, where the schema has a shorter value or none. */
function withExpansions(row: JsonSchema, { expansions }: Resource): JsonSchema {
  const properties = row.properties as Record<string, JsonSchema>
  const expanded = Object.keys(expansions).map((name) => {
    const own = properties[name]
    return [name, own ? { anyOf: [own, { type: 'object' }] } : { type: 'object', nullable: true, description: `Only with expand=${name}.` }]
  })
  return { ...row, properties: { ...properties, ...Object.fromEntries(expanded) } }
}
