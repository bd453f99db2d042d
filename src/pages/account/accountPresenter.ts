import type { Context } from 'koa'
import { withQuery } from '../../base/text/withQuery.ts'
import type { Csrf } from '../csrf.ts'
import type { FormPage } from '../formPage.ts'
import { type Frame, frame } from '../frame.ts'
import { requireToken } from '../ownForm.ts'
import type { FindPageContext } from '../pageContext.ts'
import { setPageHeaders } from '../pageHeaders.ts'
import type { ViewName, ViewPages, Views } from '../templates.ts'
import type { AccountMessagePage } from './messagePage.ts'

type Content<Page> = Omit<Page, keyof Frame>

/** The content of a form page, as a handler provides it. */
export type FormContent = Omit<
  Content<FormPage>,
  'csrf' | 'error' | 'hidden' | 'boxes' | 'links' | 'cancel' | 'back' | 'passkey' | 'setup'
> &
  Partial<Pick<FormPage, 'error' | 'hidden' | 'boxes' | 'links' | 'passkey'>> & {
    title: string
    /** Subject of the form's CSRF token. */
    subject: string
  }

/** Shows the account pages with their headers and the school's branding. */
export interface AccountPresenter {
  csrf: Csrf
  views: Pick<Views, 'passkeyScript' | 'script'>
  /** The texts and the branding of the page. */
  pageContext: FindPageContext
  form(ctx: Context, content: FormContent): Promise<void>
  message(ctx: Context, content: Content<AccountMessagePage> & { title: string; again?: string }): Promise<void>
  /**
   * Rejects a form with a file, whose token is not in `submittedForm`.
   * @throws Problem access_denied
   */
  requireToken(ctx: Context, subject: string, token: string | undefined): void
  /** Shows a page. `again` is the path at which GET shows the page that POST responded with. */
  show<Name extends ViewName>(ctx: Context, view: Name, page: Content<ViewPages[Name]> & { title: string; again?: string }): Promise<void>
}

export function createAccountPresenter({
  views,
  csrf,
  pageContext,
}: {
  views: Views
  csrf: Csrf
  pageContext: FindPageContext
}): AccountPresenter {
  const show: AccountPresenter['show'] = async (ctx, view, { title, again, ...content }) => {
    const page = { ...content, ...frame(views, await pageContext(ctx, again), title) } as ViewPages[typeof view]
    if (view === 'account') page.stylesheets = [...page.stylesheets, views.siteStylesheet.href]
    const html = views.render(view, page)
    // Only a page with a passkey, or with something to copy, runs a script.
    const scripts = [
      ...('passkey' in content && content.passkey ? [views.passkeyScript] : []),
      ...('script' in content && content.script ? [views.script] : []),
    ]
    setPageHeaders(ctx, { scripts, hasPlayers: html.includes('<iframe '), hasMedia: /<(?:video|audio) /.test(html) })
    ctx.type = 'html'
    ctx.body = html
  }
  return {
    csrf,
    views,
    pageContext,
    show,
    requireToken: (ctx, subject, token) => requireToken(ctx, csrf, { subject, token, kind: 'foreign_account_form' }),
    form(ctx, { subject, ...content }) {
      const page = {
        error: '',
        hidden: [],
        boxes: [],
        links: [],
        cancel: undefined,
        back: undefined,
        passkey: undefined,
        setup: undefined,
        ...content,
        csrf: csrf.issue(ctx, subject),
      }
      // The hidden fields are the query parameters of the page.
      const again = withQuery(page.action, Object.fromEntries(page.hidden.map(({ name, value }) => [name, value])))
      return show(ctx, 'form', { ...page, again })
    },
    message: (ctx, content) => show(ctx, 'account-message', content),
  }
}
