import type { KoaContextWithOIDC } from 'oidc-provider'
import { isForeignForm } from '../http/foreignForm.ts'
import { Problem } from '../lib/problem.ts'
import { dispatch, type Handler, limit } from './endpoint.ts'
import { endpoints } from './endpoints.ts'
import { canonicalise } from './form.ts'
import { takeHandOver } from './manualCodeUri.ts'

/** A waiting request stores every parameter. 6,000 characters hold all scopes, a long state, a hint and a redirect URI. */
const mostQueryCharacters = 6000

/**
 * Authorization (RFC 6749 section 3.1), with `resource` and `scope` in canonical spelling. Anybody can send it, and it is stored until
 * somebody signs in: so it is limited by address and in size before the engine sees it.
 */
export const authorize: Handler = async (ctx, args) => {
  try {
    await limit(ctx, args, 'authorize')
    requireShortQuery(ctx.querystring)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return args.showProblem(ctx, error)
  }
  const query = new URLSearchParams(ctx.querystring)
  const isCanonical = canonicalise(query)
  if (!hasTidyScope(query) || !isCanonical) ctx.querystring = query.toString()
  await dispatch(ctx, args)
}

function requireShortQuery(query: string): void {
  if (query.length <= mostQueryCharacters) return
  throw new Problem('invalid_request', {
    description: `The authorization request has ${query.length} characters and may have ${mostQueryCharacters}. Send a shorter state: keep the rest in your app.`,
  })
}

/** The way back from the pages. Who carries the answer is shown it here, once: the interaction has ended with it. */
export const resume: Handler = async (ctx, args) => {
  await dispatch(ctx, args)
  const manualCode = takeHandOver(ctx)
  if (manualCode) await args.showHandOver(ctx, manualCode)
}

/** Sign-out. Where nobody is signed in there is nothing to confirm: the engine's self-submitting form is passed over. */
export const endSession: Handler = async (ctx, args) => {
  await dispatch(ctx, args)
  const { oidc } = ctx as unknown as Partial<KoaContextWithOIDC>
  if (ctx.status !== 200 || !oidc?.session || oidc.session.accountId) return
  // The engine has checked it against the client's registered addresses, or taken it out.
  const { post_logout_redirect_uri: target, state } = oidc.params ?? {}
  const to = new URL(typeof target === 'string' ? target : `${ctx.state.school.issuer}${endpoints.end_session.path}/success`)
  if (typeof target === 'string' && typeof state === 'string') to.searchParams.set('state', state)
  ctx.body = null
  ctx.status = 303
  ctx.redirect(to.href)
}

/** The engine checks the form's token; a form that another site sent is refused whatever it holds. */
export const confirmEndSession: Handler = async (ctx, args) => {
  const { issuer } = ctx.state.school
  if (isForeignForm(ctx, issuer))
    throw new Problem('access_denied', { description: `This form was sent from another address than ${issuer}.` })
  await dispatch(ctx, args)
}

/** Clients put their scopes together by hand: leading and double spaces say nothing. True where there were none. */
function hasTidyScope(query: URLSearchParams): boolean {
  const [scope, ...more] = query.getAll('scope')
  if (scope === undefined || more.length > 0) return true
  const tidy = scope.split(' ').filter(Boolean).join(' ')
  query.set('scope', tidy)
  return tidy === scope
}
