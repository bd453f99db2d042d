import type { SiteSection } from '../../base/sitePage.ts'
import type { PageOfRows } from '../../base/text/pageOfRows.ts'
import { withQuery } from '../../base/text/withQuery.ts'
import type { ApiReader, Comment } from '../../school/apiRows.ts'
import type { SubjectType } from '../../school/comments/commentAccess.ts'
import { commentSection, shownComments } from '../comments/commentSection.ts'
import { isHidden } from './siteSource.ts'
import { type SiteContext, signInLink } from './siteType.ts'

/** Returns the comments on a post, an event or a lesson that the reader of the page may see, and how the reader can comment. */
export async function commentSections(
  source: ApiReader,
  subject: { type: SubjectType; id: string; page: string; cursor: string | undefined },
  { texts, issuer, viewer, commentingOn }: SiteContext,
): Promise<SiteSection[]> {
  const { id, page } = subject
  const [{ rows, next }, commenting] = await Promise.all([publishedOn(source, subject), commentingOn?.(subject)])
  const section = commentSection({ rows, commenting, subject: id, page, issuer, texts })
  return [
    {
      ...section,
      links: [
        ...(next === null ? [] : [{ href: withQuery(page, { cursor: next }), label: texts.text('comment.older') }]),
        ...(commenting?.isOpen && !viewer ? [signInLink(texts, 'comment.sign_in', page)] : []),
      ],
    },
  ]
}

/** Returns a page of the published comments, the newest first. */
async function publishedOn(
  source: ApiReader,
  { cursor, ...subject }: { type: string; id: string; cursor: string | undefined },
): Promise<PageOfRows<Comment>> {
  try {
    return await source.list('listComments', { ...shownComments(subject), ...(cursor !== undefined && { cursor }) })
  } catch (error) {
    if (isHidden(error)) return { rows: [], next: null, previous: null }
    throw error
  }
}
