import type { Context } from 'koa'
import type { School } from '../policy/school.ts'
import { type ConsentPageArguments, consentPage } from './consentPage.ts'
import type { Csrf } from './csrf.ts'
import type { OpenInteraction } from './openInteraction.ts'
import { setPageHeaders } from './pageHeaders.ts'
import { type SignInPageArguments, signInPage } from './signInPage.ts'
import type { Texts } from './texts.ts'
import type { Views } from './views.ts'

/** Shows the two pages of an interaction, each with its headers, its token and the school's name. */
export interface Presenter {
  texts: Texts
  signIn(ctx: Context, open: OpenInteraction, more?: Pick<SignInPageArguments, 'error' | 'email' | 'isSwitch'>): Promise<void>
  consent(ctx: Context, open: OpenInteraction, more: Pick<ConsentPageArguments, 'requested' | 'grantable' | 'signedIn'>): Promise<void>
}

export function createPresenter({
  views,
  csrf,
  schoolName,
  mayRegister,
}: {
  views: Views
  csrf: Csrf
  schoolName(school: School): Promise<string>
  mayRegister(school: School): Promise<boolean>
}): Presenter {
  const show = (ctx: Context, { destination }: OpenInteraction, html: string): void => {
    // Each of these forms may end at the client's address.
    setPageHeaders(ctx, [destination.source])
    ctx.type = 'html'
    ctx.body = html
  }
  return {
    texts: views.texts,
    async signIn(ctx, open, more = {}) {
      const name = await schoolName(ctx.state.school)
      const isOpen = await mayRegister(ctx.state.school)
      const token = csrf.issue(ctx, open.interaction.uid)
      show(ctx, open, views.render('sign-in', signInPage(views, { schoolName: name, open, csrf: token, mayRegister: isOpen, ...more })))
    },
    async consent(ctx, open, more) {
      const name = await schoolName(ctx.state.school)
      const token = csrf.issue(ctx, open.interaction.uid)
      show(ctx, open, views.render('consent', consentPage(views, { schoolName: name, open, csrf: token, ...more })))
    },
  }
}
