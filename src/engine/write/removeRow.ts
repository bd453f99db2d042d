import { emptyReferences } from '../../database/statements/emptyReferences.ts'
import { recordChanges } from '../../database/tables/changeLog.ts'
import { freeSlugsOf } from '../../database/tables/formerSlugs.ts'
import type { ApiResponse } from '../call.ts'
import type { OperationOf } from '../declare/operations.ts'
import { afterWriting, answerWritten, changeRow, rowToChange, statusOf, wrongState } from './changeRow.ts'
import { labelOf, recordWrite, type Write } from './write.ts'
import { deleteRow } from './writeRows.ts'

/** Deletes a row. A row that others refer to cannot be deleted (409). */
export async function removeRow(write: Write<OperationOf<'remove'>>): Promise<ApiResponse> {
  const { operation, writer, queryScope } = write
  const row = await rowToChange(write)
  const { from } = operation.rules
  const status = statusOf(operation.resource, row, write)
  if (from && !from.includes(status)) throw wrongState(operation.resource, { verb: 'deletion', status, from })
  const removed = await operation.rules.before?.(write, row)
  if (operation.rules.instead) {
    const columns = await operation.rules.instead(write, row)
    if (!columns) return operation.successStatus === 204 ? nothing : answerWritten(write, row)
    const kept = await changeRow(write, row, columns, 'deleted')
    const left = await afterWriting(write, kept, () => operation.rules.after?.(write, kept, []))
    return operation.successStatus === 204 ? nothing : answerWritten(write, left)
  }
  await recordEmptied(write, row.id)
  await deleteRow(writer, queryScope, row)
  const { object: type, hasSlug } = operation.resource
  if (hasSlug) await freeSlugsOf(writer, { schoolId: queryScope.schoolId, type, id: row.id })
  const done = await operation.rules.after?.(write, row, removed?.affected ?? [])
  await recordWrite(write, { action: 'deleted', id: row.id, before: row.version, after: null, label: labelOf(row) })
  return { ...nothing, ...done }
}

/** Records the change of rows whose references to the deleted row become empty. */
async function recordEmptied({ writer, operation, externalServices }: Write<OperationOf<'remove'>>, id: string): Promise<void> {
  const emptied = await emptyReferences(writer, { table: operation.resource.table, id })
  for (const [table, rows] of Map.groupBy(emptied, (row) => row.table))
    for (const type of externalServices.undo.typesOf(table)) await recordChanges(writer, { type, action: 'updated' }, rows)
}

const nothing: ApiResponse = { status: 204, body: {}, text: '' }
