import type { Context } from 'koa'
import type { Configuration, ErrorOut, KoaContextWithOIDC } from 'oidc-provider'
import { type Problem, problems } from '../base/problem.ts'
import { isOutage } from '../base/process/outage.ts'
import type { School } from '../base/school.ts'
import { looksLikeDocumentUrl } from '../identity/clients/clientDocument.ts'
import { disabledClientText } from '../identity/oidc/disabledClients.ts'
import { endpoints } from '../identity/oidc/endpoints.ts'
import type { ShowFormPost } from '../identity/oidc/formPost.ts'
import type { ManualCode } from '../identity/oidc/manualCodeUri.ts'
import { destinationOf } from './destination.ts'
import { type PageError, showErrorPage } from './errorPage.ts'
import { formPostPage } from './formPostPage.ts'
import { forgetAccountLocale, type LanguageState } from './language.ts'
import { manualCodePage } from './manualCodePage.ts'
import { type FindPageContext, linkLanguageOf, type PageContext } from './pageContext.ts'
import { isSessionNotFound } from './pageErrors.ts'
import { setPageHeaders } from './pageHeaders.ts'
import type { PageErrorKind } from './pageProblem.ts'
import { signedOutPage, signOutPage } from './signOutPages.ts'
import { createViews } from './templates.ts'

export interface EnginePages {
  renderErrorPage(ctx: Context, error: PageError): Promise<void>
  /** Shows why a request was rejected before the engine received it. */
  showProblem(ctx: Context, problem: Problem, kind?: PageErrorKind): Promise<void>
  /** Shows the manual code, which a person copies into an app on another machine. */
  showManualCode(ctx: Context, manualCode: ManualCode): Promise<void>
  /** Posts the authorization response to the app, which listens at an https address. */
  showFormPost: ShowFormPost
  renderLogoutPage(ctx: Context, form: string): Promise<void>
  renderLogoutSuccessPage(ctx: Context): Promise<void>
  renderError: NonNullable<Configuration['renderError']>
  logoutSource(ctx: KoaContextWithOIDC, form: string): Promise<void>
  postLogoutSuccessSource(ctx: KoaContextWithOIDC): Promise<void>
}

export interface EnginePagesArguments {
  pageContext: FindPageContext
  /** Returns when a clean-up removed the client with this id and redirect URI; undefined if that is unknown. */
  findRemovedClient(school: School, client: { clientId: string; redirectUri: string }): Promise<Date | undefined>
  isDisabledClient(school: School, clientId: string): Promise<boolean>
}

export function createEnginePages({ pageContext, findRemovedClient, isDisabledClient }: EnginePagesArguments): EnginePages {
  const views = createViews()

  const pageContextOf = (ctx: Context): Promise<PageContext> => {
    // Both requests have the parameter: OpenID Connect Core section 3.1.2.1, RP-Initiated Logout section 2.
    Object.assign(ctx.state, { uiLocales: (ctx as Partial<KoaContextWithOIDC>).oidc?.params?.ui_locales } satisfies LanguageState)
    return pageContext(ctx)
  }

  const renderErrorPage: EnginePages['renderErrorPage'] = async (ctx, error) => showErrorPage(ctx, views, await pageContextOf(ctx), error)

  const showManualCode: EnginePages['showManualCode'] = async (ctx, manualCode) => {
    const html = views.render('manual-code', manualCodePage(views, await pageContextOf(ctx), manualCode))
    setPageHeaders(ctx, { scripts: [views.script] })
    ctx.status = 200
    ctx.type = 'html'
    ctx.body = html
  }

  const showFormPost: EnginePages['showFormPost'] = async (ctx, redirectUri, response) => {
    const html = views.render('form-post', formPostPage(views, await pageContextOf(ctx), { redirectUri, response }))
    setPageHeaders(ctx, { scripts: [views.script], formTargets: [destinationOf(redirectUri).source] })
    // With no-referrer, the app would see a form of the origin null.
    ctx.set('Referrer-Policy', 'strict-origin')
    ctx.status = 200
    ctx.type = 'html'
    ctx.body = html
  }

  const renderLogoutPage: EnginePages['renderLogoutPage'] = async (ctx, form) => {
    const page = await pageContextOf(ctx)
    const html = views.render('sign-out', signOutPage(views, page, { form, linkLanguage: linkLanguageOf(ctx, page) }))
    const after = (ctx as Partial<KoaContextWithOIDC>).oidc?.params?.post_logout_redirect_uri
    setPageHeaders(ctx, { formTargets: [destinationOf(after).source] })
    ctx.type = 'html'
    ctx.body = html
  }

  const renderLogoutSuccessPage: EnginePages['renderLogoutSuccessPage'] = async (ctx) => {
    const html = views.render('signed-out', signedOutPage(views, await pageContextOf(ctx)))
    forgetAccountLocale(ctx)
    setPageHeaders(ctx)
    ctx.type = 'html'
    ctx.body = html
  }

  return {
    renderErrorPage,
    async showProblem(ctx, { status, code, description, headers }, kind) {
      ctx.set(headers)
      const { client_id: clientId } = ctx.query
      const isDocument = typeof clientId === 'string' && looksLikeDocumentUrl(clientId)
      await renderErrorPage(ctx, {
        // Status 401 requires a challenge, and no challenge is useful on a page.
        status: status === 401 ? 400 : status,
        error: code,
        errorDescription: description,
        requestId: ctx.state.requestId,
        kind: isDocument && (code === 'invalid_client' || code === 'invalid_redirect_uri') ? 'refused_document' : kind,
      })
    },
    showManualCode,
    showFormPost,
    renderLogoutPage,
    renderLogoutSuccessPage,
    async renderError(ctx, out, error) {
      const page = enginePageError(ctx, out, error)
      const cause = out.error === 'invalid_client' ? await lostClient(ctx, { findRemovedClient, isDisabledClient }) : {}
      await renderErrorPage(ctx, { ...page, ...cause })
    },
    logoutSource: renderLogoutPage,
    postLogoutSuccessSource: renderLogoutSuccessPage,
  }
}

