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
}

/** Returns the session of this browser, or undefined if nobody is signed in. */
export async function readBrowserSession(ctx: Context, provider: Provider): Promise<BrowserSession | undefined> {
  const { uid, accountId: subject, loginTs } = await provider.Session.get(ctx)
  const accountId = subject === undefined ? undefined : accountIdOf(subject)
  return accountId === undefined ? undefined : { uid, accountId, signedInAt: loginTs }
}

/** Signs a browser in with a completely new session. An earlier session of the browser, or a planted one, ends. */
export async function startBrowserSession(
  ctx: Context,
  provider: Provider,
  { accountId, signedInAt, amr, lifeSeconds }: { accountId: string; signedInAt: number; amr: string[]; lifeSeconds: number },
): Promise<void> {
  const before = await provider.Session.get(ctx)
  const session = new provider.Session()
  session.loginAccount({ accountId: subjectOf(accountId), loginTs: signedInAt, amr })
  await session.save(lifeSeconds)
  await before.destroy()
  setCookie(ctx, provider, session.jti, new Date(Date.now() + lifeSeconds * 1000))
}

/** Ends the session of this browser. */
export async function endBrowserSession(ctx: Context, provider: Provider): Promise<void> {
  const session = await provider.Session.get(ctx)
  await session.destroy()
  setCookie(ctx, provider, null, new Date(0))
}

function setCookie(ctx: Context, provider: Provider, value: string | null, expires: Date): void {
  ctx.cookies.set(provider.cookieName('session'), value, { ...sessionCookie(ctx.state.school.issuer), expires })
}
