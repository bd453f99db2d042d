import type { Context, Middleware } from 'koa'
import { accountPaths } from '../../base/accountPaths.ts'
import { withQuery } from '../../base/text/withQuery.ts'
import { findEmailChange, finishEmailChange } from '../../identity/accounts/emailChange.ts'
import { auditEntry } from '../auditEntry.ts'
import { submittedForm } from '../formBody.ts'
import { requestOrigin } from '../notifyPerson.ts'
import { requireOwnForm } from '../ownForm.ts'
import { plainText } from '../plainText.ts'
import type { AccountArguments } from './accountArguments.ts'
import type { AccountPresenter } from './accountPresenter.ts'
import { confirmedOrAway } from './confirmation.ts'
import { linkToken, showLinkEnded } from './linkEnded.ts'
import { formSubject } from './signedInPerson.ts'

/** The pages that confirm a new e-mail address, for the signed-in account that requested it, with the link from the e-mail. */
export interface EmailPages {
  show: Middleware
  answer: Middleware
}

export function emailPages(args: AccountArguments, present: AccountPresenter): EmailPages {
  const pageOf = (token: string): string => withQuery(accountPaths.email, { token: token || undefined })
  const ended = (ctx: Context): Promise<void> => showLinkEnded(ctx, present, { path: accountPaths.apps, label: 'account_links.account' })

  return {
    async show(ctx) {
      const { school } = ctx.state
      const token = linkToken(ctx.query.token)
      const person = await confirmedOrAway(ctx, args, pageOf(token))
      if (!person) return
      const change = await findEmailChange(args.databaseOf(school.id).kysely, school, token)
      if (change?.accountId !== person.accountId) return ended(ctx)
      const { texts } = await present.pageContext(ctx)
      await present.form(ctx, {
        title: texts.text('email_change.title'),
        heading: texts.text('email_change.heading'),
        introduction: texts.parts('email_change.introduction', {
          before: plainText(person.who.email, 254),
          after: plainText(change.email, 254),
        }),
        action: accountPaths.email,
        subject: formSubject(person),
        hidden: [{ name: 'token', value: token }],
        fields: [],
        submit: texts.text('email_change.submit'),
        links: [{ href: accountPaths.apps, label: texts.text('email_change.refuse') }],
      })
    },
    async answer(ctx) {
      const { school } = ctx.state
      const form = submittedForm(ctx)
      const token = linkToken(form.get('token'))
      const person = await confirmedOrAway(ctx, args, pageOf(token))
      if (!person) return
      requireOwnForm(ctx, present.csrf, { subject: formSubject(person), kind: 'foreign_account_form' })
      const { accountId } = person
      const { texts } = await present.pageContext(ctx)
      const finished = await finishEmailChange({ ...args, database: args.databaseOf(school.id) }, school, {
        token,
        accountId,
        language: texts.language,
        from: requestOrigin(ctx),
      })
      if (!finished) return ended(ctx)
      const isChanged = finished.outcome === 'changed'
      if (isChanged) await args.audit(auditEntry(ctx, 'email.changed', { account_id: accountId }))
      else ctx.status = 409
      await present.message(ctx, {
        title: texts.text('email_change.title'),
        heading: texts.text(isChanged ? 'email_change.done_heading' : 'email_change.taken_heading'),
        paragraphs: [texts.parts(isChanged ? 'email_change.done_explanation' : 'email_change.taken_explanation', {})],
        links: [{ href: accountPaths.apps, label: texts.text('account_links.account') }],
      })
    },
  }
}
