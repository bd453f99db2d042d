import type { Context, Middleware } from 'koa'
import { accountLessonPath, accountPaths } from '../../../base/accountPaths.ts'
import { fromPublicId } from '../../../base/ids.ts'
import { Problem } from '../../../base/problem.ts'
import { keysOf } from '../../../base/text/keysOf.ts'
import { sitePath } from '../../../engine/sitePaths.ts'
import type { Comment } from '../../../school/apiRows.ts'
import { holdReasons } from '../../../school/comments/addComment.ts'
import { type Decision, moderateComment } from '../../../school/comments/moderateComment.ts'
import { auditEntry } from '../../auditEntry.ts'
import { submittedForm } from '../../formBody.ts'
import { requireOwnForm } from '../../ownForm.ts'
import { plainText } from '../../plainText.ts'
import { seeOther } from '../../seeOther.ts'
import type { TextKey, TextPart, Texts } from '../../texts.ts'
import type { AccountArguments } from '../accountArguments.ts'
import type { AccountForm, AccountSection } from '../accountPage.ts'
import type { AccountPresenter } from '../accountPresenter.ts'
import { found } from '../found.ts'
import { requestOf } from '../operationPages.ts'
import { explained, type OwnError, type OwnPages } from '../ownPage.ts'
import { formSubject } from '../signedInPerson.ts'
import { adminOrAway, type SchoolAdmin } from './schoolAdmin.ts'
import { schoolLinks } from './schoolSections.ts'

/** The page on which owners and admins approve, hide and delete comments. */
export interface SchoolCommentsPage {
  show: Middleware
  decide: Middleware
}

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

export function schoolCommentsPage(args: AccountArguments, present: AccountPresenter, pages: OwnPages): SchoolCommentsPage {
  const path = accountPaths.schoolComments
  const show = async (ctx: Context, admin: SchoolAdmin, errors: readonly OwnError[] = []): Promise<void> => {
    const { list } = requestOf(args, ctx, admin, path)
    const listed = (section: string, status: string) => found(() => list(section, 'listComments', { status }))
    const [waiting, others] = await Promise.all([listed('waiting', 'pending'), listed('others', 'published,hidden')])
    const hasPages = args.hasPages(ctx.state.school)
    await pages.show(ctx, admin, { path, section: accountPaths.school, notices, errors }, ({ texts }) => ({
      title: 'school.comments',
      heading: texts.text('school.comments'),
      siblings: schoolLinks(texts, path),
      introduction: texts.parts('school.comments_introduction', {}),
      sections: [
        listSection(texts, {
          id: 'waiting',
          heading: 'school.comments_waiting',
          none: 'school.comments_waiting_none',
          rows: waiting,
          hasPages,
        }),
        listSection(texts, {
          id: 'others',
          heading: 'school.comments_others',
          none: 'school.comments_none',
          rows: others,
          hasPages,
        }),
      ],
    }))
  }

  return {
    async show(ctx) {
      const admin = await adminOrAway(ctx, args, path)
      if (admin) await show(ctx, admin)
    },
    async decide(ctx) {
      const { school } = ctx.state
      const admin = await adminOrAway(ctx, args, path)
      if (!admin) return
      requireOwnForm(ctx, present.csrf, { subject: formSubject(admin), kind: 'foreign_account_form' })
      const sent = submittedForm(ctx)
      const comment = sent.get('comment') ?? ''
      try {
        const id = fromPublicId('cmt', comment)
        const decision = decisionIn(sent)
        if (id === undefined || decision === undefined) throw new Problem('not_found')
        const moderation = { schoolId: school.id, now: new Date(), id, decision, by: admin.who.name, reason: null }
        await args.databaseOf(school.id).transaction((writer) => moderateComment(writer, moderation))
        await args.audit(auditEntry(ctx, 'comment.moderated', { account_id: admin.accountId, details: { comment, decision } }))
        seeOther(ctx, `${path}?done=${decision}`)
      } catch (error) {
        const { status, code } = explained(error)
        ctx.status = status
        const { texts } = await present.pageContext(ctx)
        await show(ctx, admin, [{ text: texts.text(code === 'not_found' ? 'comment.error_gone' : 'school.comment_state') }])
      }
    },
  }
}

const decisionIn = (sent: URLSearchParams): PageDecision | undefined => keysOf(notices).find((one) => one === sent.get('decision'))

interface Listed {
  id: string
  heading: TextKey
  none: TextKey
  rows: readonly Comment[]
  hasPages: boolean
}

function listSection(texts: Texts, { id, heading, none, rows, hasPages }: Listed): AccountSection {
  const keys = [
    'school.comment_text',
    'school.comment_author',
    'school.comment_subject',
    'school.comment_date',
    'school.status_label',
  ] as const
  return {
    id,
    heading: texts.text(heading),
    paragraphs: rows.length === 0 ? [texts.parts(none, {})] : [],
    ...(rows.length > 0 && {
      table: {
        caption: texts.text(heading),
        head: keys.map((key) => texts.text(key)),
        rows: rows.map((row) => ({
          cells: [
            verbatim(texts, plainText(row.body ?? '', 5000)),
            verbatim(texts, row.author.id === null ? texts.text('site.former_member') : plainText(row.author.display_name, 120)),
            subjectCell(texts, row, hasPages),
            verbatim(texts, texts.moment(new Date(row.created_at))),
            statusCell(texts, row),
          ],
          forms: (offered[row.status] ?? []).map((decision) => formOf(texts, row, decision)),
        })),
      },
    }),
  }
}

const verbatim = (texts: Texts, text: string): TextPart[] => texts.parts('school.verbatim', { text })

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

const formOf = (texts: Texts, { id }: Comment, decision: PageDecision): AccountForm => ({
  action: accountPaths.schoolComments,
  hidden: [
    { name: 'comment', value: id },
    { name: 'decision', value: decision },
  ],
  submit: texts.text(`school.comment_${decision}`),
  ...(decision === 'approve' && { kind: 'main' }),
  ...(decision === 'delete' && { kind: 'danger' }),
})
