import { Problem } from '../../lib/problem.ts'
import { accountPaths } from '../../policy/accountPaths.ts'
import type { ExternalServices } from '../../policy/externalServices.ts'
import type { School } from '../../policy/school.ts'
import { type ChangedPerson, changedPersonColumns, recordPersonChanges } from '../../store/personChanges.ts'
import type { Sql } from '../../store/sql.ts'
import { addressOf } from '../accounts/mailedLinks.ts'

/** What an invitation needs of the change that it belongs to. */
export interface InvitationContext {
  school: School
  now: Date
  externalServices: Pick<ExternalServices, 'send'>
  enqueue(name: string, work: () => Promise<void>): void
}

/** So long the next letter waits: nobody's mailbox is filled by who presses a button again. */
const pauseMs = 5 * 60_000

interface Invitee {
  email: string
  locale: string | null
  account_id: string | null
  invited_at: Date | null
}

/** Writes to a person that the school expects them, with a link to where an account is made. */
export function sendInvitation(
  { school, externalServices, enqueue }: InvitationContext,
  { email, locale }: Pick<Invitee, 'email' | 'locale'>,
): void {
  const link = addressOf(school, accountPaths.signUp)
  enqueue('invitation', () => externalServices.send(school, { email, locales: [locale] }, 'person_invited', { link }))
}

/**
 * Invites a person without a login, once more or for the first time; undefined where that was done a moment ago.
 * @throws Problem invalid_state for who can sign in, and for who is in another state than the two given
 */
export function invitePerson(inviting: InvitationContext, row: Invitee, status: string): { invited_at: Date } | undefined {
  if (row.account_id !== null) throw new Problem('invalid_state', { description: 'This person has a login already.' })
  if (status !== 'invited' && status !== 'active') {
    throw new Problem('invalid_state', { description: `Nobody who is ${status} is invited.` })
  }
  if (status === 'invited' && row.invited_at && inviting.now.getTime() - row.invited_at.getTime() < pauseMs) return undefined
  sendInvitation(inviting, row)
  return { invited_at: inviting.now }
}

/** A person has signed in: whoever was invited is there from now on. No version counts the visit, and one counts what it changes. */
export async function recordSignIn(sql: Sql, { schoolId, accountId }: { schoolId: string; accountId: string }): Promise<void> {
  const people = await sql.query<ChangedPerson & { has_arrived: boolean }>(
    `UPDATE person
        SET last_active_at = now(),
            joined_at = CASE WHEN is_member AND member_status = 'invited' THEN coalesce(joined_at, now()) ELSE joined_at END,
            version = CASE WHEN 'invited' IN (student_status, member_status) THEN version + 1 ELSE version END,
            updated_at = CASE WHEN 'invited' IN (student_status, member_status) THEN now() ELSE updated_at END,
            student_status = CASE student_status WHEN 'invited' THEN 'active' ELSE student_status END,
            member_status = CASE member_status WHEN 'invited' THEN 'active' ELSE member_status END
      WHERE school_id = $1 AND account_id = $2
      RETURNING ${changedPersonColumns}, updated_at = now() AS has_arrived`,
    [schoolId, accountId],
    'note_arrival',
  )
  await recordPersonChanges(
    sql,
    schoolId,
    people.filter((person) => person.has_arrived),
  )
}