/** The engine only reports "client is invalid". Returns the cause and the solution. */
async function lostClient(
  ctx: KoaContextWithOIDC,
  { findRemovedClient: find, isDisabledClient }: Omit<EnginePagesArguments, 'pageContext'>,
): Promise<Pick<PageError, 'kind' | 'errorDescription'>> {
  const { school } = ctx.state
  // The resume address has no query: the parameters are in the stored request.
  const { client_id: clientId, redirect_uri: redirectUri } = { ...ctx.query, ...definedIn(ctx.oidc?.params) }
  if (typeof clientId === 'string' && looksLikeDocumentUrl(clientId)) {
    const errorDescription = `client_id is a URL, and this school does not accept client ID metadata documents: client_id_metadata_document_supported is false. Register instead: POST ${school.issuer}${endpoints.registration.path}`
    return { kind: 'document_app', errorDescription }
  }
  const isWhole = typeof clientId === 'string' && typeof redirectUri === 'string'
  if (typeof clientId === 'string' && (await isDisabledClient(school, clientId).catch(() => false)))
    return { kind: 'disabled_app', errorDescription: disabledClientText(school.issuer) }
  // The error page must not fail: if the store is unavailable, the client is reported as unknown.
  const removedAt = isWhole ? await find(school, { clientId, redirectUri }).catch(() => undefined) : undefined
  const wayOut = `Discard the stored client_id and register again: POST ${school.issuer}${endpoints.registration.path}`
  return removedAt
    ? {
        kind: 'expired_app',
        errorDescription: `This client's registration expired and was removed on ${removedAt.toISOString().slice(0, 10)}. ${wayOut}`,
      }
    : { kind: 'unknown_app', errorDescription: `No client with this client_id is registered here. ${wayOut}` }
}

const definedIn = (params: object | undefined): Record<string, unknown> =>
  Object.fromEntries(Object.entries(params ?? {}).filter(([, value]) => value !== undefined))

function enginePageError(ctx: KoaContextWithOIDC, out: ErrorOut, error: Error): PageError {
  if (out.error === 'temporarily_unavailable' || isOutage(error)) {
    const { status, description } = problems.temporarily_unavailable
    const { requestId } = ctx.state
    return { status, error: 'temporarily_unavailable', errorDescription: description, requestId, kind: 'unavailable' }
  }
  return {
    status: ctx.status,
    error: out.error,
    errorDescription: out.error_description,
    requestId: ctx.state.requestId,
    kind: isSessionNotFound(error) ? 'interaction_expired' : undefined,
  }
}
