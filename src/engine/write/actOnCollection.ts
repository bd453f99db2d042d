import { rowsChangedInTransaction } from '../../database/tables/changeLog.ts'
import type { ApiResponse } from '../call.ts'
import type { OperationOf } from '../declare/operations.ts'
import { pickerOf } from '../declare/views.ts'
import { parseInput } from './parseBody.ts'
import { recordWrite } from './recordWrite.ts'
import type { Write } from './write.ts'

/** The most ids in one entry of the audit trail. */
const maxIds = 1000

/** Runs an operation on the collection as a whole. The declaration records the changes of rows. */
export async function actOnCollection(write: Write<OperationOf<'collection'>>): Promise<ApiResponse> {
  const { operation, body } = write
  const { input, run, isAtomic } = operation.rules
  const { output } = operation.rules
  const values = parseInput(input, body)
  const given = await run(write, values)
  const isUnchanged = given && operation.rules.isUnchanged?.(given)
  if (!isUnchanged) {
    const ids = await rowsChangedInTransaction(write.writer, operation.resource.object, maxIds)
    await recordWrite(write, { action: operation.name, before: null, after: null, ...(ids.length > 0 && { ids }) })
  }
  const response = given && output ? pickerOf(output, 'staff')(given) : given
  const status = isAtomic?.(values) ? 200 : operation.successStatus
  return { status, isUnchanged, body: response ?? {}, text: response === undefined ? '' : JSON.stringify(response) }
}
