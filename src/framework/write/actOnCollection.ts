import type { Answer } from '../call.ts'
import type { OperationOf } from '../declare/operations.ts'
import { pickerOf } from '../declare/views.ts'
import { parseInput } from './parseBody.ts'
import { recordWrite } from './recordWrite.ts'
import type { Write } from './write.ts'

/** Runs an operation on the collection as a whole. The declaration records the changes of rows. */
export async function actOnCollection(write: Write<OperationOf<'collection'>>): Promise<Answer> {
  const { operation, body } = write
  const { input, run, isAtomic } = operation.rules
  const { output } = operation.rules
  const values = parseInput(input, body)
  const given = await run(write, values)
  const ids = given && operation.rules.touched?.(given)
  await recordWrite(write, { action: operation.name, before: null, after: null, ...(ids && { ids }) })
  const answer = given && output ? pickerOf(output, 'staff')(given) : given
  const status = isAtomic?.(values) ? 200 : operation.successStatus
  return { status, body: answer ?? {}, text: answer === undefined ? '' : JSON.stringify(answer) }
}
