import type { Operation } from '../../../src/engine/declare/operations.ts'
import type { Resource } from '../../../src/engine/declare/resource.ts'
import { isArray, isObjectSchema, membersOf, unwrapped } from '../../../src/engine/declare/views.ts'
import { everyWrite } from './everyWrite.ts'

/** Returns the operation that creates a part of a row, and the field that lists it unless the part is the response itself. */
export function partSource(resource: Resource, idPrefix: string): { operation: Operation; list?: string } | undefined {
  const under = everyWrite.find((one) => one.kind === 'create' && one.parent?.resource === resource && one.resource.idPrefix === idPrefix)
  if (under) return { operation: under }
  const list = Object.entries(membersOf(resource.schema)).find(([, field]) => {
    const inner = unwrapped(field)
    return isArray(inner) && isObjectSchema(inner.element) && membersOf(inner.element).id?.meta()?.idPrefix === idPrefix
  })?.[0]
  const adding = everyWrite.find((one) => one.kind === 'action' && one.resource === resource && one.name === list && one.method === 'POST')
  return list !== undefined && adding ? { operation: adding, list } : undefined
}
