import type { Context } from 'koa'
import { findSignedIn, type SignedIn } from '../../domain/accounts/signedIn.ts'
import { type BrowserSession, readBrowserSession } from '../../oidc/browserSession.ts'
import { accountPaths, withQuery } from '../../policy/accountPaths.ts'
import { isSessionOver } from '../../policy/browserSessions.ts'
import type { School } from '../../policy/school.ts'
import type { LanguageState } from '../language.ts'
import type { AccountArguments } from './accountArguments.ts'

/** Somebody who is signed in in this browser, as of now. */
export interface SignedInPerson extends BrowserSession {
  who: SignedIn
}

/** Who is signed in, or undefined: also where the account was disabled, or ended its sessions, since. */
export async function findSignedInPerson(ctx: Context, args: AccountArguments): Promise<SignedInPerson | undefined> {
  const { school } = ctx.state as { school: School }
  const session = await readBrowserSession(ctx, await args.provider(ctx))
  if (!session) return undefined
  const who = await findSignedIn(args.database, school.id, session.accountId)
  if (who) Object.assign(ctx.state, { accountLocale: who.locale } satisfies LanguageState)
  return who && !isSessionOver(session.signedInAt, who.sessions_valid_after) ? { ...session, who } : undefined
}

/** Who is signed in; where nobody is, the browser is sent to sign in and to come back to `page`. */
export async function signedInOrAway(ctx: Context, args: AccountArguments, page: string): Promise<SignedInPerson | undefined> {
  const person = await findSignedInPerson(ctx, args)
  if (!person) seeOther(ctx, withQuery(accountPaths.signIn, { return_to: page }))
  return person
}

/** Sends the browser on with GET (RFC 9110 section 15.4.4). */
export function seeOther(ctx: Context, path: string): void {
  ctx.status = 303
  ctx.set('Cache-Control', 'no-store')
  ctx.redirect(path)
}

/** What the token of a form is about: for who is signed in it is good in that session only. */
export const formSubject = (person?: SignedInPerson): string => (person ? `account ${person.uid}` : 'account')
