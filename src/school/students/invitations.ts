import { accountPaths } from '../../base/accountPaths.ts'
import { Problem } from '../../base/problem.ts'
import type { Stored } from '../../database/connection/database.ts'
import { pageUrl } from '../../identity/accounts/createMailedLink.ts'
import type { CallerContext } from '../changeContext.ts'

export type InvitationContext = Omit<CallerContext<'send'>, 'caller'>

/** The minimum time between two invitations to one person, so that repeated requests do not flood a mailbox. */
const pauseMs = 5 * 60_000

type Invitee = Stored<'person', 'email' | 'locale' | 'account_id' | 'invited_at'>

export async function sendInvitation(
  { writer, school, externalServices }: InvitationContext,
  { email, locale }: Pick<Invitee, 'email' | 'locale'>,
): Promise<void> {
  const link = pageUrl(school, accountPaths.signUp)
  await externalServices.send(writer, school, { email, locales: [locale] }, 'person_invited', { link })
}

/**
 * Invites a person without a login, for the first time or again. Returns undefined if the last invitation was sent a moment ago.
 * @throws Problem invalid_state for a person with a login, or whose state is neither invited nor active
 */
export async function invitePerson(context: InvitationContext, row: Invitee, status: string): Promise<{ invited_at: Date } | undefined> {
  if (row.account_id !== null) throw new Problem('invalid_state', { description: 'This person already has a login.' })
  if (status !== 'invited' && status !== 'active') {
    throw new Problem('invalid_state', { description: `A person who is ${status} cannot be invited.` })
  }
  if (status === 'invited' && row.invited_at && context.now.getTime() - row.invited_at.getTime() < pauseMs) return undefined
  await sendInvitation(context, row)
  return { invited_at: context.now }
}
