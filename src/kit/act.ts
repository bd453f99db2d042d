import { readInput } from './body.ts'
import type { Answer } from './call.ts'
import { answerWritten, changeRow, rowToChange } from './changeRow.ts'
import type { OperationOf } from './operations.ts'
import type { Write } from './write.ts'
import { wrongState } from './wrongState.ts'

/** Leads a row from one state to another, or does what the declaration names. What is in effect already stays as it is. */
export async function act(write: Write<OperationOf<'action'>>): Promise<Answer> {
  const { operation, body } = write
  const { from, to, run } = operation.rules
  const row = await rowToChange(write)
  const input = readInput(operation.input, body)
  if (to !== undefined) {
    const status = String(row.status)
    if (status === to) return answerWritten(write, row)
    if (!from?.includes(status)) throw wrongState(operation.resource, { verb: operation.name, status, from: from ?? [] })
  }
  const columns = { ...(await run?.(write, row as never, input)), ...(to !== undefined && { status: to }) }
  return answerWritten(write, await changeRow(write, row, columns, operation.name))
}
