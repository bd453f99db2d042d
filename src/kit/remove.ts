import type { Answer } from './call.ts'
import { rowToChange } from './changeRow.ts'
import type { OperationOf } from './operations.ts'
import { record } from './record.ts'
import { deleteRow } from './rows.ts'
import type { Write } from './write.ts'
import { wrongState } from './wrongState.ts'

/** Removes a row. What still refers to it keeps it (409). */
export async function removeRow(write: Write<OperationOf<'remove'>>): Promise<Answer> {
  const { operation, writer, sight } = write
  const row = await rowToChange(write)
  const { from } = operation.rules
  if (from && !from.includes(String(row.status)))
    throw wrongState(operation.resource, { verb: 'removal', status: String(row.status), from })
  await operation.rules.before?.(write, row as never)
  await deleteRow(writer, sight, row)
  await record(write, { action: 'deleted', id: row.id, before: row.version, after: null })
  return { status: operation.successStatus, body: {}, text: '' }
}
