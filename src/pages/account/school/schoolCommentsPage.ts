import { accountLessonPath, accountPaths } from '../../../base/accountPaths.ts'
import { fromPublicId } from '../../../base/ids.ts'
import { Problem } from '../../../base/problem.ts'
import { keysOf } from '../../../base/text/keysOf.ts'
import { sitePath } from '../../../engine/sitePaths.ts'
import type { Comment } from '../../../school/apiRows.ts'
import { holdReasons } from '../../../school/comments/addComment.ts'
import { type Decision, moderateComment } from '../../../school/comments/moderateComment.ts'
import { plainText } from '../../plainText.ts'
import { type TextKey, type TextPart, type Texts, verbatim } from '../../texts.ts'
import type { AccountForm, AccountSection } from '../accountPage.ts'
import { hasSite } from '../ownPage.ts'
import { rowAddress } from './manage/addresses.ts'
import { schoolPage } from './schoolAdmin.ts'

type PageDecision = Exclude<Decision, 'hold'>

const notices = {
  approve: 'school.done_comment_approve',
  hide: 'school.done_comment_hide',
  spam: 'school.done_comment_spam',
  delete: 'school.done_comment_delete',
} as const satisfies Record<PageDecision, TextKey>

/** The decisions that each status offers. A comment is hidden before it can be deleted, because a deleted text cannot be brought back. */
const offered: Readonly<Record<string, readonly PageDecision[]>> = {
  pending: ['approve', 'hide', 'spam'],
  published: ['hide', 'spam'],
  hidden: ['approve', 'delete'],
}

const longestShown = 160

/** The filters with which the pages of a course and of a member lead here. */
const filters = ['course_id', 'author_id'] as const

/** The comments of the school, of which owners and admins approve the waiting ones. */
export const schoolCommentsPage = schoolPage<Record<'waiting' | 'others', readonly Comment[]>>({
  path: accountPaths.schoolComments,
  notices,
  async read({ list, ctx: { query } }) {
    const chosen = Object.fromEntries(filters.flatMap((name) => (typeof query[name] === 'string' ? [[name, query[name]]] : [])))
    const [waiting, others] = await Promise.all([
      list('waiting', 'listComments', { ...chosen, status: 'pending' }),
      list('others', 'listComments', { ...chosen, status: 'published,hidden' }),
    ])
    return { waiting, others }
  },
  build(context, { waiting, others }) {
    const { texts } = context
    const hasPages = hasSite(context)
    return {
      title: 'school.comments',
      introduction: texts.parts('school.comments_introduction', {}),
      sections: [
        listSection(texts, { id: 'waiting', none: 'school.comments_waiting_none', rows: waiting, hasPages }),
        listSection(texts, { id: 'others', none: 'school.comments_none', rows: others, hasPages }),
      ],
    }
  },
  forms: {
    '': {
      problems: { not_found: 'comment.error_gone', precondition_failed: 'school.comment_edited', other: 'school.comment_state' },
      async run({ school, person, sent, change, audit }) {
        const comment = sent.get('comment') ?? ''
        const id = fromPublicId('cmt', comment)
        const decision = keysOf(notices).find((one) => one === sent.get('decision'))
        if (id === undefined || decision === undefined) throw new Problem('not_found')
        const seen = { edit: sent.get('edited') || null }
        const moderation = { schoolId: school.id, now: new Date(), id, decision, by: person.who.name, reason: null, seen }
        await change((writer) => moderateComment(writer, moderation))
        await audit('comment.moderated', { details: { comment, decision } })
        return decision
      },
    },
  },
})

