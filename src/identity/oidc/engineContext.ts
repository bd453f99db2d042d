import type { Context } from 'koa'
import type { KoaContextWithOIDC } from 'oidc-provider'

/** Returns what the engine has added to the context of a request; undefined if the engine has not handled it. */
export const engineContext = (ctx: Context): KoaContextWithOIDC['oidc'] | undefined => (ctx as Partial<KoaContextWithOIDC>).oidc
