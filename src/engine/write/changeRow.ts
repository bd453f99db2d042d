import { z } from 'zod'
import { audienceOf } from '../../base/caller.ts'
import { newId, toPublicId } from '../../base/ids.ts'
import { Problem } from '../../base/problem.ts'
import { canonicalJson } from '../../base/text/canonicalJson.ts'
import { changesThrough } from '../../database/school/inSchool.ts'
import type { ApiResponse } from '../call.ts'
import { columnsOfValues } from '../declare/columns.ts'
import type { SeenRow, Values } from '../declare/expressions.ts'
import { checkFileFields } from '../declare/fileFields.ts'
import { apiPath, type CreateParent, type Operation, type OperationOf } from '../declare/operations.ts'
import type { Resource } from '../declare/resource.ts'
import { type Presentation, selectedOf } from '../declare/rowSerializer.ts'
import { freeSlug, takeSlug } from '../declare/slugs.ts'
import { membersOf, type View, viewRank } from '../declare/views.ts'
import { serializeTagged, serializeWhole } from '../output/serialize.ts'
import { keyOfCall, noSuchRow } from '../read/answerRow.ts'
import { loadWritten, lockRow } from '../read/findRows.ts'
import { joinFieldErrors } from './joinFieldErrors.ts'
import { parseBody, parseInput, parseWholeBody, requireNoFieldErrors, sendablePart } from './parseBody.ts'
import { replacedMembers, requirePrecondition } from './preconditions.ts'
import { labelOf, recordWrite, type Write } from './write.ts'
import { insertRow, updateVersion } from './writeRows.ts'
import type { Made } from './writing.ts'

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

/** Runs what a declaration does after a write, and returns the row as it is then. It is read again only if something could have changed. */
export async function afterWriting({ writer, queryScope }: Write<Operation>, row: SeenRow, work: () => unknown): Promise<SeenRow> {
  const before = changesThrough(writer)
  await work()
  return before !== undefined && changesThrough(writer) === before ? row : await loadWritten(writer, queryScope, row.id)
}

export function answerWritten(write: Write<Operation>, row: SeenRow): ApiResponse {
  return { status: write.operation.successStatus, ...serializeTagged(write.operation.resource, row, write) }
}

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
  const created = await loadWritten(writer, queryScope, id)
  return answerCreated(write, await afterWriting(write, created, () => rules.after?.(writing, created, values)))
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

/** Applies a JSON Merge Patch to a row, or replaces it. If no value differs, nothing is written and the version stays. */
export async function updateRow(write: Write<OperationOf<'update' | 'replace'>>): Promise<ApiResponse> {
  const { operation, body, caller, writer, queryScope } = write
  const { resource, rules } = operation
  const row = await rowToChange(write)
  const current = serializeWhole(resource, row, write)
  const rulesOfBody = { resource, caller, view: row.seen_as }
  const reading = operation.kind === 'replace' ? parseWholeBody(rulesOfBody, body) : parseBody({ ...rulesOfBody, current }, body)
  const { fieldErrors } = reading
  const values = withoutCurrentInputs(resource, current, reading.values)
  const merged = { ...current, ...values }
  const changed = changedFields(resource, current, values)
  const together = [
    ...(await joinFieldErrors(fieldErrors, merged, async (seen) => (await rules.check?.(seen, write, row)) ?? [])),
    ...(await joinFieldErrors(fieldErrors, changed, async (seen) => (await resource.checkCaller?.(seen, write, row)) ?? [])),
    ...(await joinFieldErrors(fieldErrors, values, (seen) => checkFileFields(write, seen, row))),
  ]
  requireNoFieldErrors([...fieldErrors, ...together])
  if (Object.keys(changed).every((field) => resource.inputs[field]?.meta()?.isOption)) return answerWritten(write, row)
  if (resource.slugFrom !== undefined && 'slug' in changed) {
    const { schoolId } = queryScope
    await takeSlug(writer, resource, { schoolId, id: row.id, slug: String(changed.slug), before: String(current.slug) })
  }
  const following = (await rules.before?.(write, row, merged)) ?? {}
  const columns = await columnsOfValues(resource, changed, write.externalServices)
  const written = await changeRow(write, row, { ...columns, ...following }, 'updated')
  return answerWritten(write, await afterWriting(write, written, () => rules.after?.(write, written, changed)))
}

/** Removes inputs that are equal to the current values of the row. */
export const withoutCurrentInputs = (resource: Resource, current: Values, values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).filter(([name, value]) => {
      const currentInput = resource.currentInputs[name]
      return currentInput === undefined || canonicalJson(value) !== canonicalJson(currentInput(current))
    }),
  )

/** Returns the values that differ from those of the row, and the inputs. */
export const changedFields = (resource: Resource, current: Values, values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).filter(
      ([field, value]) => field in resource.inputs || isChange(membersOf(resource.schema)[field] ?? z.never(), current[field], value),
    ),
  )

/** True if the value differs from the current one. Compares whole values without read-only members. */
const isChange = (schema: z.ZodType, current: unknown, value: unknown): boolean =>
  canonicalJson(value) !== canonicalJson(sendablePart(schema, current, 'staff'))

export function statusOf({ derivations, stateColumn }: Resource, row: SeenRow, context: Presentation): string {
  const derivation = derivations.find(({ field }) => field === 'status')
  if (!derivation) return String(row[stateColumn])
  return String(derivation.of(derivation.isSelected ? selectedOf(row, 'status') : row, context))
}

/** True if the status is stored in a column: a query may calculate it from others instead. */
export const hasStoredStatus = ({ selections }: Resource): boolean => !selections.some(({ field }) => field === 'status')

/** Creates the Problem for an operation that the status of the row does not allow. Names the statuses that do. */
export function wrongState(
  { object }: Pick<Resource, 'object'>,
  { verb, status, from }: { verb: string; status: string; from: readonly string[] },
): Problem {
  const message = `status: must be ${from.join(' or ')} for ${verb}. This ${object.replaceAll('_', ' ')} is ${status}.`
  return new Problem('invalid_state', {
    description: message,
    details: [{ field: 'status', code: 'invalid_state', message, meta: { status, allowed: [...from] } }],
  })
}
