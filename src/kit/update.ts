import type { z } from 'zod'
import { readBody, readWhole, requireNoFaults, sendablePart } from './body.ts'
import type { Answer } from './call.ts'
import { canonical } from './canonical.ts'
import { answerWritten, changeRow, rowToChange } from './changeRow.ts'
import { columnsOfValues } from './columns.ts'
import { checkFileFields, keepFileReferences } from './fileFields.ts'
import type { OperationOf } from './operations.ts'
import { presentWhole } from './present.ts'
import { readWritten } from './rows.ts'
import type { Write } from './write.ts'

/** Lays a JSON Merge Patch over a row, or puts a whole one in its place. What changes nothing is no change: the version stays. */
export async function updateRow(write: Write<OperationOf<'update' | 'replace'>>): Promise<Answer> {
  const { operation, body, caller, writer, sight } = write
  const { resource, rules } = operation
  const row = await rowToChange(write)
  const current = presentWhole(resource, row, write)
  const rulesOfBody = { resource, caller, view: row.seen_as }
  const { values, faults } = operation.kind === 'replace' ? readWhole(rulesOfBody, body) : readBody({ ...rulesOfBody, current }, body)
  const merged = { ...current, ...values }
  const together =
    faults.length === 0
      ? [...((await rules.check?.(merged, write, row as never)) ?? []), ...(await checkFileFields(write, values, row))]
      : []
  requireNoFaults([...faults, ...together])
  const changed = Object.fromEntries(
    Object.entries(values).filter(
      ([field, value]) => field in resource.inputs || isChange(resource.schema.shape[field] as z.ZodType, current[field], value),
    ),
  )
  if (Object.keys(changed).length === 0) return answerWritten(write, row)
  const following = (await rules.before?.(write, row as never, merged)) ?? {}
  const written = await changeRow(write, row, { ...columnsOfValues(resource, changed), ...following }, 'updated')
  await keepFileReferences(write, written)
  if (!rules.after) return answerWritten(write, written)
  await rules.after(write, written as never, changed)
  return answerWritten(write, await readWritten(writer, sight, row.id))
}

/** Compared as they are sent: the whole value, without the members that are only answered. */
const isChange = (schema: z.ZodType, current: unknown, value: unknown): boolean =>
  canonical(value) !== canonical(sendablePart(schema, current, 'staff'))
