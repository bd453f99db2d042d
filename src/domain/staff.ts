import type { Expression, ExpressionBuilder } from 'kysely'
import type { DB } from '../gen/kysely/tables.ts'
import { fromPublicId, newId, toPublicId } from '../lib/ids.ts'
import { Problem, type ProblemDetail } from '../lib/problem.ts'
import { accountPaths } from '../policy/accountPaths.ts'
import type { PersonCaller, Role } from '../policy/caller.ts'
import type { Outside } from '../policy/outside.ts'
import type { School } from '../policy/school.ts'
import type { Writer } from '../store/database.ts'
import { type StoredImage, selectImage } from '../store/fileExpressions.ts'
import { mailAddress } from './mailAddress.ts'
import { addressOf } from './mailedLinks.ts'

/** What a change of who works here needs of its transaction. */
export interface StaffChange {
  writer: Writer
  school: School
  caller: PersonCaller
  now: Date
  outside: Pick<Outside, 'send'>
  afterwards(name: string, work: () => Promise<void>): void
}

type StaffRole = Exclude<Role, 'learner'>
type StaffRow = { id: string; person_id: string; role: string; lecturer_id: string | null; status: string }

/** Who a staff row is, as one JSON value. The name is that of the login, where there is one. */
export function personOfStaff(staff: ExpressionBuilder<DB, 'staff'>): Expression<unknown> {
  return staff
    .selectFrom((inner) =>
      inner
        .selectFrom('person')
        .leftJoin('account', (join) =>
          join.onRef('account.school_id', '=', 'person.school_id').onRef('account.id', '=', 'person.account_id'),
        )
        .select((row) => [
          row.fn.coalesce('account.name', 'person.name').as('name'),
          row.fn.coalesce('account.email', 'person.email').as('email'),
        ])
        .select(() => [selectImageAs('account', 'avatar')])
        .whereRef('person.school_id', '=', 'staff.school_id')
        .whereRef('person.id', '=', 'staff.person_id')
        .as('who'),
    )
    .select((who) => who.fn.toJson('who').as('person'))
}

/** What `personOfStaff` reads. */
export interface StaffPerson {
  name: string
  email: string
  avatar: StoredImage | null
}

/** When the person behind a staff row last signed in. */
export const lastSeenOf = (staff: ExpressionBuilder<DB, 'staff'>): Expression<unknown> =>
  staff
    .selectFrom('account')
    .innerJoin('person', (join) => join.onRef('person.school_id', '=', 'account.school_id').onRef('person.account_id', '=', 'account.id'))
    .select('account.last_sign_in_at')
    .whereRef('person.school_id', '=', 'staff.school_id')
    .whereRef('person.id', '=', 'staff.person_id')

/** One login to a profile. */
export async function checkProfile(
  { lecturer_id }: Readonly<Record<string, unknown>>,
  { writer, school }: StaffChange,
): Promise<ProblemDetail[]> {
  const field = 'lecturer_id'
  if (typeof lecturer_id !== 'string') return []
  const taken = await writer
    .selectFrom('staff')
    .select('id')
    .where('school_id', '=', school.id)
    .where('lecturer_id', '=', fromPublicId('lec', lecturer_id) as string)
    .where('status', '!=', 'removed')
    .executeTakeFirst()
  return taken ? [{ field, code: 'not_allowed', message: `${field}: this profile has a login already` }] : []
}

const selectImageAs = (table: string, name: string) =>
  (selectImage(table, name) as Expression<unknown> & { as(alias: string): never }).as(name)

/** @throws Problem access_denied: owners give every role, admins that of a lecturer */
export function requireRoleGiver({ role: own }: PersonCaller, ...roles: readonly string[]): void {
  if (own === 'owner' || roles.every((role) => role === 'lecturer')) return
  throw new Problem('access_denied', { description: 'Only an owner of the school makes or unmakes owners and admins. Ask one.' })
}

/**
 * Lets the person with this address work at the school: at once where they have a login here, else as soon as they have made one.
 * They are told by mail.
 * @throws Problem validation_failed for an address that mail cannot be sent to, email_taken for who works here already
 */
export async function inviteStaff(change: StaffChange, { email: typed, role }: { email: string; role: string }) {
  requireRoleGiver(change.caller, role)
  const email = addressIn(typed)
  const { id: personId, hasLogin } = await personByAddress(change, email)
  const known = await staffRowOf(change, personId)
  if (known && known.status !== 'removed') {
    throw new Problem('email_taken', {
      description: 'The person with this address works at the school already.',
      details: [
        { field: 'email', code: 'email_taken', message: 'email: works here already', meta: { existing_id: toPublicId('stf', known.id) } },
      ],
    })
  }
  if (known) await change.writer.deleteFrom('staff').where('school_id', '=', change.school.id).where('id', '=', known.id).execute()
  tell(change, email, hasLogin)
  return { person_id: personId, status: hasLogin ? 'active' : 'invited', invited_at: change.now, accepted_at: hasLogin ? change.now : null }
}

/**
 * Makes the person with this address the login of a lecturer's profile.
 * @returns whether that is new
 * @throws Problem invalid_state where the profile has another login, or the person another profile
 */
