import { fromPublicId } from '../../lib/ids.ts'
import { Problem } from '../../lib/problem.ts'
import { recordChange } from '../../store/changeLog.ts'
import { addTags } from '../students/personTags.ts'
import type { PersonChange } from '../students/personWriting.ts'

export interface Labels {
  add: readonly string[]
  remove: readonly string[]
}

/**
 * Puts words to a member and takes others away; a word in both lists is there afterwards. What changes nothing counts no version.
 * @throws Problem not_found, invalid_state
 */
export async function labelMember(change: PersonChange, memberId: string, { add, remove }: Labels): Promise<void> {
  const { writer, sql, school, now } = change
  const personId = fromPublicId('mbr', memberId) as string
  const row = await writer
    .selectFrom('person')
    .select(['id', 'version', 'is_student', 'erased_at'])
    .where('school_id', '=', school.id)
    .where('id', '=', personId)
    .where('is_member', '=', true)
    .forUpdate()
    .executeTakeFirst()
  if (!row) throw new Problem('not_found', { description: 'There is no such member.' })
  if (row.erased_at !== null) throw new Problem('invalid_state', { description: 'This person was erased.' })
  const before = await labelsOf(change, personId)
  const kept = new Set(add)
  const gone = remove.filter((word) => !kept.has(word))
  if (gone.length > 0) {
    await writer
      .deleteFrom('person_tag')
      .where('school_id', '=', school.id)
      .where('person_id', '=', personId)
      .where('kind', '=', 'member_label')
      .where('tag', 'in', gone)
      .execute()
  }
  await addTags(writer, { schoolId: school.id, personId, kind: 'member_label' }, add)
  const after = await labelsOf(change, personId)
  if (after.length > most) throw new Problem('validation_failed', { description: `A member has at most ${most} labels.` })
  if (after.join('\n') === before.join('\n')) return
  await writer
    .updateTable('person')
    .set({ updated_at: now, version: row.version + 1 })
    .where('school_id', '=', school.id)
    .where('id', '=', personId)
    .execute()
  const changed = { school_id: school.id, resource_id: personId, action: 'updated' as const, version: row.version + 1 }
  await recordChange(sql, { ...changed, type: 'member' })
  if (row.is_student) await recordChange(sql, { ...changed, type: 'student' })
}

const most = 50

async function labelsOf({ writer, school }: PersonChange, personId: string): Promise<string[]> {
  const rows = await writer
    .selectFrom('person_tag')
    .select('tag')
    .where('school_id', '=', school.id)
    .where('person_id', '=', personId)
    .where('kind', '=', 'member_label')
    .orderBy('tag')
    .execute()
  return rows.map(({ tag }) => tag)
}