/** A comment, and what each decision about it does. */
export const schoolCommentPage = schoolPage<Comment>({
  path: rowAddress('comments', ':comment'),
  section: accountPaths.schoolComments,
  read: async ({ perform, params }) => (await perform('getComment', { id: params.comment })).body,
  build(context, row) {
    const { texts } = context
    const subject = subjectCell(texts, row, hasSite(context))
    const date = verbatim(texts, texts.moment(new Date(row.created_at)))
    const answers = row.status === 'published' && row.depth === 0 && 'href' in subject
    return {
      title: { text: texts.text('school.comment_by', { author: authorOf(texts, row) }) },
      back: { href: accountPaths.schoolComments, label: texts.text('school.comments') },
      sections: [
        {
          id: 'text',
          heading: texts.text('school.comment_text'),
          html: row.body_html ?? '',
          facts: [
            { label: texts.text('school.comment_subject'), value: 'href' in subject ? verbatim(texts, subject.label) : subject },
            { label: texts.text('school.comment_date'), value: date },
            { label: texts.text('school.status_label'), value: statusCell(texts, row) },
          ],
          links: answers ? [{ href: `${subject.href}#${row.id}`, label: texts.text('school.comment_answer') }] : [],
        },
        ...(offered[row.status] ?? []).map((decision) => ({
          id: decision,
          heading: texts.text(`school.comment_${decision}`),
          paragraphs: [
            texts.parts(`school.comment_effect_${decision}`, {}),
            ...(decision !== 'approve' && row.replies_count > 0 ? [texts.countedParts('school.comment_replies', row.replies_count)] : []),
          ],
          forms: [formOf(texts, row, decision)],
        })),
      ],
    }
  },
})

interface Listed {
  id: 'waiting' | 'others'
  none: TextKey
  rows: readonly Comment[]
  hasPages: boolean
}

function listSection(texts: Texts, { id, none, rows, hasPages }: Listed): AccountSection {
  const keys = [
    'school.comment_text',
    'school.comment_author',
    'school.comment_subject',
    'school.comment_date',
    'school.status_label',
  ] as const
  return {
    id,
    heading: texts.text(`school.comments_${id}`),
    paragraphs: rows.length === 0 ? [texts.parts(none, {})] : [],
    ...(rows.length > 0 && {
      table: {
        caption: texts.text(`school.comments_${id}`),
        head: keys.map((key) => texts.text(key)),
        rows: rows.map((row) => ({
          cells: [
            { href: rowAddress('comments', row.id), label: shortened(plainText(row.body ?? '', 5000)) },
            verbatim(texts, authorOf(texts, row)),
            subjectCell(texts, row, hasPages),
            verbatim(texts, texts.moment(new Date(row.created_at))),
            statusCell(texts, row),
          ],
          ...(row.status === 'pending' && { forms: [formOf(texts, row, 'approve')] }),
        })),
      },
    }),
  }
}

const shortened = (text: string): string => (text.length > longestShown ? `${text.slice(0, longestShown)}…` : text)

const authorOf = (texts: Texts, { author }: Comment): string =>
  author.id === null ? texts.text('site.former_member') : plainText(author.display_name, 120)

const kinds = { post: 'posts', event: 'events' } as const

function subjectCell(texts: Texts, { subject, course_id: course }: Comment, hasPages: boolean) {
  const label = plainText(subject.title ?? '–', 200)
  const href =
    subject.type === 'lesson'
      ? course === null
        ? undefined
        : accountLessonPath(course, subject.id)
      : hasPages
        ? sitePath(kinds[subject.type], subject.id)
        : undefined
  return href === undefined ? verbatim(texts, label) : { href, label }
}

const reasonTexts = {
  all: 'school.reason_all',
  first: 'school.reason_first',
  links: 'school.reason_links',
  words: 'school.reason_words',
} as const

/** Returns the status, with its reason. The reasons of the service are in the language of the page. */
function statusCell(texts: Texts, { status, moderation }: Comment): TextPart[] {
  const name = texts.text(
    status === 'published' ? 'school.comment_published' : status === 'hidden' ? 'school.comment_hidden' : 'school.comment_pending',
  )
  const reason = status === 'published' ? null : (moderation?.reason ?? null)
  if (reason === null) return verbatim(texts, name)
  const rule = keysOf(holdReasons).find((one) => holdReasons[one] === reason)
  return texts.parts('school.comment_reason', { status: name, reason: rule ? texts.text(reasonTexts[rule]) : plainText(reason, 500) })
}

const formOf = (texts: Texts, { id, edited_at: edited }: Comment, decision: PageDecision): AccountForm => ({
  action: accountPaths.schoolComments,
  hidden: [
    { name: 'comment', value: id },
    { name: 'decision', value: decision },
    { name: 'edited', value: edited ?? '' },
  ],
  submit: texts.text(`school.comment_${decision}`),
  ...(decision === 'approve' && { kind: 'main' }),
  ...(decision === 'delete' && { kind: 'danger' }),
})
