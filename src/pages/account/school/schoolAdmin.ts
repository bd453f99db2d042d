import type { Context } from 'koa'
import type { Role } from '../../../base/caller.ts'
import { knownPerson } from '../../knownRows.ts'
import { pageProblem } from '../../pageProblem.ts'
import type { AccountServices } from '../accountArguments.ts'
import { confirmedOrAway } from '../confirmation.ts'
import type { BasicPage, BuiltPage, OwnPage, OwnRequest, PageAccess } from '../ownPage.ts'
import { type SignedInPerson, signedInOrAway, tokenRequired } from '../signedInPerson.ts'

/**
 * The pages of owners and admins. The role is read for each request, and first: for other people the page does not exist. Sensitive forms
 * need a confirmation, with the second factor if the account has one.
 */
export const ofAdmins: PageAccess = {
  open: adminOrAway,
  own: (ctx, services, page, isConfirmed) => tokenRequired(isConfirmed ? confirmedAdmin : adminOrAway)(ctx, services, page),
}

/** Returns a page of owners and admins. */
export const schoolPage = <Shown>(page: BasicPage & BuiltPage<Shown>): OwnPage<Shown> => ({ access: ofAdmins, ...page })

/** Returns the owner or admin who downloads data or sends a form, after a confirmation; undefined if the browser was redirected. */
export async function confirmedAdmin(ctx: Context, services: AccountServices, page: string): Promise<SignedInPerson | undefined> {
  const admin = await adminOrAway(ctx, services, page)
  return admin && (await confirmedOrAway(ctx, services, `${page}?done=confirmed`)) ? admin : undefined
}

async function adminOrAway(ctx: Context, services: AccountServices, page: string): Promise<SignedInPerson | undefined> {
  const person = await signedInOrAway(ctx, services, page)
  if (!person) return undefined
  const role: Role | undefined = (await knownPerson(services, ctx.state.school.id, person.accountId))?.role
  if (role !== 'owner' && role !== 'admin') throw pageProblem('nothing_here', 'not_found', 'There is no such page.')
  return person
}

/** @throws Problem access_denied for an admin: only owners decide which apps the school allows */
export async function requireOwner({ role }: OwnRequest): Promise<void> {
  if ((await role()) !== 'owner')
    throw pageProblem('bad_request', 'access_denied', 'Only an owner of the school can decide this. Nothing was changed.')
}