export async function linkLecturer(change: StaffChange, lecturer: { id: string }, typed: string): Promise<boolean> {
  const { writer, school, now } = change
  const email = addressIn(typed)
  const linked = await writer
    .selectFrom('staff')
    .select('person_id')
    .where('school_id', '=', school.id)
    .where('lecturer_id', '=', lecturer.id)
    .where('status', '!=', 'removed')
    .executeTakeFirst()
  const { id: personId, hasLogin } = await personByAddress(change, email)
  if (linked?.person_id === personId) return false
  if (linked) throw new Problem('invalid_state', { description: 'This profile has a login already. Unlink it first.' })
  const known = await staffRowOf(change, personId)
  if (known && known.status !== 'removed') {
    if (known.lecturer_id !== null)
      throw new Problem('invalid_state', { description: 'This person is linked to another profile. Unlink that first.' })
    await writeStaff(change, known.id, { lecturer_id: lecturer.id })
    return true
  }
  if (known) await writer.deleteFrom('staff').where('school_id', '=', school.id).where('id', '=', known.id).execute()
  const status = hasLogin ? 'active' : 'invited'
  const times = { created_at: now, updated_at: now, invited_at: now, accepted_at: hasLogin ? now : null }
  const role: StaffRole = 'lecturer'
  await writer
    .insertInto('staff')
    .values({ school_id: school.id, id: newId(), person_id: personId, role, lecturer_id: lecturer.id, status, ...times })
    .execute()
  tell(change, email, hasLogin)
  return true
}

/** Takes the login away from a profile. Who was here as its lecturer alone is a learner from the next request on. Answers whether there was one. */
export async function unlinkLecturer(change: StaffChange, lecturer: { id: string }): Promise<boolean> {
  const { writer, school } = change
  const row = await writer
    .selectFrom('staff')
    .selectAll()
    .where('school_id', '=', school.id)
    .where('lecturer_id', '=', lecturer.id)
    .where('status', '!=', 'removed')
    .executeTakeFirst()
  if (row) await writeStaff(change, row.id, { lecturer_id: null, ...(row.role === 'lecturer' && { status: 'removed' }) })
  return row !== undefined
}

/**
 * Whether a staff row may get another role, or go.
 * @throws Problem self_change, access_denied, last_owner
 */
export async function requireChangeable(change: StaffChange, row: StaffRow, roleAfter: string | undefined): Promise<void> {
  const { writer, school, caller } = change
  if (row.person_id === caller.personId) throw new Problem('self_change')
  requireRoleGiver(caller, row.role, ...(roleAfter === undefined ? [] : [roleAfter]))
  if (row.role !== 'owner' || row.status !== 'active' || roleAfter === 'owner') return
  // Two demotions at once: the second one waits here, and then finds a last owner.
  await writer.selectFrom('school').select('id').where('id', '=', school.id).forUpdate().execute()
  if (!(await hasOtherOwner(writer, { schoolId: school.id, personId: row.person_id }))) throw new Problem('last_owner')
}

/** Whether somebody else owns the school and can sign in. */
export async function hasOtherOwner(
  writer: Writer,
  { schoolId, personId }: { schoolId: string; personId: string | null },
): Promise<boolean> {
  const owner = await writer
    .selectFrom('staff')
    .innerJoin('person', (join) => join.onRef('person.school_id', '=', 'staff.school_id').onRef('person.id', '=', 'staff.person_id'))
    .innerJoin('account', (join) => join.onRef('account.school_id', '=', 'person.school_id').onRef('account.id', '=', 'person.account_id'))
    .select('staff.id')
    .where('staff.school_id', '=', schoolId)
    .where('staff.role', '=', 'owner')
    .where('staff.status', '=', 'active')
    .where('account.disabled_at', 'is', null)
    .where('account.deletion_scheduled_at', 'is', null)
    .$if(personId !== null, (query) => query.where('staff.person_id', '!=', personId as string))
    .executeTakeFirst()
  return owner !== undefined
}

function addressIn(typed: string): string {
  const email = mailAddress(typed)
  if (email === undefined) {
    throw new Problem('validation_failed', {
      details: [{ field: 'email', code: 'format', message: 'email: mail cannot be sent to this address' }],
    })
  }
  return email
}

/** The person with this address, made where the school knows nobody by it. */
async function personByAddress({ writer, school, now }: StaffChange, email: string): Promise<{ id: string; hasLogin: boolean }> {
  const login = await writer
    .selectFrom('account')
    .innerJoin('person', (join) => join.onRef('person.school_id', '=', 'account.school_id').onRef('person.account_id', '=', 'account.id'))
    .select('person.id')
    .where('account.school_id', '=', school.id)
    .where('account.email', '=', email)
    .where('account.disabled_at', 'is', null)
    .executeTakeFirst()
  if (login) return { id: login.id, hasLogin: true }
  await writer
    .insertInto('person')
    .values({ school_id: school.id, id: newId(), email, name: email.split('@')[0] as string, created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.columns(['school_id', 'email']).doNothing())
    .execute()
  const person = await writer
    .selectFrom('person')
    .select(['id', 'account_id'])
    .where('school_id', '=', school.id)
    .where('email', '=', email)
    .executeTakeFirstOrThrow()
  return { id: person.id, hasLogin: false }
}

const staffRowOf = ({ writer, school }: StaffChange, personId: string) =>
  writer.selectFrom('staff').selectAll().where('school_id', '=', school.id).where('person_id', '=', personId).forUpdate().executeTakeFirst()

async function writeStaff(
  { writer, school, now }: StaffChange,
  id: string,
  columns: { lecturer_id?: string | null; status?: string },
): Promise<void> {
  await writer
    .updateTable('staff')
    .set((row) => ({ ...columns, updated_at: now, version: row('version', '+', 1) }))
    .where('school_id', '=', school.id)
    .where('id', '=', id)
    .execute()
}

function tell({ school, outside, afterwards }: StaffChange, email: string, hasLogin: boolean): void {
  const address = addressOf(school, hasLogin ? accountPaths.signIn : accountPaths.signUp)
  afterwards('staff invitation', () => outside.send(school, { email, locales: [] }, 'staff_invited', { link: address }))
}
