import { newId } from '../lib/ids.ts'
import { audienceOf } from '../policy/caller.ts'
import { readBody, requireNoFaults } from './body.ts'
import type { Answer } from './call.ts'
import { answerWritten } from './changeRow.ts'
import { columnsOfValues } from './columns.ts'
import type { OperationOf } from './operations.ts'
import { record } from './record.ts'
import { insertRow, readWritten } from './rows.ts'
import { freeSlug } from './slugs.ts'
import type { Write } from './write.ts'

/** Makes a row of what was sent, what the resource adds, and a slug where none was sent. */
export async function createRow(write: Write<OperationOf<'create'>>): Promise<Answer> {
  const { operation, body, caller, writer, sight, school, now } = write
  const { resource, rules } = operation
  const { values, faults } = readBody({ resource, caller, view: audienceOf(caller) === 'learner' ? 'own' : 'staff' }, body)
  const together = faults.length === 0 ? ((await rules.check?.(values, write)) ?? []) : []
  requireNoFaults([...faults, ...together])
  const id = newId()
  const slug =
    resource.slugFrom !== undefined && values.slug === undefined
      ? { slug: await freeSlug(writer, resource, { schoolId: school.id, title: String(values[resource.slugFrom] ?? ''), id }) }
      : {}
  const defaults = (await rules.defaults?.(write, values)) ?? {}
  await insertRow(writer, sight, { ...defaults, ...slug, ...columnsOfValues(resource, values), id, created_at: now, updated_at: now })
  if (rules.after) await rules.after(write, (await readWritten(writer, sight, id)) as never, values)
  await record(write, { action: 'created', id, before: null, after: 1 })
  const answer = answerWritten(write, await readWritten(writer, sight, id))
  return { ...answer, headers: { Location: `${operation.path}/${answer.body.id}` } }
}
