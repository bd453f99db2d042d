import type { School } from '../../base/school.ts'
import type { SchoolReader, SchoolWriter } from '../../database/connection/database.ts'
import type { Recipient, SendMessage } from '../../database/outbox/sendMessage.ts'
import { isOfTransaction } from '../../database/statements/expressions.ts'
import { attendingStatuses } from '../events/eventEmails.ts'
import { findNews } from './allNews.ts'
import type { News } from './news.ts'
import { isMarketing, preferenceOf } from './notificationPreferences.ts'
import { isMarketingWanted, isNotTurnedOff } from './preferenceExpressions.ts'

interface Counting {
  send: SendMessage
  hasPages(school: School): boolean
}

/** Returns the number of e-mails that jobs will send about what the transaction has announced, and when the first ones are due. */
export async function countNews(
  writer: SchoolWriter,
  school: School,
  { send, hasPages }: Counting,
): Promise<{ emails: number; at: Date | null }> {
  const announced = await writer
    .selectFrom('notification')
    .select(['kind', 'group_id', 'subject_id', 'occurred_at', 'due_at'])
    .where(isOfTransaction('notification'))
    .where('finished_at', 'is', null)
    .orderBy('subject_id')
    .execute()
  const context = { writer, school, send, hasPages: hasPages(school) }
  const moves = await countMoveNotices(writer)
  let { emails } = moves
  const times = [moves.at]
  for (const rows of Map.groupBy(announced, ({ kind, group_id }) => `${kind} ${group_id}`).values()) {
    const [first] = rows
    if (!first) continue
    const batch = { subjectIds: rows.map(({ subject_id }) => subject_id), groupId: first.group_id, occurredAt: first.occurred_at }
    const news = await findNews(first.kind, context, batch)
    const recipients = news ? await countRecipients(writer, news) : 0
    emails += recipients
    if (recipients > 0) times.push(first.due_at)
  }
  const due = times.filter((time) => time !== null).map(Number)
  return { emails, at: due.length > 0 ? new Date(Math.min(...due)) : null }
}

/** Returns the number of people who will get an e-mail about a new time or place of an event that the transaction has changed. */
async function countMoveNotices(writer: SchoolWriter): Promise<{ emails: number; at: Date | null }> {
  return await writer
    .selectFrom('event')
    .innerJoin('rsvp', 'rsvp.event_id', 'event.id')
    .innerJoin('person', 'person.id', 'rsvp.person_id')
    .select((row) => [row.cast<number>(row.fn.countAll(), 'int4').as('emails'), row.fn.min<Date | null>('event.move_notice_at').as('at')])
    .where(isOfTransaction('event'))
    .where('event.move_notice_at', 'is not', null)
    .where('rsvp.status', 'in', attendingStatuses)
    .where('person.erased_at', 'is', null)
    .executeTakeFirstOrThrow()
}

interface Page {
  after: string | null
  limit: number
}

type Concerned = Pick<News, 'email' | 'isFor'>

/**
 * Selects the people whom news concerns. E-mails that can be turned off are for people with an account who want them and are not blocked, and
 * marketing is for those who agreed to it.
 */
function selectRecipients(database: SchoolReader, { email, isFor }: Concerned) {
  const preference = preferenceOf(email)
  return database
    .selectFrom('person')
    .leftJoin('account', (join) => join.onRef('account.id', '=', 'person.account_id').on('account.disabled_at', 'is', null))
    .where('person.erased_at', 'is', null)
    .$if(preference !== undefined, (query) =>
      query
        .where('account.id', 'is not', null)
        .where('person.member_status', 'not in', ['blocked', 'erased'])
        .where((row) => isNotTurnedOff(row.ref('account.preferences'), preference ?? '')),
    )
    .$if(preference !== undefined && isMarketing(preference), (query) =>
      query.where((row) => isMarketingWanted(row.ref('account.preferences'), row.ref('person.marketing_consent'), preference ?? '')),
    )
    .where(isFor)
}

/** Returns the number of people whom news concerns. */
async function countRecipients(database: SchoolReader, news: Concerned): Promise<number> {
  const { count } = await selectRecipients(database, news)
    .select((row) => row.cast<number>(row.fn.countAll(), 'int4').as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** Returns the next people whom news concerns, in the order of their ids. */
export async function findRecipients(
  database: SchoolReader,
  news: Concerned,
  { after, limit }: Page,
): Promise<{ id: string; to: Recipient }[]> {
  const rows = await selectRecipients(database, news)
    .select((row) => ['person.id', row.fn.coalesce('account.email', 'person.email').as('email'), 'account.id as account_id'])
    .select(['person.locale as person_locale', 'account.locale as account_locale'])
    .$if(after !== null, (query) => query.where('person.id', '>', after ?? ''))
    .orderBy('person.id')
    .limit(limit)
    .execute()
  return rows.map(({ id, email: address, account_id, person_locale, account_locale }) => ({
    id,
    to: { email: address, locales: [account_locale, person_locale], accountId: account_id },
  }))
}
