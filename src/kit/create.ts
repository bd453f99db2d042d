import { newId } from '../lib/ids.ts'
import { audienceOf } from '../policy/caller.ts'
import { readBody, readInput, requireNoFaults } from './body.ts'
import type { Answer } from './call.ts'
import { answerWritten, requireSight } from './changeRow.ts'
import { columnsOfValues } from './columns.ts'
import { checkFileFields, keepFileReferences } from './fileFields.ts'
import { apiPath, type CreateParent, type OperationOf } from './operations.ts'
import { record } from './record.ts'
import { keyOfCall, noSuchRow } from './row.ts'
import { lockRow, readWritten } from './rows.ts'
import type { SeenRow } from './sight.ts'
import { freeSlug } from './slugs.ts'
import type { Write } from './write.ts'
import { insertRow } from './writeRows.ts'
import type { Made } from './writing.ts'

/** Makes a row of what was sent, what the resource adds, and a slug where none was sent. */
export async function createRow(write: Write<OperationOf<'create'>>): Promise<Answer> {
  const { operation, body, caller, writer, sight, school, now } = write
  const { resource, rules, parent } = operation
  const owner = parent && (await lockParent(write, parent))
  const writing = { ...write, parent: owner }
  if (rules.perform && rules.input) return await answerMade(write, await rules.perform(writing, readInput(rules.input, body)))
  const { values, faults } = readBody({ resource, caller, view: audienceOf(caller) === 'learner' ? 'own' : 'staff' }, body)
  const together = faults.length === 0 ? [...((await rules.check?.(values, writing)) ?? []), ...(await checkFileFields(write, values))] : []
  requireNoFaults([...faults, ...together])
  if (rules.perform) return await answerMade(write, await rules.perform(writing, values))
  const id = newId()
  const slug =
    resource.slugFrom !== undefined && values.slug === undefined
      ? { slug: await freeSlug(writer, resource, { schoolId: school.id, title: String(values[resource.slugFrom] ?? ''), id }) }
      : {}
  const defaults = (await rules.defaults?.(writing, values)) ?? {}
  const under = owner && parent ? { [parent.column]: owner.id } : {}
  await insertRow(writer, sight, {
    ...defaults,
    ...under,
    ...slug,
    ...columnsOfValues(resource, values),
    id,
    created_at: now,
    updated_at: now,
  })
  if (resource.fileFields.length > 0) await keepFileReferences(write, await readWritten(writer, sight, id))
  if (rules.after) await rules.after(writing, (await readWritten(writer, sight, id)) as never, values)
  return await answerMade(write, id)
}

/** Notes what became of the row, and answers it. */
async function answerMade(write: Write<OperationOf<'create'>>, made: string | Made): Promise<Answer> {
  const { id, action } = typeof made === 'string' ? { id: made, action: 'created' } : made
  const { resource } = write.operation
  const row = await readWritten(write.writer, write.sight, id)
  const isNew = action === 'created'
  if (action !== undefined) await record(write, { action, id, before: isNew ? null : row.version - 1, after: isNew ? 1 : row.version })
  const answer = answerWritten(write, row)
  if (!isNew) return { ...answer, status: 200 }
  // What cannot be read by itself stands nowhere.
  if (resource.operations.get === undefined) return answer
  return { ...answer, headers: { Location: `${apiPath}/${resource.path}/${answer.body.id}` } }
}

/** The row of the other resource, locked: a limit on its parts holds under concurrency. */
async function lockParent(write: Write<OperationOf<'create'>>, { resource }: CreateParent): Promise<SeenRow> {
  const row = await lockRow(write.writer, { ...write.sight, resource }, keyOfCall(write, resource))
  if (!row) throw noSuchRow(resource)
  requireSight(row, resource, write.operation.rules.view ?? 'staff')
  return row
}
