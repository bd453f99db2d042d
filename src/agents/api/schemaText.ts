import type { JsonSchema } from '../../framework/output/publishedSchemas.ts'

/** A field with its path and its type in words. */
export interface FieldLine {
  /** With dots: `price.amount`, `sections[].title`. */
  path: string
  type: string
  description: string
  isRequired: boolean
}

/** Returns the fields of an object schema, and those of the objects in it down to this depth. */
export function fieldLines(schema: JsonSchema, depth: number, prefix = ''): FieldLine[] {
  const required = new Set(Array.isArray(schema.required) ? schema.required : [])
  return Object.entries(propertiesOf(schema)).flatMap(([name, field]) => {
    const path = prefix + name
    const inner = objectIn(field)
    const line = { path, type: typeText(field), description: String(field.description ?? ''), isRequired: required.has(name) }
    return [line, ...(inner && depth > 0 ? fieldLines(inner.schema, depth - 1, `${path}${inner.isList ? '[]' : ''}.`) : [])]
  })
}

const propertiesOf = ({ properties }: JsonSchema): Record<string, JsonSchema> => Object(properties) as Record<string, JsonSchema>

function objectIn(field: JsonSchema): { schema: JsonSchema; isList: boolean } | undefined {
  const item = Object(field.items) as JsonSchema
  if (field.type === 'array' && item.properties) return { schema: item, isList: true }
  return field.properties ? { schema: field, isList: false } : undefined
}

/** Returns the type of a schema in words: `text, up to 160`, `draft | published`, `list of ids or null`. */
export function typeText(schema: JsonSchema): string {
  return `${kindText(schema)}${schema.nullable ? ' or null' : ''}`
}

function kindText({ type, enum: values, format, items, anyOf, oneOf, minimum, maximum, maxLength, pattern }: JsonSchema): string {
  if (Array.isArray(values)) return values.filter((value) => value !== null).join(' | ')
  const options = [anyOf, oneOf].find(Array.isArray) as JsonSchema[] | undefined
  if (options) return [...new Set(options.filter(({ nullable }) => !nullable).map(kindText))].join(' or ')
  if (type === 'array') return `list of ${kindText(Object(items))}`
  if (type === 'integer' || type === 'number') return `${type}${rangeText(minimum, maximum)}`
  if (type === 'string')
    return format !== undefined ? String(format) : `${idText(pattern)}${maxLength === undefined ? '' : `, up to ${maxLength}`}`
  return String(type ?? 'any')
}

const rangeText = (minimum: unknown, maximum: unknown): string =>
  minimum === undefined && maximum === undefined ? '' : ` ${minimum ?? ''}..${maximum ?? ''}`

const idText = (pattern: unknown): string => /^\^(\w+_)\[0-7\]/.exec(String(pattern))?.[1]?.concat('…') ?? 'text'
