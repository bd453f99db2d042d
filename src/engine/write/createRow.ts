import { audienceOf } from '../../base/caller.ts'
import { newId } from '../../base/ids.ts'
import type { ApiResponse } from '../call.ts'
import { columnsOfValues } from '../declare/columns.ts'
import type { SeenRow } from '../declare/expressions.ts'
import { checkFileFields } from '../declare/fileFields.ts'
import { apiPath, type CreateParent, type OperationOf } from '../declare/operations.ts'
import { freeSlug, takeSlug } from '../declare/slugs.ts'
import { keyOfCall, noSuchRow } from '../read/answerRow.ts'
import { loadWritten, lockRow } from '../read/findRows.ts'
import { answerWritten, requireVisible } from './changeRow.ts'
import { joinFieldErrors } from './joinFieldErrors.ts'
import { parseBody, parseInput, requireNoFieldErrors } from './parseBody.ts'
import { labelOf, recordWrite } from './recordWrite.ts'
import { statusOf } from './statusOf.ts'
import type { Write } from './write.ts'
import { insertRow } from './writeRows.ts'
import type { Made } from './writing.ts'
import { wrongState } from './wrongState.ts'

/** Creates a row from the fields of the body, the defaults of the resource, and a generated slug if none was sent. */
export async function createRow(write: Write<OperationOf<'create'>>): Promise<ApiResponse> {
  const { operation, body, caller, writer, queryScope, now } = write
  const { resource, rules, parent } = operation
  const owner = parent && (await lockParent(write, parent))
  const writing = { ...write, parent: owner }
  if (rules.perform && rules.input) {
    const input = parseInput(rules.input, body)
    requireParentStatus(write, owner)
    return await answerPerformed(write, await rules.perform(writing, input))
  }
  const { values, fieldErrors } = parseBody({ resource, caller, view: audienceOf(caller) === 'learner' ? 'own' : 'staff' }, body)
  const together = await joinFieldErrors(fieldErrors, values, async (seen) => [
    ...((await rules.check?.(seen, writing)) ?? []),
    ...((await resource.checkCaller?.(seen, writing)) ?? []),
    ...(await checkFileFields(write, seen)),
  ])
  requireNoFieldErrors([...fieldErrors, ...together])
  requireParentStatus(write, owner)
  if (rules.perform) return await answerPerformed(write, await rules.perform(writing, values))
  const id = newId()
  const slug = await slugOfNew(write, id, values)
  const defaults = (await rules.defaults?.(writing, values)) ?? {}
  const under = owner && parent ? { [parent.column]: owner.id } : {}
  await insertRow(writer, queryScope, {
    ...defaults,
    ...under,
    ...slug,
    ...(await columnsOfValues(resource, values, write.externalServices)),
    id,
    created_at: now,
    updated_at: now,
  })
  // Recorded before `after`, which may change the row and record that change.
  await recordWrite(write, { action: 'created', id, before: null, after: 1, label: labelOf(values) })
  if (rules.after) await rules.after(writing, await loadWritten(writer, queryScope, id), values)
  return answerCreated(write, await loadWritten(writer, queryScope, id))
}

/** Generates a slug for a new row without one. A sent slug is taken under the same lock, so that no other request generates it. */
async function slugOfNew(
  { writer, school, operation: { resource } }: Write<OperationOf<'create'>>,
  id: string,
  values: Readonly<Record<string, unknown>>,
): Promise<{ slug?: string }> {
  if (resource.slugFrom === undefined) return {}
  if (values.slug === undefined)
    return { slug: await freeSlug(writer, resource, { schoolId: school.id, title: String(values[resource.slugFrom] ?? ''), id }) }
  await takeSlug(writer, resource, { schoolId: school.id, slug: String(values.slug) })
  return {}
}

/** Records the creation that a declaration performed itself, and returns the row. */
async function answerPerformed(write: Write<OperationOf<'create'>>, created: string | Made): Promise<ApiResponse> {
  const { id, action } = typeof created === 'string' ? { id: created, action: 'created' } : created
  const row = await loadWritten(write.writer, write.queryScope, id)
  const isNew = action === 'created'
  if (action !== undefined)
    await recordWrite(write, { action, id, before: isNew ? null : row.version - 1, after: row.version, label: labelOf(row) })
  return isNew ? answerCreated(write, row) : { ...answerWritten(write, row), status: 200 }
}

function answerCreated(write: Write<OperationOf<'create'>>, row: SeenRow): ApiResponse {
  const { resource } = write.operation
  const response = answerWritten(write, row)
  // A row without a get operation has no URL.
  if (resource.operations.get === undefined) return response
  return { ...response, headers: { Location: `${apiPath}/${resource.path}/${response.body.id}` } }
}

/** Returns the parent row, locked, so that limits on the number of its parts hold under concurrency. */
async function lockParent(write: Write<OperationOf<'create'>>, { resource }: CreateParent): Promise<SeenRow> {
  const row = await lockRow(write.writer, { ...write.queryScope, resource }, keyOfCall(write, resource))
  if (!row) throw noSuchRow(resource)
  requireVisible(row, resource, write.operation.rules.view ?? 'staff')
  return row
}

/** @throws Problem invalid_state if rows cannot be created under a row with this status */
function requireParentStatus(write: Write<OperationOf<'create'>>, owner: SeenRow | undefined): void {
  const { resource, rules, parent } = write.operation
  if (!owner || !parent || !rules.parentStatus) return
  const status = statusOf(parent.resource, owner, write)
  if (!rules.parentStatus.includes(status))
    throw wrongState(parent.resource, { verb: `creating a ${resource.object.replaceAll('_', ' ')}`, status, from: rules.parentStatus })
}
