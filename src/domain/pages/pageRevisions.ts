import type { PersonCaller } from '../../policy/caller.ts'
import type { Reader, Writer } from '../../store/database.ts'
import type { PageContent } from './pageContent.ts'

const kept = 50

export type RevisionEvent = 'created' | 'updated' | 'discarded' | 'restored'

export interface CourseContext {
  writer: Writer
  school: { id: string }
  caller: PersonCaller
  now: Date
}

/** Keeps the content of a page as it is from now on, and forgets what lies more than fifty revisions back. The page is locked. */
export async function addRevision(
  { writer, school, caller, now }: CourseContext,
  pageId: string,
  { event, content }: { event: RevisionEvent; content: PageContent },
): Promise<void> {
  const last = await writer
    .selectFrom('page_revision')
    .select((revision) => revision.fn.max('number').as('number'))
    .where('school_id', '=', school.id)
    .where('page_id', '=', pageId)
    .executeTakeFirst()
  const number = (last?.number ?? 0) + 1
  await writer
    .insertInto('page_revision')
    .values({
      school_id: school.id,
      page_id: pageId,
      number,
      created_at: now,
      event,
      account_id: caller.accountId,
      content: JSON.stringify(content),
    })
    .execute()
  await writer
    .deleteFrom('page_revision')
    .where('school_id', '=', school.id)
    .where('page_id', '=', pageId)
    .where('number', '<=', number - kept)
    .execute()
}

/** The revisions of a page, the newest first, without their content. */
export async function listRevisions(database: Reader, schoolId: string, pageId: string): Promise<Record<string, unknown>[]> {
  return await database
    .selectFrom('page_revision')
    .leftJoin('account', (join) =>
      join.onRef('account.school_id', '=', 'page_revision.school_id').onRef('account.id', '=', 'page_revision.account_id'),
    )
    .select(['page_revision.number', 'page_revision.event', 'page_revision.created_at', 'account.name as author_name'])
    .select((revision) =>
      revision.fn<string>('jsonb_extract_path_text', ['page_revision.content', revision.cast(revision.val('title'), 'text')]).as('title'),
    )
    .where('page_revision.school_id', '=', schoolId)
    .where('page_revision.page_id', '=', pageId)
    .orderBy('page_revision.number', 'desc')
    .limit(kept)
    .execute()
}

/** What a page said in one of its revisions; undefined where there is none of this number. */
export async function findRevision(
  writer: Writer,
  schoolId: string,
  page: { id: string; number: number },
): Promise<PageContent | undefined> {
  const row = await writer
    .selectFrom('page_revision')
    .select('content')
    .where('school_id', '=', schoolId)
    .where('page_id', '=', page.id)
    .where('number', '=', page.number)
    .executeTakeFirst()
  return row?.content as PageContent | undefined
}
