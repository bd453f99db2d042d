import type { School } from '../../base/school.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import type { SendMessage } from '../../database/outbox/sendMessage.ts'
import { isOfTransaction } from '../../database/statements/expressions.ts'
import { attendingStatuses } from '../events/eventEmails.ts'
import { findNews } from './allNews.ts'
import { countRecipients } from './recipients.ts'

interface Counting {
  send: SendMessage
  hasPages(school: School): boolean
}

/** Returns the number of e-mails that jobs will send about what the transaction has announced. */
export async function countNews(writer: SchoolWriter, school: School, { send, hasPages }: Counting): Promise<number> {
  const announced = await writer
    .selectFrom('notification')
    .select(['kind', 'group_id', 'subject_id', 'occurred_at'])
    .where(isOfTransaction('notification'))
    .where('finished_at', 'is', null)
    .orderBy('subject_id')
    .execute()
  const context = { writer, school, send, hasPages: hasPages(school) }
  let emails = await countMoveNotices(writer)
  for (const rows of Map.groupBy(announced, ({ kind, group_id }) => `${kind} ${group_id}`).values()) {
    const [first] = rows
    if (!first) continue
    const batch = { subjectIds: rows.map(({ subject_id }) => subject_id), groupId: first.group_id, occurredAt: first.occurred_at }
    const news = await findNews(first.kind, context, batch)
    if (news) emails += await countRecipients(writer, news)
  }
  return emails
}

/** Returns the number of people who will get an e-mail about a new time or place of an event that the transaction has changed. */
async function countMoveNotices(writer: SchoolWriter): Promise<number> {
  const { count } = await writer
    .selectFrom('event')
    .innerJoin('rsvp', 'rsvp.event_id', 'event.id')
    .innerJoin('person', 'person.id', 'rsvp.person_id')
    .select((row) => row.cast<number>(row.fn.countAll(), 'int4').as('count'))
    .where(isOfTransaction('event'))
    .where('event.move_notice_at', 'is not', null)
    .where('rsvp.status', 'in', attendingStatuses)
    .where('person.erased_at', 'is', null)
    .executeTakeFirstOrThrow()
  return count
}
