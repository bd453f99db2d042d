import type { Caller } from '../policy/caller.ts'
import { requireScope } from './access.ts'
import type { Answer, Call, Surroundings } from './call.ts'
import type { OperationKind } from './declaration.ts'
import { answerList } from './list.ts'
import type { Operation } from './operations.ts'
import { offeredParameters } from './parameters.ts'
import { readParameters } from './readParameters.ts'
import { answerRow } from './row.ts'

/**
 * The one road from a request to the store. Its order is the order of answers: who fails early is told nothing of what comes later.
 *
 * @param read answers values by parameter name, as text of an address or JSON of a tool call; called once the caller may ask at all
 * @throws Problem
 */
export async function run(
  operation: Operation,
  caller: Caller,
  read: () => Readonly<Record<string, unknown>>,
  surroundings: Surroundings,
): Promise<Answer> {
  requireScope(operation, caller) // 403
  const parameters = readParameters(offeredParameters(operation.parameters, caller), read()) // 400
  const sight = { resource: operation.resource, schoolId: surroundings.school.id, caller }
  return handlers[operation.kind]({ ...surroundings, operation, caller, parameters, sight }) // 404
}

const handlers: Readonly<Record<OperationKind, (call: Call) => Promise<Answer>>> = { list: answerList, get: answerRow }
