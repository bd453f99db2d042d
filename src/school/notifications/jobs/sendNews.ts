import type { School } from '../../../base/school.ts'
import type { Database, Reader, Stored, Writer } from '../../../database/connection/database.ts'
import { inSchool } from '../../../database/school/inSchool.ts'
import { now, secondsFromNow } from '../../../database/statements/expressions.ts'
import { findNews } from '../allNews.ts'
import { findRecipients } from '../countNews.ts'
import type { NewsContext } from '../news.ts'

export interface NotificationArguments extends Pick<NewsContext, 'send'> {
  schools: readonly School[]
  hasPages(school: School): boolean
  /** The most people who get an e-mail in one transaction. */
  limit: number
}

/** The news that one e-mail is about. Several rows of a group have the same place only if they are written together. */
type Due = Stored<'notification', 'school_id' | 'kind' | 'group_id' | 'after_person_id'>

interface Sent {
  /** False if nothing was due. */
  isDue: boolean
  failure?: unknown
}

/** The most rows of a group that one e-mail is about. */
const maxTogether = 500

/** News that failed waits so long, so that other news goes first. */
const secondsAfterFailure = 600

/**
 * Writes the e-mails about the news that is due, for the next people in one transaction, which also stores the place of the last person: each
 * gets one e-mail, whichever process does it and however often it is repeated. News with further people goes behind other news that is due.
 * News whose e-mails could not be written waits for some minutes.
 */
export async function sendNotifications(database: Pick<Database, 'kysely' | 'transaction'>, args: NotificationArguments): Promise<Sent> {
  const due = await findDue(database.kysely, args.schools)
  if (!due) return { isDue: false }
  try {
    await database.transaction((writer) => writeEmails(writer, due, args))
    return { isDue: true }
  } catch (failure) {
    await database.kysely
      .updateTable('notification')
      .set({ due_at: secondsFromNow(secondsAfterFailure) })
      .where('school_id', '=', due.school_id)
      .where('kind', '=', due.kind)
      .where('group_id', '=', due.group_id)
      .where('finished_at', 'is', null)
      .execute()
    return { isDue: true, failure }
  }
}

const findDue = async (reader: Reader, schools: readonly School[]): Promise<Due | undefined> =>
  schools.length === 0
    ? undefined
    : await reader
        .selectFrom('notification')
        .select(['school_id', 'kind', 'group_id', 'after_person_id'])
        .where('finished_at', 'is', null)
        .where('due_at', '<=', now)
        .where(
          'school_id',
          'in',
          schools.map(({ id }) => id),
        )
        .orderBy('due_at')
        .orderBy('subject_id')
        .limit(1)
        .executeTakeFirst()

async function writeEmails(outer: Writer, due: Due, { schools, send, hasPages, limit }: NotificationArguments): Promise<void> {
  const school = schools.find(({ id }) => id === due.school_id)
  if (!school) return
  const writer = inSchool(outer, school.id)
  const rows = await writer
    .selectFrom('notification')
    .select(['subject_id', 'occurred_at'])
    .where('kind', '=', due.kind)
    .where('group_id', '=', due.group_id)
    .where('after_person_id', 'is not distinct from', due.after_person_id)
    .where('finished_at', 'is', null)
    .orderBy('subject_id')
    .limit(maxTogether)
    .forUpdate()
    .execute()
  const [first] = rows
  // Another process was faster.
  if (!first) return
  const subjectIds = rows.map(({ subject_id }) => subject_id)
  const context = { writer, school, send, hasPages: hasPages(school) }
  const news = await findNews(due.kind, context, { subjectIds, groupId: due.group_id, occurredAt: first.occurred_at })
  if (!news) {
    await writer.deleteFrom('notification').where('kind', '=', due.kind).where('subject_id', 'in', subjectIds).execute()
    return
  }
  const people = await findRecipients(writer, news, { after: due.after_person_id, limit })
  await news.write(people.map(({ to }) => to))
  const last = people.at(-1)
  await writer
    .updateTable('notification')
    .set(people.length === limit && last ? { after_person_id: last.id, due_at: now } : { finished_at: now })
    .where('kind', '=', due.kind)
    .where('subject_id', 'in', subjectIds)
    .execute()
}
