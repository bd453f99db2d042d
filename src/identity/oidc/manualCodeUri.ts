import type { Context } from 'koa'
import type { KoaContextWithOIDC } from 'oidc-provider'

/** A response that the person copies into the app on another machine instead of being redirected. */
export interface ManualCode {
  /** The redirect URI with code or error, to which the browser would have been redirected. */
  address: URL
  seconds: number
}

export const isManualCode = (ctx: Partial<KoaContextWithOIDC>): boolean => ctx.oidc?.entities.Interaction?.result?.hand_over === true

/** Removes the redirect from the response if the person chose a manual code, and returns it; undefined if the browser follows it. */
export function takeManualCodeUri(ctx: Context): ManualCode | undefined {
  const manualCode = manualCodeIn(ctx)
  if (manualCode) ctx.remove('Location')
  return manualCode
}

/** Returns the redirect of the response if the person chose a manual code; undefined if the browser follows it. */
export function manualCodeIn(ctx: Context): ManualCode | undefined {
  const engine = ctx as unknown as Partial<KoaContextWithOIDC>
  if (ctx.status !== 303 || !isManualCode(engine)) return undefined
  const [address, app] = [ctx.response.get('Location'), String(engine.oidc?.params?.redirect_uri)].map((text) => URL.parse(text))
  // Other redirects, such as to another prompt, are followed.
  if (!address || address.origin !== app?.origin || address.pathname !== app.pathname) return undefined
  return { address, seconds: engine.oidc?.entities.AuthorizationCode?.remainingTTL ?? 0 }
}
