import { isObject } from '../../base/text/jsonValue.ts'
import type { Operation } from '../declare/operations.ts'
import { bodySchema, publishedSchema } from './publishedSchemas.ts'

/** Returns the values of the body that are choices of a list, each after the name of its member: `role owner`. */
export function requestChoices(operation: Operation): ReadonlySet<string> {
  const found = new Set<string>()
  const search = (schema: unknown, name: string): void => {
    if (Array.isArray(schema)) for (const one of schema) search(one, name)
    if (!isObject(schema)) return
    for (const value of Array.isArray(schema.enum) ? schema.enum : []) found.add(`${name} ${value}`)
    for (const [member, one] of Object.entries(schema)) {
      if (member === 'properties' && isObject(one)) for (const [inner, part] of Object.entries(one)) search(part, inner)
      else if (member !== 'example' && member !== 'default' && member !== 'enum') search(one, name)
    }
  }
  const body = bodySchema(operation)
  if (body) search(publishedSchema(body), '')
  return found
}
