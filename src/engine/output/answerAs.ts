import type { ApiResponse, Call } from '../call.ts'
import type { OperationOf } from '../declare/operations.ts'
import type { Representation } from '../declare/representation.ts'
import { positionOf } from '../declare/sorts.ts'
import { queryOfList, textOf, withinTime } from '../read/answerList.ts'
import { keyOfCall, noSuchRow } from '../read/answerRow.ts'
import { formatCursor } from '../read/cursor.ts'
import { findRow, findRows } from '../read/findRows.ts'
import { requireOffered } from '../read/selectRows.ts'
import { listEtag, rowEtag, serialize } from './serialize.ts'

/**
 * Returns the rows of the caller's list in another format, up to the maximum of one response; a link leads to the next rows.
 * @throws Problem not_found, invalid_cursor, query_too_expensive
 */
export async function answerListAs(call: Call<OperationOf<'list'>>, representation: Representation): Promise<ApiResponse> {
  const { operation, parameters, signer } = call
  const { sort, conditions, fingerprint, from } = await queryOfList(call)
  const limit = parameters.get('limit')
  return await withinTime(call, 'read', true, async ({ database, queryScope }) => {
    const found = await findRows(database, queryScope, { conditions, sort, after: from, limit: limit + 1 })
    if (found.length === 0) await requireOffered(database, queryScope)
    const rows = found.slice(0, limit)
    const last = rows.at(-1)
    const text = representation.write(
      rows.map((row) => ({ body: serialize(operation.resource, row, call), version: row.version })),
      call,
    )
    const nextCursor =
      found.length > limit && last ? formatCursor(signer, fingerprint, { ...positionOf(last, sort), isBackward: false }) : null
    return {
      status: operation.successStatus,
      body: {},
      text,
      type: representation.type,
      etag: listEtag(text),
      rows: rows.length,
      list: { parameters: textOf(call), nextCursor, prevCursor: null },
    }
  })
}

/**
 * Returns one row in another format.
 * @throws Problem invalid_id, not_found
 */
export async function answerRowAs(call: Call, representation: Representation): Promise<ApiResponse> {
  const { operation, database, queryScope } = call
  const row = await findRow(database, queryScope, keyOfCall(call))
  if (!row) throw noSuchRow(operation.resource)
  const text = representation.write([{ body: serialize(operation.resource, row, call), version: row.version }], call)
  const etag = rowEtag(row.version, row.seen_as, text)
  return { status: operation.successStatus, body: {}, text, type: representation.type, etag }
}
