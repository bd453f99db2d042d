import { isObject } from '../lib/jsonValue.ts'
import type { Json } from './sharedSchemas.ts'

/**
 * Removes the examples that a reader gets from the schema itself: of values that are listed or have a format, of true and false, of null, and
 * of objects whose members have examples.
 */
export function leanExamples(part: unknown, inside?: string): unknown {
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
