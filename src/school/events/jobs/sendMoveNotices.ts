import type { School } from '../../../base/school.ts'
import type { SchoolWriter, Writer } from '../../../database/connection/database.ts'
import type { SendMessage } from '../../../database/outbox/sendMessage.ts'
import { inSchool } from '../../../database/school/inSchool.ts'
import { now as databaseNow } from '../../../database/statements/expressions.ts'
import { aboutEvent, addressesOfAttendees, placeAndTimeOf } from '../eventEmails.ts'
import type { Occasion } from '../occasion.ts'

export interface NoticeArguments {
  schools: readonly School[]
  send: SendMessage
  /** The most events that one call handles. */
  limit: number
}

/**
 * E-mails the attendees of events that were moved. Each event is marked in the transaction that writes the e-mails, so an attendee gets one,
 * whichever process does it. Events that were cancelled meanwhile, or are over, have none. Returns the number of events that are done.
 */
export async function sendMoveNotices(writer: Writer, { schools, send, limit }: NoticeArguments): Promise<number> {
  const byId = new Map(schools.map((school) => [school.id, school]))
  if (byId.size === 0) return 0
  const due = await writer
    .selectFrom('event')
    .select(['school_id', 'id', 'title', 'starts_at', 'ends_at', 'time_zone', 'location', 'status', 'moved_from'])
    .where('move_notice_at', '<=', databaseNow)
    .where('school_id', 'in', [...byId.keys()])
    .orderBy('school_id')
    .orderBy('id')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .$narrowType<{ moved_from: Occasion | null }>()
    .execute()
  for (const { school_id, ...event } of due) {
    await writer
      .updateTable('event')
      .set({ moved_from: null, move_notice_at: null, move_activity_id: null })
      .where('school_id', '=', school_id)
      .where('id', '=', event.id)
      .execute()
    const school = byId.get(school_id)
    if (school && event.moved_from && event.status === 'published' && event.ends_at > new Date()) {
      await notifyOfMove({ writer: inSchool(writer, school.id), school, send }, event, event.moved_from)
    }
  }
  return due.length
}

async function notifyOfMove(
  { writer, school, send }: { writer: SchoolWriter; school: School; send: SendMessage },
  event: { id: string; time_zone: string },
  before: Occasion,
): Promise<void> {
  const values = {
    ...(await aboutEvent(writer, school, event.id, { hasSeat: true })),
    before: placeAndTimeOf({ ...before, time_zone: event.time_zone }),
  }
  await send(writer, school, await addressesOfAttendees(writer, { eventId: event.id }), 'event_moved', values)
}
