import { apiPath, type Operation } from '../../framework/declare/operations.ts'
import type { ChangeFeed } from '../../framework/output/changeFeed.ts'

/** An operation of a resource, or the feed of changes, which belongs to none. */
export type DescribedOperation = Operation | ChangeFeed

/** Returns the method and the path below the base path of the API. */
export const callOf = ({ method, path }: DescribedOperation): string => `${method} ${path.slice(apiPath.length)}`

/** Returns the scope of an operation as the documents write it. Visitors need none. */
export function scopeText(operation: DescribedOperation): string {
  if (!('scope' in operation)) return 'read scope of each type'
  return operation.anonymous === 'none' ? operation.scope : `${operation.scope} or none`
}
