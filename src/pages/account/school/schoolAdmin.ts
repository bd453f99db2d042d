import type { Context } from 'koa'
import type { Role } from '../../../base/caller.ts'
import { requireOwnForm } from '../../ownForm.ts'
import { pageProblem } from '../../pageProblem.ts'
import type { AccountArguments } from '../accountArguments.ts'
import type { AccountPresenter } from '../accountPresenter.ts'
import { confirmedOrAway } from '../confirmation.ts'
import { formSubject, type SignedInPerson, signedInOrAway } from '../signedInPerson.ts'

export interface SchoolAdmin extends SignedInPerson {
  role: Role
}

/**
 * Returns the owner or admin who is signed in; undefined if the browser was redirected to the sign-in. The role is read for each request.
 * @throws Problem not_found for everybody else, as for a page that does not exist
 */
export async function adminOrAway(ctx: Context, args: AccountArguments, page: string): Promise<SchoolAdmin | undefined> {
  return requireAdmin(ctx, args, await signedInOrAway(ctx, args, page))
}

/**
 * Returns the owner or admin who submitted a form of the page, after a confirmation with the second factor if the account has one;
 * undefined if the browser was redirected.
 * @throws Problem not_found for everybody else, access_denied if the form was not shown in this session
 */
export async function confirmedAdmin(
  ctx: Context,
  args: AccountArguments,
  { page, present }: { page: string; present: AccountPresenter },
): Promise<SchoolAdmin | undefined> {
  const admin = await confirmed(ctx, args, page)
  if (admin) requireOwnForm(ctx, present.csrf, { subject: formSubject(admin), kind: 'foreign_account_form' })
  return admin
}

/** @throws Problem access_denied for an admin: only owners decide which apps the school allows */
export function requireOwner({ role }: SchoolAdmin): void {
  if (role !== 'owner')
    throw pageProblem('bad_request', 'access_denied', 'Only an owner of the school can decide this. Nothing was changed.')
}

/** Returns the owner or admin who downloads data, after a confirmation with the second factor if the account has one. */
export async function confirmedToDownload(ctx: Context, args: AccountArguments, page: string): Promise<SchoolAdmin | undefined> {
  return confirmed(ctx, args, page)
}

/** The role is checked first: for other people the page does not exist. */
async function confirmed(ctx: Context, args: AccountArguments, page: string): Promise<SchoolAdmin | undefined> {
  const admin = await adminOrAway(ctx, args, page)
  return admin && (await confirmedOrAway(ctx, args, `${page}?done=confirmed`)) ? admin : undefined
}

async function requireAdmin(ctx: Context, args: AccountArguments, person: SignedInPerson | undefined): Promise<SchoolAdmin | undefined> {
  if (!person) return undefined
  const role = (await args.findPerson(ctx.state.school.id, person.accountId))?.role
  if (role !== 'owner' && role !== 'admin') throw pageProblem('nothing_here', 'not_found', 'There is no such page.')
  return { ...person, role }
}
