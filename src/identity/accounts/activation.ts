import type { SqlBool } from 'kysely'
import type { SchoolReader, SchoolWriter } from '../../database/connection/database.ts'
import { now } from '../../database/statements/expressions.ts'
import { type AuditEntry, auditRow } from '../../database/tables/audit.ts'
import { type ChangedPerson, changedPerson, recordPersonChanges } from '../../database/tables/changeLog.ts'

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
