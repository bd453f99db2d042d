import type { Context } from 'koa'
import { errors, type Provider } from 'oidc-provider'

/** The engine's name of the response mode `form_post`: its handler shows a page of the school, not the engine's. */
const postedForm = 'posted_form'

/** A response that the browser posts to the app. */
export interface PostedResponse {
  redirectUri: string
  response: Readonly<Record<string, unknown>>
}

export type ShowFormPost = (ctx: Context, redirectUri: string, response: Readonly<Record<string, unknown>>) => Promise<void>

/** Requests the page of the school for `response_mode=form_post` (OAuth 2.0 Form Post Response Mode). */
export function rewriteFormPost(query: URLSearchParams): void {
  if (query.get('response_mode') === 'form_post') query.set('response_mode', postedForm)
}

export function addFormPost(provider: Provider, showFormPost: ShowFormPost): void {
  provider.registerResponseMode(postedForm, (ctx, redirectUri, response) => {
    ctx.state.posted = { redirectUri, response } satisfies PostedResponse
    return showFormPost(ctx, redirectUri, response)
  })
}

export const postedIn = ({ state }: Context): PostedResponse | undefined => state.posted

/**
 * Checks the response mode of an authorization request. A form is posted to https only: browsers warn of a form that leads from https to
 * http, and an app that listens on the person's computer reads the query.
 */
export function checkResponseMode(mode: unknown, redirectUri: unknown): void {
  if (mode === undefined || mode === 'query') return
  if (mode === postedForm) {
    if (String(redirectUri).startsWith('https:')) return
    throw new errors.UnsupportedResponseMode('response_mode form_post is for https redirect URIs: leave it out or send query')
  }
  throw new errors.UnsupportedResponseMode('response_mode is not supported: leave it out, or send query or form_post')
}
