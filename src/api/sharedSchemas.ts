import { isObject } from '../lib/jsonValue.ts'
import { componentName } from './componentName.ts'

export type Json = { [member: string]: unknown }

/** A way of calling two schemas equal, and the least number of characters for which a reference is shorter. */
interface Comparison {
  without: readonly string[]
  least: number
}

/** First schemas that differ in their descriptions alone, such as pictures and prices; then fields with the same description. */
const comparisons: readonly Comparison[] = [
  { without: ['description', 'example', 'default'], least: 140 },
  { without: ['example', 'default'], least: 90 },
]

/** Names of the objects that many resources contain, by their members. */
const commonNames: Readonly<Record<string, string>> = {
  'amount,currency': 'Money',
  'file_id,url,alt,width,height': 'Image',
  'file_id,alt': 'ImageInput',
}

/** The places of equal schemas. */
interface Places {
  count: number
  /** The components and operations that contain it. */
  owners: Set<string>
}

/** Moves every schema that is repeated below these roots into `schemas`, and refers to it there. */
export function shareSchemas(schemas: Record<string, Json>, roots: readonly [name: string, part: Json][]): void {
  for (const comparison of comparisons) shareEqual(schemas, [...roots, ...Object.entries(schemas)], comparison)
}

function shareEqual(schemas: Record<string, Json>, roots: readonly [name: string, part: Json][], { without, least }: Comparison): void {
  const places = new Map<string, Places>()
  const names = new Map<string, string>()
  const textOf = (schema: Json): string =>
    JSON.stringify(Object.fromEntries(Object.entries(schema).filter(([member]) => !without.includes(member))))
  const count = (part: Json, owner: string): void =>
    forEachSchema(part, ({ schema }) => {
      count(schema, owner)
      const text = textOf(schema)
      if (text.length < least) return
      const known = places.get(text)
      if (known) {
        known.count += 1
        known.owners.add(owner)
      } else places.set(text, { count: 1, owners: new Set([owner]) })
    })
  const share = (part: Json, path: string): void =>
    forEachSchema(part, ({ schema, member, replace }) => {
      const place = member === undefined ? path : `${path}.${member}`
      const text = textOf(schema)
      const found = places.get(text)
      if (!found || found.count < 2) return share(schema, place)
      const known = names.get(text)
      const name = known ?? componentName(nameOf(schema, place, found), schemas)
      const component: Json = schemas[name] ?? { ...JSON.parse(text), ...('example' in schema && { example: schema.example }) }
      replace(reference(name, schema, component))
      if (known !== undefined) return
      names.set(text, name)
      schemas[name] = component
      share(component, place)
    })
  for (const [name, root] of roots) count(root, name)
  for (const [name, root] of roots) share(root, name)
}

/** Returns the name of a shared schema: that of its field if many objects have it, else that of its first place. */
function nameOf({ properties }: Json, place: string, { owners }: Places): string {
  const common = commonNames[Object.keys(Object(properties)).join()]
  if (common !== undefined) return common
  const [owner = '', ...path] = place.split('.').filter((step) => !/^(?:items|\d+)$/.test(step))
  const field = path.at(-1)
  if (field === undefined) return `${owner}.item`
  return owners.size > 3 ? pascalCase(field) : `${owner.replace(/(?:Body|Answer)$/, '')}.${field}`
}

const pascalCase = (name: string): string => name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** OpenAPI 3.0 ignores the members next to `$ref`: those that only this place has need `allOf`. */
function reference(name: string, schema: Json, component: Json): Json {
  const $ref = `#/components/schemas/${name}`
  const own = ['description', 'default'].filter((member) => member in schema && !(member in component))
  return own.length === 0 ? { $ref } : { allOf: [{ $ref }], ...Object.fromEntries(own.map((member) => [member, schema[member]])) }
}

interface FoundSchema {
  schema: Json
  /** Name of the property, `items`, or the position in a union. */
  member: string | undefined
  replace(other: Json): void
}

const unions = ['anyOf', 'oneOf']

/** Calls the function for the outermost schemas inside of a part. */
function forEachSchema(part: unknown, call: (found: FoundSchema) => void): void {
  const visit = (inner: unknown, inside: string | undefined): void => {
    if (typeof inner !== 'object' || inner === null) return
    const isProperties = inside === 'properties'
    const isUnion = inside !== undefined && unions.includes(inside)
    for (const [member, value] of Object.entries(inner)) {
      if (member === 'example' && !isProperties) continue
      if (isObject(value) && isSchema(value)) {
        const named = isProperties || isUnion || member === 'items'
        call({ schema: value, member: named ? member : undefined, replace: (other) => Object.assign(inner, { [member]: other }) })
      } else visit(value, isProperties ? undefined : member)
    }
  }
  visit(part, undefined)
}

const isSchema = ({ type, anyOf, oneOf, allOf }: Json): boolean => typeof type === 'string' || [anyOf, oneOf, allOf].some(Array.isArray)
