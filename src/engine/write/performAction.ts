import type { ApiResponse } from '../call.ts'
import type { SeenRow } from '../declare/expressions.ts'
import { apiPath, type OperationOf } from '../declare/operations.ts'
import { pickerOf } from '../declare/views.ts'
import { rowEtag, serializeTagged } from '../output/serialize.ts'
import { loadWritten } from '../read/findRows.ts'
import { afterWriting, answerWritten, changeRow, hasStoredStatus, rowToChange, statusOf, wrongState } from './changeRow.ts'
import { parseInput } from './parseBody.ts'
import { labelOf, recordWrite, type Write } from './write.ts'
import type { Performed } from './writing.ts'

type ActionWrite = Write<OperationOf<'action'>>

/** Changes the status of a row, or runs the declared action. Has no effect if the row has the target status already. */
export async function performAction(write: ActionWrite): Promise<ApiResponse> {
  const { operation, body } = write
  const { from, to, run, perform } = operation.rules
  const row = await rowToChange(write)
  const input = parseInput(operation.input, body)
  const status = statusOf(operation.resource, row, write)
  if (from && !from.includes(status)) {
    if ([to].flat().includes(status)) return answerDone(write, row)
    throw wrongState(operation.resource, { verb: operation.name, status, from })
  }
  if (perform) return await answerPerformed(write, row, await perform(write, row, input))
  const following = run ? await run(write, row, input) : {}
  const isMoved = typeof to === 'string' && status !== to
  if (following === undefined && !isMoved) return answerDone(write, row)
  const columns = { ...following, ...(isMoved && hasStoredStatus(operation.resource) && { [operation.resource.stateColumn]: to }) }
  const written = await changeRow(write, row, columns, operation.name)
  const { after } = operation.rules
  let output: Awaited<ReturnType<NonNullable<typeof after>>>
  const left = await afterWriting(write, written, async () => {
    output = await after?.(write, written, { before: row, input })
  })
  return { ...answerDone(write, left), ...output }
}

/** Returns the response of an action that a declaration performed itself: a new row, a separate body, or the row. */
async function answerPerformed(write: ActionWrite, row: SeenRow, performed: Performed<'any_table'>): Promise<ApiResponse> {
  const { columns, isUnchanged = false, reason, made, answered, body, headers } = performed
  const { operation, writer, queryScope } = write
  if (made !== undefined) {
    await recordWrite(write, { action: 'created', id: made, before: null, after: 1 })
    const response = answerWritten(write, await loadWritten(writer, queryScope, made))
    return { ...response, headers: { ...headers, Location: `${apiPath}/${operation.resource.path}/${response.body.id}` } }
  }
  // Without columns, the declaration may have changed the row itself.
  const unwritten = async (): Promise<SeenRow> => (isUnchanged ? row : await loadWritten(writer, queryScope, row.id))
  const after = columns ? await changeRow(write, row, columns, operation.name, reason) : await unwritten()
  if (!columns && !isUnchanged)
    await recordWrite(write, { action: operation.name, id: row.id, before: row.version, after: after.version, label: labelOf(row) })
  const other = operation.rules.answers?.()
  if (other && answered !== undefined) {
    const seen = await loadWritten(writer, { ...queryScope, resource: other }, answered)
    return { status: operation.successStatus, ...serializeTagged(other, seen, write), ...(headers && { headers }) }
  }
  if (!body || !operation.rules.output) {
    const response = answerDone(write, after)
    if (isUnchanged && operation.rules.isOnce) return { ...response, status: 200, ...(headers && { headers }) }
    // A part of the row was created: its URL is that of the row.
    const place = response.status === 201 && { Location: `${apiPath}/${operation.resource.path}/${response.body.id}` }
    return { ...response, headers: { ...headers, ...place } }
  }
  const picked = pickerOf(operation.rules.output, row.seen_as)(await body())
  const text = JSON.stringify(picked)
  const etag = rowEtag(after.version, row.seen_as, text)
  return { status: operation.successStatus, body: picked, text, etag, ...(headers && { headers }) }
}

const answerDone = (write: ActionWrite, row: SeenRow): ApiResponse =>
  write.operation.successStatus === 204 ? { status: 204, body: {}, text: '' } : answerWritten(write, row)
