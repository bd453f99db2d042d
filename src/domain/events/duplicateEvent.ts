import { newId } from '../../lib/ids.ts'
import { setFileReferences } from '../../store/fileReferences.ts'
import type { WriteContext } from '../courses/courseWriting.ts'

/** Copies an event as a draft without RSVPs, with its hosts and plans. Returns the id of the copy. */
export async function duplicateEvent(
  { writer, school, now }: WriteContext,
  event: { id: string; title: string },
  freeSlug: (title: string, id: string) => Promise<string>,
): Promise<string> {
  const original = await writer.selectFrom('event').selectAll().where('id', '=', event.id).executeTakeFirstOrThrow()
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
      // The external id must be unique, and the recording belongs to the original event.
      external_id: null,
      recording_url: null,
      going_count: 0,
      waitlisted_count: 0,
      comments_count: 0,
      published_at: null,
      canceled_at: null,
      cancel_reason: null,
      moved_from: null,
      move_notice_at: null,
      version: 1,
      created_at: now,
      updated_at: now,
    })
    .execute()
  await writer
    .insertInto('event_host')
    .columns(['school_id', 'event_id', 'lecturer_id', 'position'])
    .expression((insert) =>
      insert
        .selectFrom('event_host')
        .select((host) => ['school_id', host.cast<string>(host.val(id), 'uuid').as('event_id'), 'lecturer_id', 'position'])
        .where('event_id', '=', event.id),
    )
    .execute()
  await writer
    .insertInto('event_plan')
    .columns(['school_id', 'event_id', 'plan_id'])
    .expression((insert) =>
      insert
        .selectFrom('event_plan')
        .select((plan) => ['school_id', plan.cast<string>(plan.val(id), 'uuid').as('event_id'), 'plan_id'])
        .where('event_id', '=', event.id),
    )
    .execute()
  if (original.cover_image_file_id) {
    const references = [{ field: 'cover_image', fileId: original.cover_image_file_id }]
    await setFileReferences(writer, { schoolId: school.id, type: 'event', id }, { fields: ['cover_image'], references })
  }
  return id
}
