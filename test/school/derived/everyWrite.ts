import type { z } from 'zod'
import { everything } from '../../../src/engine/declare/expressions.ts'
import type { Operation } from '../../../src/engine/declare/operations.ts'
import type { Resource } from '../../../src/engine/declare/resource.ts'
import { operationsIn, resources } from '../../../src/school/index.ts'

/** Operations that write. Reads that take a body are not among them. */
export const everyWrite = operationsIn(resources).filter(
  ({ method, kind }) => method !== 'GET' && kind !== 'read' && kind !== 'collectionRead',
)

/** Returns the write operation with this id. */
export function writeNamed(id: string): Operation {
  const operation = everyWrite.find((one) => one.id === id)
  if (!operation) throw new Error(`No operation that writes has the id ${id}`)
  return operation
}

/** The person who sends the requests: sees every row of the school, and may do everything. */
export const actor = 'owner@example.com'

/** Returns the person who sends the request: an admin for requests about themselves, because the only owner cannot leave the school. */
export const actorOf = (operation: Operation): string => (isAboutCaller(operation) ? 'admin1@example.com' : actor)

const isAboutCaller = ({ resource, ...operation }: Operation): boolean =>
  (operation.kind === 'action' && operation.rules.isOwn === true) || (resource.isSingleton && resource.visibility.staff !== everything)

/** True if the path names a row. */
export const namesRow = ({ path, resource }: Operation): boolean => /\{id(_or_\w+)?\}/.test(path) && !resource.isSingleton

/** Returns the resource of the row in the path. For a nested create operation this is the parent. */
export const resourceOnPath = (operation: Operation): Resource =>
  (operation.kind === 'create' && operation.parent?.resource) || operation.resource

/** Returns the input schema of an action. */
export const inputOf = (operation: Operation): z.ZodObject | undefined =>
  operation.kind === 'action' || operation.kind === 'collection' ? operation.rules.input : undefined

/** The parts of a request. */
export interface Sending {
  headers?: Record<string, string>
  body?: unknown
}

/** Returns options whose If-Match matches any version, or the version of the tag. */
export const withMatch = <Options extends Sending>(options: Options, tag = '*'): Options => ({
  ...options,
  headers: { ...options.headers, 'if-match': tag },
})
