import { Problem } from '../../../base/problem.ts'
import { textLinesOfHtml } from '../../../base/text/sanitisedHtml.ts'
import { platformOperations } from '../../../school/intake/platformOperations.ts'
import type { platformCaller } from '../call/callPlatform.ts'
import { explained } from '../failures.ts'
import { decodeEntities, withoutScripts } from './exportValues.ts'
import type { MovedComment, MovedItem, MoveLine } from './movedSite.ts'
import type { Placed } from './moveItem.ts'

interface Comments {
  source: string
  isDryRun: boolean
  report: Awaited<ReturnType<typeof platformCaller>>
  add(line: MoveLine): void
}

/**
 * Returns a function that adds the comments on a post, oldest first. The references of the platform intake keep them from being added twice.
 * Replies have one level: a reply to a reply belongs to the same comment.
 */
export function commentMover({ source, isDryRun, report, add }: Comments) {
  const operation = platformOperations.find(({ id }) => id === 'createComment')
  if (!operation) throw new Error('there is no operation createComment')
  return async (
    { comments, title, kind, takesComments, date }: MovedItem,
    { id, isPublished }: Pick<Placed, 'id' | 'isPublished'>,
  ): Promise<void> => {
    const line = ({ name, id: own }: MovedComment, reason: string): MoveLine => {
      const [action, type] = [reason === '' ? 'create' : 'leave out', 'comment'] as const
      return { action, type, name: `${name || own} on ${title}`, reason }
    }
    const reason = kind === 'page' ? 'pages have no comments here' : isPublished ? '' : 'the post is not published'
    if (reason === '' && comments.length > 0 && !takesComments)
      add({
        action: 'leave out',
        type: 'part',
        name: title,
        reason: 'comments were closed: they are open here, because closed comments are hidden',
      })
    const inOrder = comments.toSorted(
      (one, other) => (one.date?.getTime() ?? 0) - (other.date?.getTime() ?? 0) || Number(one.id) - Number(other.id),
    )
    /** The published comment to which a reply to each comment belongs. */
    const threads = new Map<string, string>()
    for (const comment of inOrder) {
      const parent = comment.parentId === undefined ? undefined : threads.get(comment.parentId)
      if (reason !== '' || isDryRun) {
        add(line(comment, reason))
        continue
      }
      try {
        const made = await report(operation, {
          parameter: '',
          reference: `${source}:comment:${comment.id}`.slice(0, 200),
          body: {
            subject: { type: 'post', id },
            author: { email: comment.email, ...(comment.name !== '' && { name: comment.name }) },
            body: textOfComment(comment.html),
            status: comment.status,
            ...(parent !== undefined && { parent_id: parent }),
            created_at: (comment.date ?? date ?? new Date()).toISOString(),
          },
        })
        if (made.status === 'published') threads.set(comment.id, parent ?? String(made.id))
        add(line(comment, ''))
      } catch (error) {
        if (!(error instanceof Problem)) throw error
        add(line(comment, error.code === 'reference_reused' ? 'it was imported before, with another text' : explained(error).message))
      }
    }
  }
}

/** Returns the HTML of a comment as text with its lines, as people type comments here. */
const textOfComment = (html: string): string => {
  const lines = withoutScripts(html)
    .replaceAll('\r\n', '\n')
    .replace(/\n{2,}/g, '<p>')
    .replaceAll('\n', '<br>')
  return decodeEntities(textLinesOfHtml(lines))
}
