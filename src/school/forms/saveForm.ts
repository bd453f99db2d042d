import { isDeepStrictEqual } from 'node:util'
import { newId } from '../../base/ids.ts'
import type { SchoolWriter, Stored } from '../../database/connection/database.ts'
import { recordChange } from '../../database/tables/changeLog.ts'
import type { InSchool } from '../schoolHandles.ts'
import type { ShownQuestion } from './openForm.ts'

export type FormDefinition = Stored<'form', 'slug' | 'title' | 'description' | 'success_message' | 'submit_label' | 'consent_text'> &
  Stored<'form', 'notifies_staff' | 'copies_answers' | 'opens_at' | 'closes_at'> & {
    status: 'draft' | 'published' | 'closed'
    fields: readonly ShownQuestion[]
  }

/** Creates the form with this slug, or replaces its definition. A definition that changes nothing has no effect. Call it in a transaction. */
export async function saveForm(
  writer: SchoolWriter,
  { now }: InSchool,
  definition: FormDefinition,
): Promise<{ id: string; version: number; isNew: boolean }> {
  const before = await writer
    .selectFrom('form')
    .select(['id', 'version', 'slug', 'title', 'status', 'description', 'fields', 'success_message', 'submit_label', 'consent_text'])
    .select(['notifies_staff', 'copies_answers', 'opens_at', 'closes_at'])
    .where('slug', '=', definition.slug)
    .forUpdate()
    .executeTakeFirst()
  const { fields, ...columns } = definition
  const values = { ...columns, fields: JSON.stringify(fields), updated_at: now }
  if (!before) {
    const id = newId()
    await writer
      .insertInto('form')
      .values({ school_id: writer.schoolId, id, created_at: now, ...values })
      .execute()
    await recordChange(writer, { type: 'form', resource_id: id, action: 'created', version: 1 })
    return { id, version: 1, isNew: true }
  }
  const { id, version, ...stored } = before
  if (isDeepStrictEqual(stored, { ...definition, fields: JSON.parse(values.fields) })) return { id, version, isNew: false }
  await writer
    .updateTable('form')
    .set({ ...values, version: version + 1 })
    .where('id', '=', id)
    .execute()
  await recordChange(writer, { type: 'form', resource_id: id, action: 'updated', version: version + 1 })
  return { id, version: version + 1, isNew: false }
}
