import { isObject, objectOf } from '../../base/text/jsonValue.ts'
import { nullSchema, patchSuffix, referenceTo } from '../output/publishedSchemas.ts'

export type Json = { [member: string]: unknown }

/** The end of the names of objects in request bodies: clients send other members than they receive. */
export const inputSuffix = 'Input'

const scalars = ['string', 'integer', 'number', 'boolean']

/**
 * Returns a copy in which every schema with a declared name is a reference to a component, and in which null is a separate form of an enum.
 * Adds the components to `schemas`.
 * @throws Error if two different schemas have one name
 */
export function withNamedSchemas(part: unknown, schemas: Record<string, Json>, suffix = ''): unknown {
  if (Array.isArray(part)) return part.map((item) => withNamedSchemas(item, schemas, suffix))
  if (!isObject(part)) return part
  const inner = Object.fromEntries(Object.entries(part).map(([member, value]) => [member, withNamedSchemas(value, schemas, suffix)]))
  const { component, description, example, default: standard, nullable, readOnly, ...shape } = inner
  const own = Object.fromEntries(
    Object.entries({ description, example, default: standard, readOnly }).filter(([, value]) => value !== undefined),
  )
  const values = Array.isArray(shape.enum) ? shape.enum.filter((value) => value !== null) : []
  const type = values.length > 0 ? { ...shape, enum: values } : shape
  // Generators expect all values of an enum to have its type.
  if (typeof component !== 'string') return nullable === true && values.length > 0 ? { ...own, anyOf: [type, nullSchema] } : inner
  const name = !scalars.includes(String(shape.type)) && !component.endsWith(patchSuffix) ? component + suffix : component
  addNamed(schemas, name, objectOf(withoutDefaults(type)))
  const reference = { $ref: referenceTo(name) }
  // OpenAPI 3.0 ignores the members next to a reference, and `nullable` without a type.
  if (nullable === true) return { ...own, anyOf: [reference, nullSchema] }
  return Object.keys(own).length === 0 ? reference : { ...own, allOf: [reference] }
}

/** Generators treat a member with a default as always present in a component, which can also describe a response. */
function withoutDefaults(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(withoutDefaults)
  if (!isObject(part)) return part
  // A property can be called `default`: then it is a schema.
  const kept = Object.entries(part).filter(([member, value]) => member !== 'default' || isObject(value))
  return Object.fromEntries(kept.map(([member, value]) => [member, withoutDefaults(value)]))
}

/**
 * Adds a component to those of its kind.
 * @throws Error if another one has its name
 */
export function addNamed(components: Record<string, Json>, name: string, component: Json): void {
  const known = components[name] ?? component
  if (withoutExamples(known) !== withoutExamples(component))
    throw new Error(`two components are called ${name}: ${JSON.stringify(known)} and ${JSON.stringify(component)}`)
  components[name] = known
}

const withoutExamples = (part: Json): string => JSON.stringify(part, (member, value) => (member === 'example' ? undefined : value))
