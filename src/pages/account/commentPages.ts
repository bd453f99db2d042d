import { accountPaths } from '../../base/accountPaths.ts'
import { viewerOnPage } from '../../base/caller.ts'
import { fromPublicId, toPublicId } from '../../base/ids.ts'
import { Problem } from '../../base/problem.ts'
import type { School } from '../../base/school.ts'
import type { CommentForm } from '../../base/sitePage.ts'
import { keysOf } from '../../base/text/keysOf.ts'
import { linkForeignPictures, lowerHeadings } from '../../base/text/sanitisedHtml.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { maxCommentLength } from '../../school/comments/addComment.ts'
import { type CommentSubject, subjects } from '../../school/comments/commentAccess.ts'
import { changeComment, deleteComment, type Writing, writeComment } from '../../school/comments/ownComments.ts'
import { htmlOf, removedMarkup } from '../../school/richText.ts'
import { knownPerson } from '../knownRows.ts'
import type { TextKey, Texts } from '../texts.ts'
import { exceeded, showTooMany } from '../tooMany.ts'
import { typedText } from '../typedText.ts'
import type { AccountSection } from './accountPage.ts'
import { type OwnPage, type OwnRequest, Refused, type RunForm } from './ownPage.ts'
import { returnTo } from './returnTo.ts'

interface Act {
  hidden: readonly string[]
  label: TextKey
  submit: TextKey
  isDanger?: boolean
  /** Returns the comment, and the name of the action; no action if it was done before. */
  run(writer: SchoolWriter, writing: Writing, sent: URLSearchParams, body: string): Promise<{ id: string; action: string | undefined }>
}

/** The actions of a person on their comments, by the address of the form. */
const acts: Readonly<Record<string, Act>> = {
  [accountPaths.comments]: {
    ...{ hidden: ['subject', 'parent', 'once'], label: 'comment.label', submit: 'comment.submit' },
    async run(writer, writing, sent, body) {
      const parent = sent.get('parent') ?? ''
      const parentId = parent === '' ? undefined : idIn(parent)
      const { id, isNew } = await writeComment(writer, writing, { key: sent.get('once') ?? '', subject: subjectIn(sent), body, parentId })
      return { id, action: isNew ? 'created' : undefined }
    },
  },
  [accountPaths.changeComment]: {
    ...{ hidden: ['comment'], label: 'comment.label', submit: 'comment.change_submit' },
    async run(writer, writing, sent, body) {
      const { id } = await changeComment(writer, writing, { id: idIn(sent.get('comment') ?? ''), body })
      return { id, action: 'changed' }
    },
  },
  [accountPaths.deleteComment]: {
    ...{ hidden: ['comment'], label: 'comment.delete', submit: 'comment.delete_submit', isDanger: true },
    async run(writer, writing, sent) {
      const id = idIn(sent.get('comment') ?? '')
      await deleteComment(writer, writing, id)
      return { id, action: 'deleted' }
    },
  },
}

const pageOf = (sent: URLSearchParams, school: School): string => returnTo(sent.get('page') ?? undefined, school) ?? accountPaths.home

/** Shows a form about a comment again, with the submitted text. The pages of posts, events and lessons have the forms. */
export const commentsPage: OwnPage<Act> = {
  path: accountPaths.comments,
  section: accountPaths.home,
  leadsTo: accountPaths.home,
  async read({ ctx }) {
    const act = acts[ctx.path]
    if (!act) throw new Error(`no form about a comment has the address ${ctx.path}`)
    return act
  },
  build({ texts, request: { ctx, school, sent }, errorOf }, { hidden, label, submit, isDanger }) {
    return {
      title: 'comment.title',
      back: { href: pageOf(sent, school), label: texts.text('comment.back') },
      sections: [
        ...(isPreview(sent) && errorOf('body') === '' ? [previewSection(texts, typedText(sent.get('body') ?? ''), school)] : []),
        {
          id: 'write',
          heading: texts.text(label),
          commentForm: {
            action: ctx.path,
            hidden: Object.fromEntries(['page', ...hidden].map((name) => [name, sent.get(name) ?? ''])),
            submit: texts.text(submit),
            ...(!isDanger && { preview: texts.text('comment.preview') }),
            field: isDanger ? undefined : fieldOf(texts, label, { text: typedText(sent.get('body') ?? ''), error: errorOf('body') }),
          },
        },
      ],
    }
  },
  forms: Object.fromEntries(Object.entries(acts).map(([address, act]) => [address, formOf(act)])),
}

