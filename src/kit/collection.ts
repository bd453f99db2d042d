import { readInput } from './body.ts'
import type { Answer } from './call.ts'
import type { OperationOf } from './operations.ts'
import type { Write } from './write.ts'

/** Does what the declaration names with the collection as a whole. */
export async function actOnCollection(write: Write<OperationOf<'collection'>>): Promise<Answer> {
  const { operation, body } = write
  const { input, run } = operation.rules
  const answer = await run(write, readInput(input, body))
  return { status: operation.successStatus, body: answer ?? {}, text: answer === undefined ? '' : JSON.stringify(answer) }
}
