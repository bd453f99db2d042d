import { Problem } from '../../lib/problem.ts'
import type { Answer } from '../call.ts'
import type { SeenRow } from '../declare/expressions.ts'
import type { Operation, OperationOf } from '../declare/operations.ts'
import type { Resource } from '../declare/resource.ts'
import { breadth, type View } from '../declare/views.ts'
import { serializeTagged } from '../output/serialize.ts'
import { keyOfCall, noSuchRow } from '../read/answerRow.ts'
import { loadWritten, lockRow } from '../read/findRows.ts'
import { requirePrecondition } from './preconditions.ts'
import { recordWrite } from './recordWrite.ts'
import type { Write } from './write.ts'
import { updateVersion } from './writeRows.ts'

/**
 * Returns the row that a change is about, locked until the transaction ends. If-Match is compared here and nowhere else: from here on
 * only this transaction changes the row.
 * @throws Problem not_found, access_denied, precondition_failed or precondition_required, in this order
 */
export async function rowToChange(write: Write<OperationOf<'update' | 'replace' | 'remove' | 'action'>>): Promise<SeenRow> {
  const { writer, queryScope, operation, precondition } = write
  const row = await lockRow(writer, queryScope, keyOfCall(write), operation.rules.lockFirst)
  if (!row) throw noSuchRow(operation.resource)
  requireVisible(row, operation.resource, operation.view)
  requirePrecondition(precondition, operation.needsIfMatch, {
    version: row.version,
    etag: () => serializeTagged(operation.resource, row, write).etag,
  })
  return row
}

/** @throws Problem access_denied for who sees less of the row than is needed to touch it */
export function requireVisible(row: SeenRow, { object }: Resource, view: View): void {
  if (breadth[row.seen_as] >= breadth[view]) return
  throw new Problem('access_denied', {
    description: `You see this ${object.replaceAll('_', ' ')} and may not do this with it. Another scope would not help.`,
  })
}

/** Writes these columns of the locked row, raises its version and records the change. */
export async function changeRow(write: Write<Operation>, row: SeenRow, columns: Record<string, unknown>, action: string): Promise<SeenRow> {
  const { writer, queryScope, now } = write
  const version = await updateVersion(writer, queryScope, row.id, { ...columns, updated_at: now })
  await recordWrite(write, { action, id: row.id, before: row.version, after: version })
  return await loadWritten(writer, queryScope, row.id)
}

/** The row as an answer to who changed it. */
export function answerWritten(write: Write<Operation>, row: SeenRow): Answer {
  return { status: write.operation.successStatus, ...serializeTagged(write.operation.resource, row, write) }
}
