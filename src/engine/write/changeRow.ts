import { toPublicId } from '../../base/ids.ts'
import { Problem } from '../../base/problem.ts'
import type { ApiResponse } from '../call.ts'
import type { SeenRow } from '../declare/expressions.ts'
import { apiPath, type Operation, type OperationOf } from '../declare/operations.ts'
import type { Resource } from '../declare/resource.ts'
import { type View, viewRank } from '../declare/views.ts'
import { serializeTagged } from '../output/serialize.ts'
import { keyOfCall, noSuchRow } from '../read/answerRow.ts'
import { loadWritten, lockRow } from '../read/findRows.ts'
import { replacedMembers, requirePrecondition } from './preconditions.ts'
import { labelOf, recordWrite } from './recordWrite.ts'
import type { Write } from './write.ts'
import { updateVersion } from './writeRows.ts'

/**
 * Returns the row to change, locked until the transaction ends. If-Match is compared only here, under the lock: no other transaction
 * can change the row afterwards.
 * @throws Problem not_found, access_denied, precondition_failed or precondition_required, in this order
 */
export async function rowToChange(write: Write<OperationOf<'update' | 'replace' | 'remove' | 'action'>>): Promise<SeenRow> {
  const { writer, queryScope, operation, precondition } = write
  const row = await lockRow(writer, queryScope, keyOfCall(write), operation.rules.lockFirst)
  if (!row) throw noSuchRow(operation.resource)
  requireVisible(row, operation.resource, operation.view)
  await operation.rules.requireCaller?.(write, row)
  requirePrecondition(precondition, replacedMembers(operation.needsIfMatch, write.body), {
    version: row.version,
    etag: () => serializeTagged(operation.resource, row, write).etag,
    readPath: () => readPathOf(operation.resource, row.id),
  })
  return row
}

function readPathOf({ path, isSingleton, idPrefix, operations, reads }: Resource, id: string): string {
  const row = isSingleton ? `${apiPath}/${path}` : `${apiPath}/${path}/${toPublicId(idPrefix, id)}`
  const [read] = Object.keys(reads)
  return operations.get === undefined && read !== undefined ? `${row}/${read}` : row
}

/**
 * Checks that the caller sees as much of the row as the operation requires.
 * @throws Problem access_denied
 */
export function requireVisible(row: SeenRow, { object }: Resource, view: View): void {
  if (viewRank[row.seen_as] >= viewRank[view]) return
  throw new Problem('access_denied', {
    description: `You can see this ${object.replaceAll('_', ' ')} but do not have permission to do this. Another scope does not help.`,
  })
}

/** Writes these columns of the locked row, raises its version and records the change, with the reason if the caller named one. */
export async function changeRow(
  write: Write<Operation>,
  row: SeenRow,
  columns: Record<string, unknown>,
  action: string,
  reason?: string,
): Promise<SeenRow> {
  const { writer, queryScope, now } = write
  const version = await updateVersion(writer, queryScope, row.id, { ...columns, updated_at: now })
  await recordWrite(write, { action, id: row.id, before: row.version, after: version, reason, label: labelOf(row) })
  return await loadWritten(writer, queryScope, row.id)
}

export function answerWritten(write: Write<Operation>, row: SeenRow): ApiResponse {
  return { status: write.operation.successStatus, ...serializeTagged(write.operation.resource, row, write) }
}
