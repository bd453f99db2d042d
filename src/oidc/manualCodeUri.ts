import type { Context } from 'koa'
import type { KoaContextWithOIDC } from 'oidc-provider'

/** An answer that the person carries to the app on another machine, instead of being redirected. */
export interface ManualCode {
  /** What the redirect would have been: the redirect URI with code or error. */
  address: URL
  /** For how long the code is good. */
  seconds: number
}

/** Whether this authorization was answered with the wish to carry the answer. */
export const isCarried = (ctx: Partial<KoaContextWithOIDC>): boolean => ctx.oidc?.entities.Interaction?.result?.hand_over === true

/** Takes the redirect of an answer that is to be carried out of the response; undefined where the browser goes on by itself. */
export function takeHandOver(ctx: Context): ManualCode | undefined {
  const engine = ctx as unknown as Partial<KoaContextWithOIDC>
  if (ctx.status !== 303 || !isCarried(engine)) return undefined
  const [address, app] = [ctx.response.get('Location'), String(engine.oidc?.params?.redirect_uri)].map((text) => URL.parse(text))
  // Anything but the way to the app, such as a new question to the person, is followed as ever.
  if (!address || address.origin !== app?.origin || address.pathname !== app.pathname) return undefined
  ctx.remove('Location')
  return { address, seconds: engine.oidc?.entities.AuthorizationCode?.remainingTTL ?? 0 }
}
