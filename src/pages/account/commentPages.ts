import type { Context, Middleware } from 'koa'
import { accountPaths } from '../../base/accountPaths.ts'
import { viewerOnPage } from '../../base/caller.ts'
import { fromPublicId, toPublicId } from '../../base/ids.ts'
import { Problem } from '../../base/problem.ts'
import type { CommentForm } from '../../base/sitePage.ts'
import { keysOf } from '../../base/text/keysOf.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { maxCommentLength } from '../../school/comments/addComment.ts'
import { type CommentSubject, subjects } from '../../school/comments/commentAccess.ts'
import { changeComment, deleteComment, type Writing, writeComment } from '../../school/comments/ownComments.ts'
import { auditEntry } from '../auditEntry.ts'
import { submittedForm } from '../formBody.ts'
import { seeOther } from '../seeOther.ts'
import type { TextKey, Texts } from '../texts.ts'
import { exceeded, showTooMany } from '../tooMany.ts'
import { typedText } from '../typedText.ts'
import type { AccountArguments } from './accountArguments.ts'
import type { AccountPresenter } from './accountPresenter.ts'
import { explained, type OwnPages } from './ownPage.ts'
import { returnTo } from './returnTo.ts'
import type { SignedInPerson } from './signedInPerson.ts'

/** The forms with which a person writes, changes and deletes their comments, on the pages of posts, events and lessons. */
export interface CommentPages {
  write: Middleware
  change: Middleware
  remove: Middleware
}

interface Act {
  form: Pick<CommentForm, 'action' | 'isDanger'> & { submit: TextKey; label: TextKey; hidden: readonly string[] }
  /** Returns the comment, and the name of the action; no action if it was done before. */
  run(writer: SchoolWriter, writing: Writing, sent: URLSearchParams, body: string): Promise<{ id: string; action: string | undefined }>
}

const problemTexts: Readonly<Record<string, TextKey>> = {
  idempotency_key_reused: 'account.sent_before',
  validation_failed: 'comment.error_markup',
  invalid_state: 'comment.error_closed',
  access_denied: 'comment.error_closed',
  invalid_reference: 'comment.error_gone',
  not_found: 'comment.error_closed',
}

export function commentPages(args: AccountArguments, present: AccountPresenter, pages: OwnPages): CommentPages {
  /** Shows the form again, with the submitted text. */
  const again = async (
    ctx: Context,
    person: SignedInPerson,
    { form }: Act,
    { error, page }: { error: string; page: string },
  ): Promise<void> => {
    const sent = submittedForm(ctx)
    const hidden = Object.fromEntries(['page', ...form.hidden].map((name) => [name, sent.get(name) ?? '']))
    await pages.show(
      ctx,
      person,
      {
        path: accountPaths.comments,
        section: accountPaths.home,
        notices: {},
        errors: [{ ...(!form.isDanger && { field: 'body' }), text: error }],
      },
      ({ texts }) => ({
        title: 'comment.title',
        heading: texts.text('comment.title'),
        back: { href: page, label: texts.text('comment.back') },
        sections: [
          {
            id: 'write',
            heading: texts.text(form.label),
            paragraphs: [],
            commentForm: {
              action: form.action,
              hidden,
              submit: texts.text(form.submit),
              field: fieldOf(texts, form, { text: typedText(sent.get('body') ?? ''), error }),
            },
          },
        ],
      }),
    )
  }

  const take =
    (act: Act): Middleware =>
    async (ctx: Context) => {
      const { school } = ctx.state
      const sent = submittedForm(ctx)
      const page = returnTo(sent.get('page') ?? undefined, school) ?? accountPaths.home
      const person = await pages.owner(ctx, page)
      if (!person) return
      const { texts } = await present.pageContext(ctx)
      const failed = (error: string): Promise<void> => again(ctx, person, act, { error, page })
      const body = typedText(sent.get('body') ?? '')
      const unfit = act.form.isDanger ? undefined : unfitText(texts, body)
      if (unfit !== undefined) {
        ctx.status = 422
        return failed(unfit)
      }
      const over = act.form.isDanger ? undefined : await exceeded(args.limits.account.comment(school.id, person.accountId))
      if (over) return failed(texts.text('comment.error_many', { minutes: showTooMany(ctx, over.retryAfterSeconds) }))
      try {
        const found = await args.findPerson(school.id, person.accountId)
        if (!found) throw new Problem('not_found')
        const writing = { me: viewerOnPage(found, school.id), now: new Date() }
        const { id, action } = await args.databaseOf(school.id).transaction((writer) => act.run(writer, writing, sent, body))
        const comment = toPublicId('cmt', id)
        if (action !== undefined)
          await args.audit(auditEntry(ctx, 'comment.written', { account_id: person.accountId, details: { comment, action } }))
        seeOther(ctx, action === 'deleted' ? page : `${page}#${comment}`)
      } catch (error) {
        const { status, code } = explained(error)
        ctx.status = status
        await failed(texts.text(problemTexts[code] ?? 'account.error_other'))
      }
    }

  return {
    write: take({
      form: { action: accountPaths.comments, hidden: ['subject', 'parent', 'once'], label: 'comment.label', submit: 'comment.submit' },
      async run(writer, writing, sent, body) {
        const parent = sent.get('parent') ?? ''
        const parentId = parent === '' ? undefined : idIn(parent)
        const { id, isNew } = await writeComment(writer, writing, { key: sent.get('once') ?? '', subject: subjectIn(sent), body, parentId })
        return { id, action: isNew ? 'created' : undefined }
      },
    }),
    change: take({
      form: { action: accountPaths.changeComment, hidden: ['comment'], label: 'comment.label', submit: 'comment.change_submit' },
      async run(writer, writing, sent, body) {
        const { id } = await changeComment(writer, writing, { id: idIn(sent.get('comment') ?? ''), body })
        return { id, action: 'changed' }
      },
    }),
    remove: take({
      form: {
        action: accountPaths.deleteComment,
        hidden: ['comment'],
        label: 'comment.delete',
        submit: 'comment.delete_submit',
        isDanger: true,
      },
      async run(writer, writing, sent) {
        const id = idIn(sent.get('comment') ?? '')
        await deleteComment(writer, writing, id)
        return { id, action: 'deleted' }
      },
    }),
  }
}

const fieldOf = (texts: Texts, { isDanger, label }: Act['form'], { text, error }: { text: string; error: string }): CommentForm['field'] =>
  isDanger
    ? undefined
    : { id: 'body', label: texts.text(label), hint: texts.text('comment.hint'), text, error, maxLength: maxCommentLength }

function unfitText(texts: Texts, body: string): string | undefined {
  if (body === '') return texts.text('comment.error_empty')
  return body.length > maxCommentLength ? texts.text('comment.error_long', { count: maxCommentLength }) : undefined
}

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
