import { Problem } from '../../lib/problem.ts'
import type { ExternalServices } from '../../policy/externalServices.ts'
import type { School } from '../../policy/school.ts'
import { recordChanges } from '../../store/changeLog.ts'
import type { CourseContext } from '../courses/courseWriting.ts'
import { requirePublisher } from '../lecturers/requirePublisher.ts'
import { type EventDetails, tellOfCancellation, tellOfSeats } from './eventMails.ts'
import { promoteWaiting } from './eventSeats.ts'

/** What a change of an event's state needs of its transaction. */
export interface EventChange extends CourseContext {
  school: School
  externalServices: Pick<ExternalServices, 'send'>
  enqueue(name: string, work: () => Promise<void>): void
}

interface Event extends EventDetails {
  status: string
  kind: string
  join_url: string | null
  published_at: Date | null
}

/** Announces the event. The first time is kept. */
export async function publishEvent(context: EventChange, event: Event) {
  await requirePublisher(context)
  if (event.kind === 'online' && event.join_url === null) {
    const message = 'join_url: an online event needs the address where it takes place'
    throw new Problem('not_publishable', { details: [{ field: 'join_url', code: 'required', message }] })
  }
  return { published_at: event.published_at ?? context.now }
}

/** Takes the event back, as long as nobody has answered. */
export async function unpublishEvent(context: EventChange, event: Event) {
  await requirePublisher(context)
  await requireNoAnswers(context, event, 'People have answered to this event. Cancel it instead: they are told.')
  return {}
}

/** Calls the event off, and tells those who would have come. */
export async function cancelEvent(context: EventChange, event: Event, { reason }: { reason?: string | null }) {
  if (event.status === 'canceled') return undefined
  if (event.status !== 'published') {
    throw new Problem('invalid_state', {
      description: 'Only a published event can be canceled. A draft can be removed.',
      details: [
        {
          field: 'status',
          code: 'invalid_state',
          message: 'Nobody knows of a draft.',
          meta: { status: event.status, allowed: ['published'] },
        },
      ],
    })
  }
  await tellOfCancellation(context, event, reason ?? null)
  return { status: 'canceled', canceled_at: context.now, cancel_reason: reason ?? null }
}

/** A draft to which nobody ever answered goes, with what was said of it. */
export async function removeEventParts(context: EventChange, event: Event): Promise<undefined> {
  await requireNoAnswers(context, event, 'People have answered to this event, so it stays.')
  const { writer, sql, school } = context
  const comments = await writer
    .deleteFrom('comment')
    .where('school_id', '=', school.id)
    .where('subject_type', '=', 'event')
    .where('subject_id', '=', event.id)
    .returning(['id', 'version'])
    .execute()
  await recordChanges(sql, { school_id: school.id, type: 'comment', action: 'deleted' }, comments)
}

/** Lets those in who waited, where there is room by now, and tells them. */
export async function fillSeats(context: EventChange, event: EventDetails): Promise<void> {
  const promoted = await promoteWaiting(context.sql, { schoolId: context.school.id, eventId: event.id })
  await tellOfSeats(context, event, promoted)
}

async function requireNoAnswers({ writer, school }: EventChange, { id, status }: Event, description: string): Promise<void> {
  const row = await writer.selectFrom('rsvp').select('id').where('school_id', '=', school.id).where('event_id', '=', id).executeTakeFirst()
  if (!row) return
  throw new Problem('invalid_state', {
    description,
    details: [{ field: 'status', code: 'invalid_state', message: description, meta: { status } }],
  })
}
