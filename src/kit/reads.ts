import { audienceOf } from '../policy/caller.ts'
import type { Answer, Call } from './call.ts'
import { requireSight } from './changeRow.ts'
import { listEtag, rowEtag } from './etag.ts'
import type { OperationOf } from './operations.ts'
import { keyOfCall, noSuchRow } from './row.ts'
import { findWholeRow } from './rows.ts'
import { pickerOf, type View } from './views.ts'

/**
 * What a declaration reads of a row beside the row itself, in the caller's view of that row.
 * @throws Problem invalid_id, not_found, access_denied
 */
export async function answerRead(call: Call<OperationOf<'read'>>): Promise<Answer> {
  const { operation, database, sight } = call
  const { resource, rules, output } = operation
  const row = await findWholeRow(database, sight, keyOfCall(call))
  if (!row) throw noSuchRow(resource)
  requireSight(row, resource, rules.view ?? 'public')
  const body = pickerOf(output, row.seen_as)(await rules.run(call, row as never)) as Record<string, unknown>
  const text = JSON.stringify(body)
  return { status: operation.successStatus, body, text, etag: rowEtag(row.version, row.seen_as, text) }
}

/** What a declaration reads of the collection as a whole. */
export async function answerCollectionRead(call: Call<OperationOf<'collectionRead'>>): Promise<Answer> {
  const { operation, caller } = call
  const body = pickerOf(operation.output, widestView(caller))(await operation.rules.run(call)) as Record<string, unknown>
  const text = JSON.stringify(body)
  return { status: operation.successStatus, body, text, etag: listEtag(text) }
}

/** What a caller can see of anything at all. */
const widestView = (caller: Call['caller']): View =>
  (({ anonymous: 'public', learner: 'own', lecturer: 'staff', staff: 'staff' }) as const)[audienceOf(caller)]
