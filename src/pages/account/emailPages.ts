import type { Context } from 'koa'
import { accountPaths } from '../../base/accountPaths.ts'
import { withQuery } from '../../base/text/withQuery.ts'
import { findEmailChange, finishEmailChange } from '../../identity/accounts/emailChange.ts'
import { requestOrigin } from '../notifyPerson.ts'
import { plainText } from '../plainText.ts'
import { confirmedOrAway } from './confirmation.ts'
import { linkToken, showLinkEnded } from './linkEnded.ts'
import type { OwnPage, OwnRequest, PageAccess } from './ownPage.ts'
import { formSubject, tokenRequired } from './signedInPerson.ts'

const tokenOf = (ctx: Context): string => linkToken(ctx.state.form?.get('token') ?? ctx.query.token)

const open: PageAccess['open'] = (ctx, services) =>
  confirmedOrAway(ctx, services, withQuery(accountPaths.email, { token: tokenOf(ctx) || undefined }))

const ended = ({ ctx, services }: OwnRequest): Promise<void> =>
  showLinkEnded(ctx, services.present, { path: accountPaths.apps, label: 'account_links.account' })

/** The page that confirms a new e-mail address, for the signed-in account that requested it, with the link from the e-mail. */
export const emailPage: OwnPage<never> = {
  path: accountPaths.email,
  access: { open, own: tokenRequired(open) },
  async show(request) {
    const { ctx, services, school, person } = request
    const token = tokenOf(ctx)
    const change = await findEmailChange(request.reader, school, token)
    if (change?.accountId !== person.accountId) return await ended(request)
    const { texts } = await request.pageContext()
    await services.present.form(ctx, {
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
  forms: {
    '': {
      async run(request) {
        const { ctx, services, school, accountId, database } = request
        const { texts } = await request.pageContext()
        const link = { token: tokenOf(ctx), accountId, language: texts.language, from: requestOrigin(ctx) }
        const finished = await finishEmailChange({ ...services, database }, school, link)
        if (!finished) return void (await ended(request))
        const isChanged = finished.outcome === 'changed'
        if (isChanged) await request.audit('email.changed')
        else ctx.status = 409
        await services.present.message(ctx, {
          title: texts.text('email_change.title'),
          heading: texts.text(isChanged ? 'email_change.done_heading' : 'email_change.taken_heading'),
          paragraphs: [texts.parts(isChanged ? 'email_change.done_explanation' : 'email_change.taken_explanation', {})],
          links: [{ href: accountPaths.apps, label: texts.text('account_links.account') }],
        })
        return undefined
      },
    },
  },
}
