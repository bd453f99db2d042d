import { newId } from '../../base/ids.ts'
import { copyRows } from '../../database/statements/copyRows.ts'
import type { WriteContext } from '../courses/courseWriting.ts'

/** Copies an event as a draft without RSVPs, with its hosts and plans. Returns the id of the copy. */
export async function duplicateEvent(
  { writer, now }: WriteContext,
  event: { id: string; title: string },
  freeSlug: (title: string, id: string) => Promise<string>,
): Promise<string> {
  const id = newId()
  const title = `${event.title.slice(0, 153)} (copy)`
  const own = { id, title, slug: await freeSlug(title, id), created_at: now, updated_at: now }
  await copyRows(writer, 'event', [{ original: { id: event.id }, own }])
  const ofEvent = { original: { event_id: event.id }, own: { event_id: id } }
  await copyRows(writer, 'event_host', [ofEvent])
  await copyRows(writer, 'event_plan', [ofEvent])
  return id
}
