import type { PersonCaller } from '../../policy/caller.ts'
import type { Reader, Writer } from '../../store/database.ts'
import type { PageContent } from './pageContent.ts'

const maxRevisions = 50

export type RevisionEvent = 'created' | 'updated' | 'discarded' | 'restored'

/** The transaction in which a page changes. */
export interface PageContext {
  writer: Writer
  school: { id: string }
  caller: PersonCaller
  now: Date
}

/** Stores a revision of a page and deletes all but the last fifty. The page must be locked. */
export async function addRevision(
  { writer, school, caller, now }: PageContext,
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
    .where('number', '<=', number - maxRevisions)
    .execute()
}

/** Lists the revisions of a page without their content, newest first. */
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
    .limit(maxRevisions)
    .execute()
}

/** Returns the content of a revision; undefined if the page has no revision with this number. */
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
    .$narrowType<{ content: PageContent }>()
    .executeTakeFirst()
  return row?.content
}
