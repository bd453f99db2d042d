import type { Context } from 'koa'
import { interactionPath } from '../oidc/endpoints.ts'
import type { School } from '../policy/school.ts'
import { type ConsentPageArguments, consentPage } from './consentPage.ts'
import type { Csrf } from './csrf.ts'
import type { OpenInteraction } from './openInteraction.ts'
import { type FindSetting, languageToCarry } from './pageContext.ts'
import { setPageHeaders } from './pageHeaders.ts'
import { type SignInPageArguments, signInPage } from './signInPage.ts'
import type { Views } from './templates.ts'

/** Shows the two pages of an interaction, each with its headers and its token. */
export interface Presenter {
  signIn(ctx: Context, open: OpenInteraction, more?: Pick<SignInPageArguments, 'error' | 'email' | 'isSwitch'>): Promise<void>
  consent(
    ctx: Context,
    open: OpenInteraction,
    more: Pick<ConsentPageArguments, 'requested' | 'allowed' | 'grantable' | 'signedIn'>,
  ): Promise<void>
}

export function createPresenter({
  views,
  csrf,
  pageContext,
  mayRegister,
}: {
  views: Views
  csrf: Csrf
  pageContext: FindSetting
  mayRegister(school: School): Promise<boolean>
}): Presenter {
  const show = (ctx: Context, { destination }: OpenInteraction, html: string): void => {
    // Each of these forms may end at the client's address.
    setPageHeaders(ctx, [destination.source])
    ctx.type = 'html'
    ctx.body = html
  }
  const settingOf = (ctx: Context, { interaction }: OpenInteraction) => pageContext(ctx, `${interactionPath}/${interaction.uid}`)
  return {
    async signIn(ctx, open, more = {}) {
      const page = await settingOf(ctx, open)
      const isOpen = await mayRegister(ctx.state.school)
      const token = csrf.issue(ctx, open.interaction.uid)
      const carriedLanguage = languageToCarry(ctx, page)
      const content = signInPage(views, { pageContext: page, open, csrf: token, mayRegister: isOpen, carriedLanguage, ...more })
      show(ctx, open, views.render('sign-in', content))
    },
    async consent(ctx, open, more) {
      const page = await settingOf(ctx, open)
      const token = csrf.issue(ctx, open.interaction.uid)
      show(ctx, open, views.render('consent', consentPage(views, { pageContext: page, open, csrf: token, ...more })))
    },
  }
}
