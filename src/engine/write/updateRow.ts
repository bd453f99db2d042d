import { z } from 'zod'
import type { ApiResponse } from '../call.ts'
import { columnsOfValues } from '../declare/columns.ts'
import { checkFileFields } from '../declare/fileFields.ts'
import type { OperationOf } from '../declare/operations.ts'
import type { Resource } from '../declare/resource.ts'
import { membersOf } from '../declare/schemas.ts'
import { takeSlug } from '../declare/slugs.ts'
import type { Values } from '../declare/values.ts'
import { serializeWhole } from '../output/serialize.ts'
import { loadWritten } from '../read/findRows.ts'
import { canonical } from './canonical.ts'
import { answerWritten, changeRow, rowToChange } from './changeRow.ts'
import { joinFieldErrors } from './joinFieldErrors.ts'
import { parseBody, parseWholeBody, requireNoFieldErrors, sendablePart } from './parseBody.ts'
import type { Write } from './write.ts'

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
  if (!rules.after) return answerWritten(write, written)
  await rules.after(write, written, changed)
  return answerWritten(write, await loadWritten(writer, queryScope, row.id))
}

/** Removes inputs that are equal to the current values of the row. */
export const withoutCurrentInputs = (resource: Resource, current: Values, values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).filter(([name, value]) => {
      const currentInput = resource.currentInputs[name]
      return currentInput === undefined || canonical(value) !== canonical(currentInput(current))
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
  canonical(value) !== canonical(sendablePart(schema, current, 'staff'))
