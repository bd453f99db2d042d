import { Problem } from '../lib/problem.ts'
import type { Caller } from '../policy/caller.ts'
import type { Answer, Call, Format, FrameworkParameters, Sent, Surroundings } from './call.ts'
import { notPublic, requireScope } from './declare/access.ts'
import type { Operation } from './declare/operations.ts'
import { exportParameters, offeredParameters, type Parameter, representationParameters } from './declare/parameters.ts'
import { queryScopeOf } from './declare/queryScope.ts'
import { answerListAs, answerRowAs } from './output/answerAs.ts'
import { answerExport } from './output/answerExport.ts'
import { answerList } from './read/answerList.ts'
import { answerCollectionRead, answerRead } from './read/answerRead.ts'
import { answerRow } from './read/answerRow.ts'
import { parseParameters } from './read/parseParameters.ts'
import { isClosedToVisitors } from './read/visible.ts'
import { actOnCollection } from './write/actOnCollection.ts'
import { createRow } from './write/createRow.ts'
import { performAction } from './write/performAction.ts'
import { parsePrecondition } from './write/preconditions.ts'
import { removeRow } from './write/removeRow.ts'
import { updateRow } from './write/updateRow.ts'
import { write } from './write/write.ts'

/**
 * Runs an operation: every request takes this path to the database. The checks are in the order of their status codes, so an early failure
 * reveals nothing about later checks.
 * @throws Problem
 */
export async function run(operation: Operation, caller: Caller, sent: Sent, surroundings: Surroundings): Promise<Answer> {
  requireScope(operation, caller) // 403
  if (caller.kind !== 'anonymous' || operation.method !== 'GET') return await runOn(operation, caller, sent, surroundings)
  const { replica, school, visitorAnswers } = surroundings
  if (replica) return await replica.read(school.id, (database) => runOn(operation, caller, sent, { ...surroundings, database }))
  const parameters = operation.resource.isInCatalogue ? readable(sent) : undefined
  if (!visitorAnswers || !parameters) return await runOn(operation, caller, sent, surroundings)
  const { contentVersion: version } = surroundings
  return await visitorAnswers.answer({ schoolId: school.id, operation, format: sent.format ?? 'json', parameters, version }, () =>
    runOn(operation, caller, { ...sent, parameters: () => parameters }, surroundings),
  )
}

/** Returns the parameters; undefined if they are malformed, which `runOn` reports after the earlier checks. */
function readable(sent: Sent): ReturnType<Sent['parameters']> | undefined {
  try {
    return sent.parameters()
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}

async function runOn(operation: Operation, caller: Caller, sent: Sent, surroundings: Surroundings): Promise<Answer> {
  const { statements } = surroundings
  const queryScope = queryScopeOf({ resource: operation.resource, schoolId: surroundings.school.id, caller, statements })
  if (await isClosedToVisitors(surroundings.database, queryScope)) throw notPublic(operation) // 403
  const format = sent.format ?? 'json'
  const offered = parametersOf(operation, format)
  const parameters = parseParameters<FrameworkParameters>(offeredParameters(offered, caller), sent.parameters()) // 400
  const precondition = parsePrecondition(sent.ifMatch) // 400
  return await handle({ ...surroundings, operation, caller, parameters, queryScope, precondition, format }, sent) // 404 …
}

function handle(call: Call, sent: Sent): Promise<Answer> {
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

/** Returns the parameters that apply to a response in this format. */
function parametersOf({ kind, parameters }: Operation, format: Format): readonly Parameter[] {
  if (format === 'json' || format === 'html' || kind === 'collectionRead') return parameters
  return typeof format === 'object'
    ? representationParameters(parameters, kind === 'list' ? format.maxRows : 1)
    : exportParameters(parameters)
}
