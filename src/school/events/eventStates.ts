import { fieldProblem, Problem } from '../../base/problem.ts'
import type { School } from '../../base/school.ts'
import type { Stored } from '../../database/connection/database.ts'
import { recordChanges } from '../../database/tables/changeLog.ts'
import type { ExternalServices } from '../../engine/externalServices.ts'
import type { WriteContext } from '../courses/courseWriting.ts'
import { type EventDetails, notifyOfCancellation, notifyOfOffers, notifyOfSeats } from './eventEmails.ts'
import { promoteWaiting } from './promoteWaiting.ts'

export interface EventChange extends WriteContext {
  school: School
  externalServices: Pick<ExternalServices, 'send' | 'checkoutAddress'>
}

export type SeatChange = Omit<EventChange, 'caller'>

type Event = EventDetails & Stored<'event', 'status' | 'kind' | 'join_url' | 'published_at' | 'going_count'>

/** Publishes an event. The time of the first publication is kept. */
export async function publishEvent(context: EventChange, event: Event) {
  if (event.kind === 'online' && event.join_url === null) {
    throw fieldProblem('not_publishable', 'join_url', 'required', 'must be set before an online event can be published')
  }
  return { published_at: event.published_at ?? context.now }
}

export async function unpublishEvent(context: EventChange, event: Event) {
  await requireNoRsvps(context, event, 'The event has RSVPs. Cancel it instead: the people are notified by e-mail.')
  return {}
}

export async function cancelEvent(context: EventChange, event: Event, { reason }: { reason?: string | null }) {
  await notifyOfCancellation(context, event, reason ?? null)
  return { canceled_at: context.now, cancel_reason: reason ?? null }
}

/** Deletes the comments of a draft that is deleted. An event with RSVPs cannot be deleted. */
export async function removeEventParts(context: EventChange, event: Event): Promise<undefined> {
  await requireNoRsvps(context, event, 'The event has RSVPs, so it cannot be deleted.')
  const { writer } = context
  const comments = await writer
    .deleteFrom('comment')
    .where('subject_type', '=', 'event')
    .where('subject_id', '=', event.id)
    .returning(['id', 'version'])
    .execute()
  await recordChanges(writer, { type: 'comment', action: 'deleted' }, comments)
}

/**
 * Gives free seats to people on the waitlist and e-mails them. In an event with a price, the seat is held until they pay. Returns the number
 * of people who moved up.
 */
export async function fillSeats(context: Omit<SeatChange, 'now'>, event: EventDetails): Promise<number> {
  const { seated, offered, until } = await promoteWaiting(context.writer, { schoolId: context.school.id, eventId: event.id })
  await notifyOfSeats(context, event, seated)
  if (until !== null) await notifyOfOffers(context, event, { personIds: offered, until })
  return seated.length + offered.length
}

async function requireNoRsvps({ writer }: EventChange, { id, status, going_count }: Event, description: string): Promise<void> {
  // A checkout holds a seat without an RSVP.
  const row = going_count > 0 || (await writer.selectFrom('rsvp').select('id').where('event_id', '=', id).executeTakeFirst())
  if (!row) return
  throw new Problem('invalid_state', {
    description,
    details: [{ field: 'status', code: 'invalid_state', message: description, meta: { status } }],
  })
}
