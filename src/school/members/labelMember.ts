import { uuidOf } from '../../base/ids.ts'
import { Problem } from '../../base/problem.ts'
import { recordChange } from '../../database/tables/changeLog.ts'
import { addTags } from '../students/personTags.ts'
import type { PersonChange } from '../students/personWriting.ts'

export interface Labels {
  add: readonly string[]
  remove: readonly string[]
}

/**
 * Adds and removes labels of a member. A label in both lists is added. The version is incremented only if the labels change.
 * @throws Problem not_found, invalid_state
 */
export async function labelMember(change: PersonChange, memberId: string, { add, remove }: Labels): Promise<void> {
  const { writer, now } = change
  const personId = uuidOf('mbr', memberId)
  const row = await writer
    .selectFrom('person')
    .select(['id', 'version', 'is_student', 'erased_at'])
    .where('id', '=', personId)
    .where('is_member', '=', true)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw new Problem('not_found', { description: 'The school has no such member.' })
  if (row.erased_at !== null) throw new Problem('invalid_state', { description: 'This person was erased and cannot be changed.' })
  const before = await labelsOf(change, personId)
  const removed = remove.filter((label) => !add.includes(label))
  if (removed.length > 0) {
    await writer
      .deleteFrom('person_tag')
      .where('person_id', '=', personId)
      .where('kind', '=', 'member_label')
      .where('tag', 'in', removed)
      .execute()
  }
  await addTags(writer, { personId, kind: 'member_label' }, add)
  const after = await labelsOf(change, personId)
  if (after.length > maxLabels) throw new Problem('validation_failed', { description: `A member can have at most ${maxLabels} labels.` })
  if (after.join('\n') === before.join('\n')) return
  await writer
    .updateTable('person')
    .set({ updated_at: now, version: row.version + 1 })
    .where('id', '=', personId)
    .execute()
  const changed = { school_id: writer.schoolId, resource_id: personId, action: 'updated' as const, version: row.version + 1 }
  await recordChange(writer, { ...changed, type: 'member' })
  if (row.is_student) await recordChange(writer, { ...changed, type: 'student' })
}

const maxLabels = 50

async function labelsOf({ writer }: PersonChange, personId: string): Promise<string[]> {
  const rows = await writer
    .selectFrom('person_tag')
    .select('tag')
    .where('person_id', '=', personId)
    .where('kind', '=', 'member_label')
    .orderBy('tag')
    .execute()
  return rows.map(({ tag }) => tag)
}
