import type { Context } from 'koa'
import { accountPaths } from '../../base/accountPaths.ts'
import { withQuery } from '../../base/text/withQuery.ts'
import type { SignedInAccount } from '../../identity/accounts/signedInAccount.ts'
import { findSignedInAccount } from '../../identity/accounts/signedInAccount.ts'
import { type BrowserSession, readBrowserSession } from '../../identity/oidc/browserSession.ts'
import { isMultiFactor } from '../../identity/signIn/authenticationMethods.ts'
import { findActiveAccount } from '../activeAccount.ts'
import { requireOwnForm } from '../ownForm.ts'
import type { PageServices } from '../pagesArguments.ts'
import { seeOther } from '../seeOther.ts'
import type { AccountServices } from './accountArguments.ts'
import { shortTarget } from './returnTo.ts'

export interface SignedInPerson extends BrowserSession {
  who: SignedInAccount
}

/** The arguments that find the person of a session. */
export type SessionParts = Pick<PageServices, 'provider' | 'databaseOf' | 'secondFactors'>

/**
 * Returns the person who is signed in; undefined if nobody is, if the account was disabled or ended its sessions since, or if the role of
 * the person needs a second factor and this session was begun without one.
 */
export async function findSignedInPerson(ctx: Context, args: SessionParts): Promise<SignedInPerson | undefined> {
  const session = await readBrowserSession(ctx, await args.provider(ctx))
  if (!session) return undefined
  const who = await findActiveAccount(ctx, (schoolId, id) => findSignedInAccount(args.databaseOf(schoolId), id), session)
  if (!who) return undefined
  const isMissingFactor = !isMultiFactor(session.amr) && (await args.secondFactors.isRequired(ctx.state.school, session.accountId))
  return isMissingFactor ? undefined : { ...session, who }
}

/**
 * Returns the person who is signed in. If nobody is, keeps what was typed into a form, and redirects to the sign-in, which leads back to
 * `page`.
 */
export async function signedInOrAway(ctx: Context, args: AccountServices, page: string): Promise<SignedInPerson | undefined> {
  const person = await findSignedInPerson(ctx, args)
  if (person) return person
  await args.keptForms.keep(ctx, page)
  seeOther(ctx, withQuery(accountPaths.signIn, { return_to: shortTarget(page) }))
  return undefined
}

/** Returns how a form is taken for whom `open` lets in: with the token of this session. */
export const tokenRequired =
  <Person extends SignedInPerson>(open: (ctx: Context, services: AccountServices, page: string) => Promise<Person | undefined>) =>
  async (ctx: Context, services: AccountServices, page: string): Promise<Person | undefined> => {
    const person = await open(ctx, services, page)
    if (person) requireOwnForm(ctx, services.present.csrf, { subject: formSubject(person), kind: 'foreign_account_form' })
    return person
  }

/** Subject of a form's CSRF token. The token of a person who is signed in is valid in that session only. */
export const formSubject = (person?: SignedInPerson): string => (person ? `account ${person.uid}` : 'account')