function formOf(act: Act): RunForm {
  return {
    ...(!act.isDanger && { field: 'body' }),
    problems: {
      idempotency_key_reused: 'account.sent_before',
      validation_failed: 'comment.error_markup',
      invalid_state: 'comment.error_closed',
      access_denied: 'comment.error_closed',
      invalid_reference: 'comment.error_gone',
      not_found: 'comment.error_closed',
      other: 'account.error_other',
    },
    backTo: pageOf,
    async run(request) {
      const { ctx, services, school, accountId, sent, change, audit } = request
      const body = typedText(sent.get('body') ?? '')
      if (!act.isDanger) await requireFit(request, body)
      const found = await knownPerson(services, school.id, accountId)
      if (!found) throw new Problem('not_found')
      const writing = { me: viewerOnPage(found, school.id), now: new Date() }
      const { id, action } = await change((writer) => act.run(writer, writing, sent, body))
      const comment = toPublicId('cmt', id)
      if (action !== undefined) await audit('comment.written', { details: { comment, action } })
      const page = pageOf(sent, ctx.state.school)
      return action === 'deleted' ? page : `${page}#${comment}`
    },
  }
}

const isPreview = (sent: URLSearchParams): boolean => sent.has('preview')

/** Returns the comment as readers would see it, and what they would not see. */
function previewSection(texts: Texts, body: string, { issuer }: School): AccountSection {
  const removed = removedMarkup({ text: body, format: 'markdown', field: 'body', origin: issuer })
  return {
    id: 'preview',
    heading: texts.text('comment.preview'),
    html: linkForeignPictures(lowerHeadings(htmlOf(body, 'comment'), 3), issuer),
    ...(removed.length > 0 && { paragraphs: [texts.parts('comment.removed', { parts: removed.join(', ') })] }),
  }
}

/** @throws Refused for an empty or long text, for a preview, and for a person who writes too many */
async function requireFit({ ctx, services, school, accountId, sent, pageContext }: OwnRequest, body: string): Promise<void> {
  const { texts } = await pageContext()
  const refuse = (status: number, text: string) => new Refused(status, { field: 'body', text })
  if (body === '') throw refuse(422, texts.text('comment.error_empty'))
  if (body.length > maxCommentLength) throw refuse(422, texts.text('comment.error_long', { count: maxCommentLength }))
  if (isPreview(sent)) {
    htmlOf(body, 'comment', 'body')
    throw new Refused(200)
  }
  const over = await exceeded(services.limits.account.comment(school.id, accountId))
  if (over) throw refuse(429, texts.text('comment.error_many', { minutes: showTooMany(ctx, over.retryAfterSeconds) }))
}

const fieldOf = (texts: Texts, label: TextKey, { text, error }: { text: string; error: string }): CommentForm['field'] => ({
  ...{ id: 'body', label: texts.text(label), hint: texts.text('comment.hint'), text, error, maxLength: maxCommentLength },
})

/** @throws Problem not_found for a text that is not the id of a comment */
function idIn(text: string): string {
  const id = fromPublicId('cmt', text)
  if (id === undefined) throw new Problem('not_found')
  return id
}

/** @throws Problem not_found for a text that is not the id of a post, an event or a lesson */
function subjectIn(sent: URLSearchParams): CommentSubject {
  for (const type of keysOf(subjects)) {
    const id = fromPublicId(subjects[type], sent.get('subject') ?? '')
    if (id !== undefined) return { type, id }
  }
  throw new Problem('not_found')
}
