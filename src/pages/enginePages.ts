import type { Context } from 'koa'
import type { Configuration, ErrorOut, KoaContextWithOIDC } from 'oidc-provider'
import type { School } from '../policy/school.ts'
import { destinationOf } from './destination.ts'
import { type PageError, showErrorPage } from './errorPage.ts'
import { isSessionNotFound } from './pageErrors.ts'
import { setPageHeaders } from './pageHeaders.ts'
import { signedOutPage, signOutPage } from './signOutPages.ts'
import { createViews } from './views.ts'

/** The pages that the engine itself asks for. */
export interface EnginePages {
  renderErrorPage(ctx: Context, error: PageError): Promise<void>
  renderLogoutPage(ctx: Context, form: string): Promise<void>
  renderLogoutSuccessPage(ctx: Context): Promise<void>
  /** The engine's `renderError`. */
  renderError: NonNullable<Configuration['renderError']>
  /** The engine's `features.rpInitiatedLogout.logoutSource`. */
  logoutSource(ctx: KoaContextWithOIDC, form: string): Promise<void>
  /** The engine's `features.rpInitiatedLogout.postLogoutSuccessSource`. */
  postLogoutSuccessSource(ctx: KoaContextWithOIDC): Promise<void>
}

/** Makes the engine's pages. They are shown also where the school's name cannot be read. */
export function createEnginePages({ schoolName }: { schoolName(school: School): Promise<string> }): EnginePages {
  const views = createViews()
  const nameOf = nameOfSchool(schoolName)

  const renderErrorPage: EnginePages['renderErrorPage'] = async (ctx, error) => showErrorPage(ctx, views, await nameOf(ctx), error)

  const renderLogoutPage: EnginePages['renderLogoutPage'] = async (ctx, form) => {
    const html = views.render('sign-out', signOutPage(views, await nameOf(ctx), form))
    const after = (ctx as Partial<KoaContextWithOIDC>).oidc?.params?.post_logout_redirect_uri
    setPageHeaders(ctx, [destinationOf(after).source])
    ctx.type = 'html'
    ctx.body = html
  }

  const renderLogoutSuccessPage: EnginePages['renderLogoutSuccessPage'] = async (ctx) => {
    const html = views.render('signed-out', signedOutPage(views, await nameOf(ctx)))
    setPageHeaders(ctx)
    ctx.type = 'html'
    ctx.body = html
  }

  return {
    renderErrorPage,
    renderLogoutPage,
    renderLogoutSuccessPage,
    renderError: (ctx, out, error) => renderErrorPage(ctx, enginePageError(ctx, out, error)),
    logoutSource: renderLogoutPage,
    postLogoutSuccessSource: renderLogoutSuccessPage,
  }
}

function enginePageError(ctx: KoaContextWithOIDC, out: ErrorOut, error: Error): PageError {
  return {
    status: ctx.status,
    error: out.error,
    errorDescription: out.error_description,
    requestId: ctx.state.requestId,
    kind: isSessionNotFound(error) ? 'interaction_expired' : undefined,
  }
}

/** The school's name, or its slug where the name cannot be read now: a failure page must not fail. */
export function nameOfSchool(schoolName: (school: School) => Promise<string>): (ctx: Context) => Promise<string> {
  return async (ctx) => {
    const { school } = ctx.state as { school?: School }
    if (!school) return 'Schoolgate'
    return schoolName(school).catch(() => school.slug)
  }
}
