import type { PersonCaller } from '../../base/caller.ts'
import type { SchoolReader, SchoolWriter } from '../../database/connection/database.ts'
import type { PageContent } from './pageContent.ts'

const maxRevisions = 50

export type RevisionEvent = 'created' | 'updated' | 'discarded' | 'restored'

export interface PageContext {
  writer: SchoolWriter
  caller: PersonCaller
  now: Date
}

/** Stores a revision of a page and deletes all but the last fifty. The page must be locked. */
export async function addRevision(
  { writer, caller, now }: PageContext,
  pageId: string,
  { event, content }: { event: RevisionEvent; content: PageContent },
): Promise<void> {
  const last = await writer
    .selectFrom('page_revision')
    .select((revision) => revision.fn.max('number').as('number'))
    .where('page_id', '=', pageId)
    .executeTakeFirst()
  const number = (last?.number ?? 0) + 1
  await writer
    .insertInto('page_revision')
    .values({
      school_id: writer.schoolId,
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
    .where('page_id', '=', pageId)
    .where('number', '<=', number - maxRevisions)
    .execute()
}

export async function listRevisions(database: SchoolReader, pageId: string): Promise<Record<string, unknown>[]> {
  return await database
    .selectFrom('page_revision')
    .leftJoin('account', 'account.id', 'page_revision.account_id')
    .select(['page_revision.number', 'page_revision.event', 'page_revision.created_at', 'account.name as author_name'])
    .select((revision) =>
      revision.fn<string>('jsonb_extract_path_text', ['page_revision.content', revision.cast(revision.val('title'), 'text')]).as('title'),
    )
    .where('page_revision.page_id', '=', pageId)
    .orderBy('page_revision.number', 'desc')
    .limit(maxRevisions)
    .execute()
}

export async function findRevision(writer: SchoolWriter, page: { id: string; number: number }): Promise<PageContent | undefined> {
  const row = await writer
    .selectFrom('page_revision')
    .select('content')
    .where('page_id', '=', page.id)
    .where('number', '=', page.number)
    .$narrowType<{ content: PageContent }>()
    .executeTakeFirst()
  return row?.content
}
