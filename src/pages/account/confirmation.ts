import type { Context } from 'koa'
import { accountPaths } from '../../base/accountPaths.ts'
import { readOwnCookie, setOwnCookie } from '../../base/http/ownCookie.ts'
import type { Keyring } from '../../base/keyring.ts'
import { withQuery } from '../../base/text/withQuery.ts'
import { isMultiFactor } from '../../identity/signIn/authenticationMethods.ts'
import { seeOther } from '../seeOther.ts'
import type { AccountServices } from './accountArguments.ts'
import { type SignedInPerson, signedInOrAway } from './signedInPerson.ts'

const cookie = 'sg_confirmed'
/** How long a sign-in, or a confirmation, counts for sensitive changes. */
const lifeSeconds = 600

export type ConfirmedBy = 'password' | 'second factor'

interface Content {
  schoolId: string
  uid: string
  accountId: string
  by: ConfirmedBy
  /** Seconds since 1970. */
  at: number
}

type Confirming = Pick<AccountServices, 'keyring' | 'secondFactors'>

const secondsOf = (keyring: Keyring): number => Math.floor(keyring.now() / 1000)

/** True if this person has to prove a second factor: the account has one, and the school uses them. */
export const needsSecondFactor = (
  ctx: Context,
  { secondFactors }: Pick<AccountServices, 'secondFactors'>,
  { who }: SignedInPerson,
): boolean => who.has_second_factor && secondFactors.ruleOf(ctx.state.school) !== 'off'

/**
 * Returns the person who is signed in if they have proved who they are within the last ten minutes, with the second factor if the account
 * has one. Otherwise redirects to the page that asks for it, which leads back to `page`, and returns undefined. `page` must be one of the
 * paths in returnTo.ts. Call it for GET and for POST: the person then confirms before they fill in the form.
 */
export async function confirmedOrAway(ctx: Context, args: AccountServices, page: string): Promise<SignedInPerson | undefined> {
  const person = await signedInOrAway(ctx, args, page)
  if (!person || isConfirmed(ctx, args, person)) return person
  await args.keptForms.keep(ctx, page)
  seeOther(ctx, withQuery(accountPaths.confirm, { return_to: page }))
  return undefined
}

/** True if the person has signed in or confirmed within the last ten minutes, with the second factor if the account has one. */
export function isConfirmed(ctx: Context, args: Confirming, person: SignedInPerson): boolean {
  const isStrong = needsSecondFactor(ctx, args, person)
  const isRecent = (at: number): boolean => at > secondsOf(args.keyring) - lifeSeconds
  if (isRecent(person.signedInAt ?? 0) && (!isStrong || isMultiFactor(person.amr))) return true
  const content = read(ctx, args.keyring)
  return (
    content !== undefined &&
    content.schoolId === ctx.state.school.id &&
    content.uid === person.uid &&
    content.accountId === person.accountId &&
    isRecent(content.at) &&
    (!isStrong || content.by === 'second factor')
  )
}

/** Stores in this browser that the person of its session has just proved who they are. */
export function setConfirmed(ctx: Context, keyring: Keyring, { uid, accountId }: SignedInPerson, by: ConfirmedBy): void {
  const content: Content = { schoolId: ctx.state.school.id, uid, accountId, by, at: secondsOf(keyring) }
  setOwnCookie(ctx, cookie, { value: keyring.seal('confirmations', JSON.stringify(content)), lifeSeconds })
}

function read(ctx: Context, keyring: Keyring): Content | undefined {
  const value = readOwnCookie(ctx, cookie)
  const opened = value && keyring.tryOpen('confirmations', value)
  return opened ? JSON.parse(opened) : undefined
}
