import { readBody, requireNoFaults } from './body.ts'
import type { Answer } from './call.ts'
import { canonical } from './canonical.ts'
import { answerWritten, changeRow, rowToChange } from './changeRow.ts'
import { columnsOfValues } from './columns.ts'
import type { OperationOf } from './operations.ts'
import { presentWhole } from './present.ts'
import { readWritten } from './rows.ts'
import type { Write } from './write.ts'

/** Lays a JSON Merge Patch over a row. What changes nothing is no change: the version stays. */
export async function updateRow(write: Write<OperationOf<'update'>>): Promise<Answer> {
  const { operation, body, caller, writer, sight } = write
  const { resource, rules } = operation
  const row = await rowToChange(write)
  const current = presentWhole(resource, row, write)
  const { values, faults } = readBody({ resource, caller, view: row.seen_as, current }, body)
  const merged = { ...current, ...values }
  const together = faults.length === 0 ? ((await rules.check?.(merged, write, row as never)) ?? []) : []
  requireNoFaults([...faults, ...together])
  const changed = Object.fromEntries(
    Object.entries(values).filter(([field, value]) => field in resource.inputs || canonical(value) !== canonical(current[field])),
  )
  if (Object.keys(changed).length === 0) return answerWritten(write, row)
  const following = (await rules.before?.(write, row as never, merged)) ?? {}
  const written = await changeRow(write, row, { ...columnsOfValues(resource, changed), ...following }, 'updated')
  if (!rules.after) return answerWritten(write, written)
  await rules.after(write, written as never, changed)
  return answerWritten(write, await readWritten(writer, sight, row.id))
}
