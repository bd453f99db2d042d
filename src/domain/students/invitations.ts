import type { SqlBool } from 'kysely'
import { Problem } from '../../lib/problem.ts'
import { accountPaths } from '../../policy/accountPaths.ts'
import type { ExternalServices } from '../../policy/externalServices.ts'
import type { School } from '../../policy/school.ts'
import { type AuditEntry, auditRow } from '../../store/audit.ts'
import type { SchoolReader, SchoolWriter } from '../../store/database.ts'
import { now } from '../../store/expressions.ts'
import { type ChangedPerson, changedPerson, recordPersonChanges } from '../../store/personChanges.ts'
import { pageUrl } from '../accounts/createMailedLink.ts'

export interface InvitationContext {
  writer: SchoolWriter
  school: School
  now: Date
  externalServices: Pick<ExternalServices, 'send'>
}

/** The minimum time between two invitations to one person, so that repeated requests do not flood a mailbox. */
const pauseMs = 5 * 60_000

interface Invitee {
  email: string
  locale: string | null
  account_id: string | null
  invited_at: Date | null
}

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

interface SignedIn {
  accountId: string
}

/** Stores that a person has created a login, and makes an invited person active. Only the change of state is a new version. */
export async function recordSignUp(writer: SchoolWriter, account: SignedIn): Promise<void> {
  await recordActivated(writer, await activatePeople(writer, account).execute())
}

/** Stores that a person has signed in, with the audit row and the time of the account in the same statement, and does the same. */
export async function recordSignIn(database: SchoolReader, account: SignedIn, audit: AuditEntry): Promise<void> {
  const people = await database
    .with('people', (one) => activatePeople(one, account))
    .with('signed_in', (one) =>
      one.updateTable('account').set({ last_sign_in_at: now }).where('id', '=', account.accountId).returning('id'),
    )
    .with('logged', (one) => one.insertInto('audit_log').values(auditRow(audit)).returning('id'))
    .selectFrom('people')
    // With names, so that the statement can be prepared.
    .select(['id', 'version', 'is_student', 'is_member', 'is_activated'])
    .execute()
  await recordActivated(database, people)
}

const activatePeople = (database: Pick<SchoolReader, 'updateTable'>, { accountId }: SignedIn) =>
  database
    .updateTable('person')
    .set((person) => {
      const wasInvited = person.or([person('student_status', '=', 'invited'), person('member_status', '=', 'invited')])
      const activated = (column: 'student_status' | 'member_status') =>
        person.case(column).when('invited').then('active').else(person.ref(column)).end()
      return {
        last_active_at: now,
        joined_at: person
          .case()
          .when(person.and([person('is_member', '=', true), person('member_status', '=', 'invited')]))
          .then(person.fn.coalesce('joined_at', now))
          .else(person.ref('joined_at'))
          .end(),
        version: person
          .case()
          .when(wasInvited)
          .then(person('version', '+', 1))
          .else(person.ref('version'))
          .end(),
        updated_at: person.case().when(wasInvited).then(now).else(person.ref('updated_at')).end(),
        student_status: activated('student_status'),
        member_status: activated('member_status'),
      }
    })
    .where('account_id', '=', accountId)
    .returning(changedPerson)
    .returning((person) => person('updated_at', '=', now).as('is_activated'))

async function recordActivated(database: SchoolReader, people: readonly (ChangedPerson & { is_activated: SqlBool })[]): Promise<void> {
  await recordPersonChanges(
    database,
    people.filter((person) => person.is_activated),
  )
}
