import type { Context } from 'koa'
import type { Csrf } from '../csrf.ts'
import { setPageHeaders } from '../pageHeaders.ts'
import type { Texts } from '../texts.ts'
import { type Frame, frame, type ViewName, type ViewPages, type Views } from '../views.ts'
import type { AccountFormPage } from './formPage.ts'
import type { AccountMessagePage } from './messagePage.ts'

type Content<Page> = Omit<Page, keyof Frame>

/** A form as a handler describes it. */
export type FormContent = Omit<Content<AccountFormPage>, 'csrf' | 'error' | 'hidden' | 'boxes' | 'asides'> &
  Partial<Pick<AccountFormPage, 'error' | 'hidden' | 'boxes' | 'asides'>> & {
    title: string
    /** What the form's token is about. */
    subject: string
  }

/** Shows the account pages, each with its headers and the school's name. */
export interface AccountPresenter {
  texts: Texts
  csrf: Csrf
  /** The name for a text of the page. */
  schoolName(ctx: Context): Promise<string>
  form(ctx: Context, content: FormContent): Promise<void>
  message(ctx: Context, content: Content<AccountMessagePage> & { title: string }): Promise<void>
  show<Name extends ViewName>(ctx: Context, view: Name, title: string, content: Content<ViewPages[Name]>): Promise<void>
}

export function createAccountPresenter({
  views,
  csrf,
  schoolName,
}: {
  views: Views
  csrf: Csrf
  schoolName(ctx: Context): Promise<string>
}): AccountPresenter {
  const show: AccountPresenter['show'] = async (ctx, view, title, content) => {
    const page = { ...frame(views, await schoolName(ctx), title), ...content } as ViewPages[typeof view]
    setPageHeaders(ctx)
    ctx.type = 'html'
    ctx.body = views.render(view, page)
  }
  return {
    texts: views.texts,
    csrf,
    schoolName,
    show,
    form: (ctx, { title, subject, ...content }) =>
      show(ctx, 'account-form', title, { error: '', hidden: [], boxes: [], asides: [], ...content, csrf: csrf.issue(ctx, subject) }),
    message: (ctx, { title, ...content }) => show(ctx, 'account-message', title, content),
  }
}
