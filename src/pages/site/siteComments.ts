import type { SubjectType } from '../../domain/comments/commentAccess.ts'
import type { SiteSection } from '../../policy/sitePage.ts'
import { commentSection, shownComments } from '../comments/commentSection.ts'
import { isHidden, type SiteSource } from './siteSource.ts'
import { type SiteContext, signInLink } from './siteType.ts'

/** Returns the comments on a post, an event or a lesson that the reader of the page may see, and how the reader can comment. */
export async function commentSections(
  source: SiteSource,
  subject: { type: SubjectType; id: string; page: string },
  { texts, issuer, viewer, commentingOn }: SiteContext,
): Promise<SiteSection[]> {
  const { id, page } = subject
  const [rows, commenting] = await Promise.all([publishedOn(source, subject), commentingOn?.(subject)])
  const section = commentSection({ rows, commenting, subject: id, page, issuer, texts })
  return [{ ...section, links: commenting?.isOpen && !viewer ? [signInLink(texts, 'comment.sign_in', page)] : [] }]
}

/** Returns the published comments, the newest first. */
async function publishedOn(source: SiteSource, subject: { type: string; id: string }): Promise<readonly unknown[]> {
  try {
    return (await source.list('comments', shownComments(subject))).rows
  } catch (error) {
    if (isHidden(error)) return []
    throw error
  }
}
