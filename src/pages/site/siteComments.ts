import type { SiteComment, SiteSection } from '../../policy/sitePage.ts'
import { commentItemRow } from '../../resources/commentRows.ts'
import { isHidden, type SiteSource } from './siteSource.ts'
import type { SiteContext } from './siteType.ts'

/** Pages show so many comments, the newest ones. */
const shown = 100

/** Returns the comments on a post, an event or a lesson that the reader of the page may see, with each reply after its comment. */
export async function commentSections(
  source: SiteSource,
  subject: { type: 'post' | 'event' | 'lesson'; id: string },
  { texts }: Pick<SiteContext, 'texts'>,
): Promise<SiteSection[]> {
  const rows = await publishedOn(source, subject)
  const known = new Set(rows.map(({ id }) => id))
  // The comment to a reply can be deleted.
  const parentOf = ({ parent_id: parent }: (typeof rows)[number]): string => (parent !== null && known.has(parent) ? parent : '')
  const byParent = Map.groupBy(rows, parentOf)
  const comments = (parent: string): SiteComment[] =>
    (byParent.get(parent) ?? []).map(({ id, author, body_html: html, created_at: time }) => ({
      author: author.id === null ? texts.text('site.former_member') : author.display_name,
      time,
      date: texts.date(new Date(time)),
      html: html ?? '',
      replies: parent === '' ? comments(id) : [],
    }))
  return [{ heading: texts.text('site.comments'), comments: comments('') }]
}

/** Returns the published comments, the oldest first. */
async function publishedOn(source: SiteSource, { type, id }: { type: string; id: string }) {
  try {
    const { rows } = await source.list('comments', { subject_type: type, subject_id: id, status: 'published', limit: String(shown) })
    return rows.map((row) => commentItemRow.parse(row)).toReversed()
  } catch (error) {
    if (isHidden(error)) return []
    throw error
  }
}
