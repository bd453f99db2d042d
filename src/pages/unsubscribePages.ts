import { Router } from '@koa/router'
import type { Context } from 'koa'
import { accountPaths } from '../base/accountPaths.ts'
import { withQuery } from '../base/text/withQuery.ts'
import { createUnsubscribeLinks, type Unsubscription, unsubscribe, unsubscribePath } from '../school/notifications/unsubscribe.ts'
import { type Frame, frame } from './frame.ts'
import { pageErrors } from './pageErrors.ts'
import { setPageHeaders } from './pageHeaders.ts'
import { pageProblem } from './pageProblem.ts'
import type { PageServices } from './pagesArguments.ts'
import { createViews } from './templates.ts'
import type { TextPart } from './texts.ts'

export interface UnsubscribePage extends Frame {
  heading: string
  introduction: TextPart[]
  action: string
  submit: string
  links: { href: string; label: string }[]
}

/**
 * The page at which the link of an e-mail turns further e-mails off. GET changes nothing, because programs that check links request it. POST
 * needs no session and no particular body: mail programs send it (RFC 8058 section 3.2), and the token proves the permission.
 */
export function createUnsubscribePages(
  { databaseOf, keyring, log, pageContext }: PageServices,
  /** @throws Problem rate_limited if the caller exceeded the limit of public pages */
  count: (ctx: Context) => Promise<void>,
): Router {
  const views = createViews()
  const links = createUnsubscribeLinks(keyring)
  const read = (ctx: Context): Unsubscription & { token: string } => {
    const { token } = ctx.query
    const found = typeof token === 'string' ? links.read(ctx.state.school.id, token) : undefined
    if (!found) throw pageProblem('wrong_unsubscribe_link', 'not_found', 'This link is incomplete, or this school did not send it.')
    return { ...found, token: String(token) }
  }

  async function ask(ctx: Context): Promise<void> {
    const { preference, token } = read(ctx)
    const page = await pageContext(ctx)
    const { texts } = page
    setPageHeaders(ctx)
    ctx.type = 'html'
    ctx.body = views.render('unsubscribe', {
      ...frame(views, page, texts.text('unsubscribe.title')),
      heading: texts.text('unsubscribe.heading'),
      introduction: texts.parts('unsubscribe.introduction', {
        school: page.schoolName,
        emails: texts.text(`notifications.${preference}`),
      }),
      action: withQuery(unsubscribePath, { token }),
      submit: texts.text('unsubscribe.submit'),
      links: [{ href: accountPaths.notifications, label: texts.text('unsubscribe.all') }],
    })
  }

  async function turnOff(ctx: Context): Promise<void> {
    const { preference, token, ...account } = read(ctx)
    await databaseOf(ctx.state.school.id).transaction((writer) => unsubscribe(writer, { ...account, preference }))
    const page = await pageContext(ctx, withQuery(unsubscribePath, { token }))
    const { texts } = page
    setPageHeaders(ctx)
    ctx.type = 'html'
    ctx.body = views.render('account-message', {
      ...frame(views, page, texts.text('unsubscribe.done_title')),
      heading: texts.text('unsubscribe.done_title'),
      paragraphs: [texts.parts('unsubscribe.done', { school: page.schoolName, emails: texts.text(`notifications.${preference}`) })],
      links: [{ href: accountPaths.notifications, label: texts.text('unsubscribe.all') }],
    })
  }

  const counted = (respond: (ctx: Context) => Promise<void>) => async (ctx: Context) => {
    await count(ctx)
    await respond(ctx)
  }
  const router = new Router()
  const errors = pageErrors({ views, log, pageContext })
  router.get(unsubscribePath, errors, counted(ask))
  router.post(unsubscribePath, errors, counted(turnOff))
  return router
}
