import { type AcrossTypes, apiPath, asksFirstOf, ifMatchText, type Operation, undoOf } from '../../engine/declare/operations.ts'
import { isWrite } from '../../engine/write/dryRun.ts'
import { emailOperations } from './emailOperations.ts'

/** An operation of a resource, or one across types, which belongs to none. */
export type DescribedOperation = Operation | AcrossTypes

/** Returns the method and the path below the base path of the API. */
export const callOf = ({ method, path }: DescribedOperation): string => `${method} ${path.slice(apiPath.length)}`

/** Returns the scope of an operation as the documents write it. Visitors need none. */
export function scopeText(operation: DescribedOperation): string {
  if (!('scope' in operation)) return 'read scope of each type'
  return operation.anonymous === 'none' ? operation.scope : `${operation.scope} or none`
}

/** Returns what an operation does, whether it requires If-Match, and marks: ↩ if it can be taken back, ✉ if it can send e-mails, ⚠ if people can want to decide first. */
export function effectText(operation: DescribedOperation): string {
  if (!('kind' in operation)) return operation.summary
  const condition = ifMatchText(operation)
  const effect = condition === '' ? operation.summary : `${operation.summary}. ${condition}`
  const marks = [
    isWrite(operation) && undoOf(operation) === true ? ' ↩' : '',
    emailOperations.has(operation.id) ? ' ✉' : '',
    asksFirstOf(operation) ? ' ⚠' : '',
  ]
  return effect + marks.join('')
}
