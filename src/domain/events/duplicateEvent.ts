import { newId } from '../../lib/ids.ts'
import { setFileReferences } from '../../store/fileReferences.ts'
import type { CourseContext } from '../courses/courseWriting.ts'

/** Copies an event as a draft to which nobody has answered, with its hosts and plans; answers the id of the copy. */
export async function duplicateEvent(
  { writer, sql, school, now }: CourseContext,
  event: { id: string; title: string },
  freeSlug: (title: string, id: string) => Promise<string>,
): Promise<string> {
  const original = await writer
    .selectFrom('event')
    .selectAll()
    .where('school_id', '=', school.id)
    .where('id', '=', event.id)
    .executeTakeFirstOrThrow()
  const id = newId()
  const title = `${event.title.slice(0, 153)} (copy)`
  await writer
    .insertInto('event')
    .values({
      ...original,
      id,
      title,
      slug: await freeSlug(title, id),
      location: original.location === null ? null : JSON.stringify(original.location),
      metadata: JSON.stringify(original.metadata),
      status: 'draft',
      // A key of another system names one row, and what was recorded is of that day.
      external_id: null,
      recording_url: null,
      going_count: 0,
      waitlisted_count: 0,
      comments_count: 0,
      published_at: null,
      canceled_at: null,
      cancel_reason: null,
      version: 1,
      created_at: now,
      updated_at: now,
    })
    .execute()
  for (const [table, column, more] of [
    ['event_host', 'lecturer_id', ', position'],
    ['event_plan', 'plan_id', ''],
  ] as const) {
    await sql.query(
      `INSERT INTO ${table} (school_id, event_id, ${column}${more})
       SELECT school_id, $3, ${column}${more} FROM ${table} WHERE school_id = $1 AND event_id = $2`,
      [school.id, event.id, id],
    )
  }
  if (original.cover_image_file_id) {
    const references = [{ field: 'cover_image', fileId: original.cover_image_file_id }]
    await setFileReferences(writer, { schoolId: school.id, type: 'event', id }, { fields: ['cover_image'], references })
  }
  return id
}
