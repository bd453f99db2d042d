import { z } from 'zod'

/** The part of JSON Schema (draft 2020-12) that the configuration uses. */
export interface JsonSchema {
  type?: string
  title?: string
  description?: string
  default?: unknown
  examples?: unknown[]
  enum?: unknown[]
  const?: unknown
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
  anyOf?: JsonSchema[]
  /** A value that is never printed. */
  writeOnly?: boolean
}

/** Converts the schema of a file to JSON Schema, from which error messages, the manual and editor completion are made. */
export function toJsonSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return rest as JsonSchema
}

export type Path = readonly PropertyKey[]

export function schemaAt(root: JsonSchema, path: Path): JsonSchema | undefined {
  let schema: JsonSchema | undefined = root
  for (const part of path) {
    const branches: JsonSchema[] = schema ? branchesOf(schema) : []
    if (typeof part === 'number') schema = branches.find((branch) => branch.items)?.items
    else {
      const { properties = {} } = branches.find((branch) => branch.properties) ?? {}
      schema = Object.hasOwn(properties, part) ? properties[String(part)] : undefined
    }
  }
  return schema
}

export const branchesOf = (schema: JsonSchema): JsonSchema[] => schema.anyOf ?? [schema]

/** Yields every key below a schema, in order, with its dotted name: `lifetimes.grant_days`, `integrations[].client_id`. */
export function* keysOf(schema: JsonSchema, prefix = ''): Generator<{ name: string; schema: JsonSchema }> {
  const { properties = {} } = branchesOf(schema).find((branch) => branch.properties) ?? {}
  for (const [key, child] of Object.entries(properties)) {
    const name = prefix === '' ? key : `${prefix}.${key}`
    yield { name, schema: child }
    yield* keysOf(child, name)
    if (child.items) yield* keysOf(child.items, `${name}[]`)
  }
}

/** Describes the expected value in words: `a whole number from 1 to 65535`. */
export function describeType(schema: JsonSchema): string {
  if (schema.title !== undefined) return schema.title
  if (schema.anyOf) return schema.anyOf.map(describeType).join(', or ')
  if (schema.const !== undefined) return String(schema.const)
  if (schema.enum) return oneOf(schema.enum.map(String))
  switch (schema.type) {
    case 'boolean':
      return 'true or false'
    case 'integer':
      return `a whole number from ${schema.minimum} to ${schema.maximum}`
    case 'number':
      return `a number from ${schema.minimum} to ${schema.maximum}`
    case 'array':
      return `a list${range(schema.minItems, schema.maxItems, ' of ')}${schema.items ? `, each ${describeType(schema.items)}` : ''}`
    case 'object':
      return 'a mapping'
    default:
      return `text${range(schema.minLength, schema.maxLength, ' of ')}${schema.maxLength === undefined ? '' : ' characters'}`
  }
}

const oneOf = (names: string[]): string => (names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`)

function range(least = 0, most: number | undefined, before: string): string {
  if (most === undefined) return least > 0 ? `${before}at least ${least}` : ''
  return `${before}${least > 0 ? `${least} to ` : 'at most '}${most}`
}
