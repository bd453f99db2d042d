import { accountPaths } from '../../base/accountPaths.ts'
import { newId, toPublicId } from '../../base/ids.ts'
import type { CommentForm, SiteComment, SiteSection } from '../../base/sitePage.ts'
import { linkForeignPictures, lowerHeadings } from '../../base/text/sanitisedHtml.ts'
import type { Comment } from '../../school/apiRows.ts'
import { maxCommentLength } from '../../school/comments/addComment.ts'
import type { Commenting, WaitingComment } from '../../school/comments/mayComment.ts'
import type { Texts } from '../texts.ts'

type CommentItem = Pick<Comment, 'id' | 'parent_id' | 'status' | 'body' | 'body_html' | 'created_at' | 'edited_at'> & {
  author: Pick<Comment['author'], 'id' | 'display_name'>
}

/** Number of comments on one page, which begins with the newest ones. */
const shown = 100

/** Returns the parameters of the list of the comments that pages show. */
export const shownComments = ({ type, id }: { type: string; id: string }) => ({
  ...{ subject_type: type, subject_id: id, status: 'published', limit: String(shown) },
})

export interface CommentParts {
  /** Rows of the API, the newest first. */
  rows: readonly Comment[]
  /** Undefined on pages without forms. */
  commenting: Commenting | undefined
  /** Public id of the subject. */
  subject: string
  /** Path of the page, to which the forms lead back. */
  page: string
  issuer: string
  texts: Texts
}

/**
 * Returns the comments on a subject, each reply after its comment. A signed-in person gets forms to add comments and replies, and to change and
 * delete their own.
 */
export function commentSection(parts: CommentParts): SiteSection & { comments: readonly SiteComment[] } {
  const { rows, commenting, issuer, texts } = parts
  const { isOpen = false, personId = null, waiting = [] } = commenting ?? {}
  const own = personId === null ? undefined : toPublicId('mbr', personId)
  const all = [...rows.toReversed(), ...waiting.map((row) => waitingRow(row, { id: own ?? null, display_name: texts.text('comment.you') }))]
  const known = new Set(all.map(({ id }) => id))
  // The comment to a reply can be deleted.
  const parentOf = ({ parent_id: parent }: CommentItem): string => (parent !== null && known.has(parent) ? parent : '')
  const byParent = Map.groupBy(all, parentOf)
  const comments = (parent: string): SiteComment[] =>
    (byParent.get(parent) ?? []).map((row) => ({
      id: row.id,
      author: row.author.id === null ? texts.text('site.former_member') : row.author.display_name,
      time: row.created_at,
      date: texts.date(new Date(row.created_at)),
      // Below the heading of the section.
      html: linkForeignPictures(lowerHeadings(row.body_html ?? '', 3), issuer),
      mark: markOf(row, texts),
      replies: parent === '' ? comments(row.id) : [],
      forms: [
        ...(isOpen && own !== undefined && row.parent_id === null && row.status === 'published' ? [replyForm(row, parts)] : []),
        ...(own !== undefined && row.author.id === own ? ownForms(row, parts, isOpen) : []),
      ],
    }))
  return {
    heading: texts.text('site.comments'),
    comments: comments(''),
    commentForm:
      isOpen && own !== undefined
        ? newForm(parts, { id: 'comment', label: texts.text('comment.label'), submit: texts.text('comment.submit') })
        : undefined,
  }
}

const waitingRow = ({ id, parentId, body, html, at }: WaitingComment, author: CommentItem['author']): CommentItem => ({
  id: toPublicId('cmt', id),
  author,
  parent_id: parentId && toPublicId('cmt', parentId),
  ...{ status: 'pending', body, body_html: html, created_at: at.toISOString(), edited_at: null },
})

function markOf({ status, edited_at }: CommentItem, texts: Texts): string | undefined {
  if (status === 'pending') return texts.text('comment.waiting')
  return edited_at === null ? undefined : texts.text('comment.edited')
}

const newForm = (
  { subject, page, texts }: CommentParts,
  { id, label, submit, parent }: { id: string; label: string; submit: string; parent?: string },
): CommentForm => ({
  action: accountPaths.comments,
  hidden: { subject, page, once: newId(), ...(parent !== undefined && { parent }) },
  field: { id, label, hint: texts.text('comment.hint'), text: '', error: '', maxLength: maxCommentLength },
  submit,
  preview: texts.text('comment.preview'),
})

const replyForm = ({ id }: CommentItem, parts: CommentParts) => ({
  summary: parts.texts.text('comment.reply'),
  form: newForm(parts, {
    id: `reply-${id}`,
    label: parts.texts.text('comment.reply_label'),
    submit: parts.texts.text('comment.reply_submit'),
    parent: id,
  }),
})

const ownForms = ({ id, body }: CommentItem, { page, texts }: CommentParts, isOpen: boolean) => [
  ...(isOpen
    ? [
        {
          summary: texts.text('comment.change'),
          form: {
            action: accountPaths.changeComment,
            hidden: { comment: id, page },
            field: {
              id: `change-${id}`,
              label: texts.text('comment.label'),
              hint: texts.text('comment.hint'),
              text: body ?? '',
              error: '',
              maxLength: maxCommentLength,
            },
            submit: texts.text('comment.change_submit'),
            preview: texts.text('comment.preview'),
          },
        },
      ]
    : []),
  {
    summary: texts.text('comment.delete'),
    form: {
      action: accountPaths.deleteComment,
      hidden: { comment: id, page },
      submit: texts.text('comment.delete_submit'),
      isDanger: true as const,
    },
  },
]
