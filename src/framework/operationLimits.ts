import type { Format } from './call.ts'
import type { Operation } from './declare/operations.ts'

/** Rate limits that an operation falls under beside that of its caller: changes, many rows at once, files, guesses at secrets. */
export type OperationLimit = 'write' | 'bulk' | 'upload' | 'guess'

const movesMany = /\/(bulk|import|generate)$/

/** The limits of one call, by its method, its address, the form of its answer, and what its declaration says. */
export function limitsOf(operation: Operation, format: Format): readonly OperationLimit[] {
  const { method, path } = operation
  const limits = new Set<OperationLimit>()
  if (method !== 'GET') limits.add('write')
  if (movesMany.test(path) || format === 'csv' || format === 'ndjson') limits.add('bulk')
  if ('rules' in operation && operation.rules.limit) limits.add(operation.rules.limit)
  return [...limits]
}
