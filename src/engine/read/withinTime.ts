import { limitStatements, type StatementPurpose } from '../../database/connection/timeLimit.ts'
import type { Call } from '../call.ts'
import { explainViolation } from '../write/explainViolation.ts'

/**
 * Runs a read with a time limit for its statements. A read that is not hard, or on the embedded database, runs without a limit.
 * @throws Problem query_too_expensive
 */
export async function withinTime<Result>(
  call: Call,
  purpose: Exclude<StatementPurpose, 'write'>,
  isHard: boolean,
  work: (call: Call) => Promise<Result>,
): Promise<Result> {
  const { store, operation } = call
  if (!isHard || !store || store.kind === 'embedded') return await work(call)
  try {
    return await store.transaction(async (writer) => {
      await limitStatements(store.kind, writer, purpose)
      return await work({ ...call, database: writer })
    }, 'read')
  } catch (error) {
    throw explainViolation(error, operation.resource)
  }
}
