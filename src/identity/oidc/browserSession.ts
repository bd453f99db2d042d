import type { Context } from 'koa'
import type Provider from 'oidc-provider'
import { accountIdOf, subjectOf } from './claims.ts'
import { sessionCookie } from './cookies.ts'

/** The engine's session of a browser. The caller has to check that the account still accepts it. */
export interface BrowserSession {
  /** Id of this session. It is not a secret: cookies contain another value. */
  uid: string
  accountId: string
  /** `auth_time`, in seconds since 1970. */
  signedInAt: number | undefined
  /** Authentication methods of the sign-in (RFC 8176). */
  amr: readonly string[]
  /** True if the person wants to stay signed in after the browser is closed. */
  isRemembered: boolean
}

export async function readBrowserSession(ctx: Context, provider: Provider): Promise<BrowserSession | undefined> {
  const { uid, accountId: subject, loginTs, amr = [], transient } = await provider.Session.get(ctx)
  const accountId = subject === undefined ? undefined : accountIdOf(subject)
  return accountId === undefined ? undefined : { uid, accountId, signedInAt: loginTs, amr, isRemembered: transient !== true }
}

export interface NewBrowserSession {
  accountId: string
  /** `auth_time`, in seconds since 1970. */
  signedInAt: number
  amr: string[]
  acr?: string | undefined
  /** True if the cookie outlives the browser. */
  isRemembered: boolean
  lifeSeconds: number
}

/** Signs a browser in with a completely new session. An earlier session of the browser, or a planted one, ends. */
export async function startBrowserSession(
  ctx: Context,
  provider: Provider,
  { accountId, signedInAt, amr, acr, isRemembered, lifeSeconds }: NewBrowserSession,
): Promise<void> {
  const before = await provider.Session.get(ctx)
  const session = new provider.Session()
  session.loginAccount({
    accountId: subjectOf(accountId),
    loginTs: signedInAt,
    amr,
    ...(acr !== undefined && { acr }),
    transient: !isRemembered,
  })
  await session.save(lifeSeconds)
  await before.destroy()
  setCookie(ctx, provider, session.jti, isRemembered ? new Date(Date.now() + lifeSeconds * 1000) : undefined)
}

export async function endBrowserSession(ctx: Context, provider: Provider): Promise<void> {
  const session = await provider.Session.get(ctx)
  await session.destroy()
  setCookie(ctx, provider, null, new Date(0))
}

function setCookie(ctx: Context, provider: Provider, value: string | null, expires: Date | undefined): void {
  ctx.cookies.set(provider.cookieName('session'), value, { ...sessionCookie(ctx.state.school.issuer), ...(expires && { expires }) })
}
