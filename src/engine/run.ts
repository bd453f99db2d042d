import type { Caller } from '../base/caller.ts'
import type { ApiResponse, Call, Format, FrameworkParameters, RequestInput, RunContext } from './call.ts'
import { notPublic, requireScope } from './declare/access.ts'
import type { Operation } from './declare/operations.ts'
import { exportParameters, offeredParameters, type Parameter, representationParameters } from './declare/parameters.ts'
import { queryScopeOf } from './declare/queryScope.ts'
import { answerExport, answerListAs, answerRowAs } from './output/answerExport.ts'
import { answerList } from './read/answerList.ts'
import { answerCollectionRead, answerRead } from './read/answerRead.ts'
import { answerRow } from './read/answerRow.ts'
import { parseParameters } from './read/parseParameters.ts'
import { resolveKeys } from './read/resolveKeys.ts'
import { isClosedToVisitors } from './read/selectRows.ts'
import { createRow, updateRow } from './write/changeRow.ts'
import { performAction } from './write/performAction.ts'
import { parsePrecondition } from './write/preconditions.ts'
import { removeRow } from './write/removeRow.ts'
import { actOnCollection, write } from './write/write.ts'

/**
 * Runs an operation: every request takes this path to the database. The checks are in the order of their status codes, so an early failure
 * reveals nothing about later checks.
 * @throws Problem
 */
export async function run(operation: Operation, caller: Caller, sent: RequestInput, context: RunContext): Promise<ApiResponse> {
  requireScope(operation, caller) // 403
  const { statements } = context
  const queryScope = queryScopeOf({ resource: operation.resource, schoolId: context.school.id, caller, statements })
  if (await isClosedToVisitors(context.database, queryScope)) throw notPublic(operation) // 403
  const format = sent.format ?? 'json'
  const offered = parametersOf(operation, format)
  const parsed = parseParameters<FrameworkParameters>(offeredParameters(offered, caller), sent.parameters()) // 400
  const precondition = parsePrecondition(sent.ifMatch) // 400
  const parameters = await resolveKeys(context.database, queryScope, offered, parsed)
  return await handle({ ...context, operation, caller, parameters, queryScope, precondition, format, waitSeconds: sent.waitSeconds }, sent) // 404 …
}

export type Run = typeof run

function handle(call: Call, sent: RequestInput): Promise<ApiResponse> {
  const { operation } = call
  switch (operation.kind) {
    case 'list':
      if (typeof call.format === 'object') return answerListAs({ ...call, operation }, call.format)
      return call.format === 'json' ? answerList({ ...call, operation }) : answerExport({ ...call, operation })
    case 'get':
      return typeof call.format === 'object' ? answerRowAs(call, call.format) : answerRow(call)
    case 'create':
      return write({ ...call, operation }, sent, createRow)
    case 'read':
      return answerRead({ ...call, operation }, sent)
    case 'collectionRead':
      return answerCollectionRead({ ...call, operation }, sent)
    case 'update':
    case 'replace':
      return write({ ...call, operation }, sent, updateRow)
    case 'remove':
      return write({ ...call, operation }, sent, removeRow)
    case 'action':
      return write({ ...call, operation }, sent, performAction)
    case 'collection':
      return write({ ...call, operation }, sent, actOnCollection)
  }
}

function parametersOf({ kind, parameters }: Operation, format: Format): readonly Parameter[] {
  if (format === 'json' || format === 'html') return parameters
  if (kind === 'collectionRead') return parameters.filter(({ name }) => name !== 'fields')
  return typeof format === 'object'
    ? representationParameters(parameters, kind === 'list' ? format.maxRows : 1)
    : exportParameters(parameters)
}
