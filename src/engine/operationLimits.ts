import type { Format } from './call.ts'
import type { Operation } from './declare/operations.ts'

/** The rate limits of an operation in addition to that of its caller: changes, transfers of many rows, uploads, guesses of secrets. */
export type OperationLimit = 'write' | 'bulk' | 'upload' | 'guess'

const movesMany = /\/(bulk|import|generate)$/

export function limitsOf(operation: Operation, format: Format): readonly OperationLimit[] {
  const { method, path } = operation
  const limits = new Set<OperationLimit>()
  if (method !== 'GET') limits.add('write')
  if (movesMany.test(path) || format === 'csv' || format === 'ndjson') limits.add('bulk')
  if ('rules' in operation && operation.rules.limit) limits.add(operation.rules.limit)
  return [...limits]
}
