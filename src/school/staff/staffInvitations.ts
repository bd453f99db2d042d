import { accountPaths } from '../../base/accountPaths.ts'
import type { PersonCaller, Role } from '../../base/caller.ts'
import { newId, toPublicId, uuidOf } from '../../base/ids.ts'
import { fieldError, fieldProblem, Problem, type ProblemDetail } from '../../base/problem.ts'
import { deliverableEmail } from '../../base/text/emailAddress.ts'
import { recordChange } from '../../database/tables/changeLog.ts'
import { pageUrl } from '../../identity/accounts/createMailedLink.ts'
import type { CallerContext } from '../changeContext.ts'
import { hasOtherOwner, lockOwners } from './owners.ts'

type StaffRole = Exclude<Role, 'learner'>

/**
 * Adds the person with this address to the staff: immediately if they have a login, otherwise once they have created one. Notifies them
 * by e-mail.
 * @throws Problem validation_failed for an address that mail cannot be sent to, email_taken for a person who is already staff
 */
export async function inviteStaff(change: StaffChange, { email: typed, role }: { email: string; role: string }) {
  requireRoleGiver(change.caller, role)
  const email = addressIn(typed)
  const { id: personId, hasLogin } = await personByAddress(change, email)
  const known = await staffRowOf(change, personId)
  if (known && known.status !== 'removed') {
    throw new Problem('email_taken', {
      description: 'The person with this address is already on the staff of the school.',
      details: [
        {
          field: 'email',
          code: 'email_taken',
          message: 'email: must not belong to a person who is already on the staff',
          meta: { existing_id: toPublicId('stf', known.id) },
        },
      ],
    })
  }
  if (known) await change.writer.deleteFrom('staff').where('id', '=', known.id).execute()
  await notifyStaff(change, email, hasLogin)
  return { person_id: personId, status: hasLogin ? 'active' : 'invited', invited_at: change.now, accepted_at: hasLogin ? change.now : null }
}

/**
 * Links the person with this address to a lecturer's profile as its login.
 * @returns false if they are linked already
 * @throws Problem invalid_state if the profile has another login, or the person another profile
 */
export async function linkLecturer(change: StaffChange, lecturer: { id: string }, typed: string): Promise<boolean> {
  const { writer, now } = change
  const email = addressIn(typed)
  const linked = await writer
    .selectFrom('staff')
    .select('person_id')
    .where('lecturer_id', '=', lecturer.id)
    .where('status', '!=', 'removed')
    .executeTakeFirst()
  const { id: personId, hasLogin } = await personByAddress(change, email)
  if (linked?.person_id === personId) return false
  if (linked) throw new Problem('invalid_state', { description: 'This profile already has a login. Unlink it first.' })
  const known = await staffRowOf(change, personId)
  if (known && known.status !== 'removed') {
    if (known.lecturer_id !== null)
      throw new Problem('invalid_state', { description: 'This person is linked to another profile. Unlink that profile first.' })
    await writeStaff(change, known.id, { lecturer_id: lecturer.id })
    return true
  }
  if (known) {
    await writer.deleteFrom('staff').where('id', '=', known.id).execute()
    await recordChange(writer, { type: 'staff', resource_id: known.id, action: 'deleted', version: known.version })
  }
  const id = newId()
  const status = hasLogin ? 'active' : 'invited'
  const times = { created_at: now, updated_at: now, invited_at: now, accepted_at: hasLogin ? now : null }
  const role: StaffRole = 'lecturer'
  await writer
    .insertInto('staff')
    .values({ school_id: writer.schoolId, id, person_id: personId, role, lecturer_id: lecturer.id, status, ...times })
    .execute()
  await recordChange(writer, { type: 'staff', resource_id: id, action: 'created', version: 1 })
  await notifyStaff(change, email, hasLogin)
  return true
}

/** Unlinks the login of a profile. A person whose only staff role was lecturer becomes a learner. Returns false if there was no login. */
export async function unlinkLecturer(change: StaffChange, lecturer: { id: string }): Promise<boolean> {
  const { writer } = change
  const row = await writer
    .selectFrom('staff')
    .selectAll()
    .where('lecturer_id', '=', lecturer.id)
    .where('status', '!=', 'removed')
    .executeTakeFirst()
  if (row) await writeStaff(change, row.id, { lecturer_id: null, ...(row.role === 'lecturer' && { status: 'removed' }) })
  return row !== undefined
}

function addressIn(typed: string): string {
  const email = deliverableEmail(typed)
  if (email === undefined) {
    throw fieldProblem('validation_failed', 'email', 'format', 'must be an address that mail can be sent to')
  }
  return email
}

/**
 * Returns the person with this address, locked: of two concurrent invitations, the second one sees the staff member of the first. Creates
 * the person if there is none.
 */
async function personByAddress({ writer, now }: StaffChange, email: string): Promise<{ id: string; hasLogin: boolean }> {
  const login = await writer
    .selectFrom('account')
    .innerJoin('person', 'person.account_id', 'account.id')
    .select('person.id')
    .where('account.email', '=', email)
    .where('account.disabled_at', 'is', null)
    .forNoKeyUpdate('person')
    .executeTakeFirst()
  if (login) return { id: login.id, hasLogin: true }
  await writer
    .insertInto('person')
    .values({ school_id: writer.schoolId, id: newId(), email, name: email.slice(0, email.indexOf('@')), created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.columns(['school_id', 'email']).doNothing())
    .execute()
  const person = await writer
    .selectFrom('person')
    .select(['id', 'account_id'])
    .where('email', '=', email)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
  return { id: person.id, hasLogin: false }
}

const staffRowOf = ({ writer }: StaffChange, personId: string) =>
  writer.selectFrom('staff').selectAll().where('person_id', '=', personId).forUpdate().executeTakeFirst()

async function writeStaff(
  { writer, now }: StaffChange,
  id: string,
  columns: { lecturer_id?: string | null; status?: string },
): Promise<void> {
  const { version } = await writer
    .updateTable('staff')
    .set((row) => ({ ...columns, updated_at: now, version: row('version', '+', 1) }))
    .where('id', '=', id)
    .returning('version')
    .executeTakeFirstOrThrow()
  await recordChange(writer, { type: 'staff', resource_id: id, action: 'updated', version })
}

async function notifyStaff({ writer, school, externalServices }: StaffChange, email: string, hasLogin: boolean): Promise<void> {
  const address = pageUrl(school, hasLogin ? accountPaths.signIn : accountPaths.signUp)
  await externalServices.send(writer, school, { email, locales: [] }, 'staff_invited', { link: address })
}

export async function checkProfile(
  { lecturer_id }: Readonly<{ lecturer_id?: string | null }>,
  { writer }: StaffChange,
): Promise<ProblemDetail[]> {
  if (typeof lecturer_id !== 'string') return []
  const taken = await writer
    .selectFrom('staff')
    .select('id')
    .where('lecturer_id', '=', uuidOf('lec', lecturer_id))
    .where('status', '!=', 'removed')
    .executeTakeFirst()
  return taken ? [fieldError('lecturer_id', 'not_allowed', 'must name a profile without a login. Unlink its login first')] : []
}

/** @throws Problem access_denied: owners can assign every role, admins only the role of a lecturer */
function requireRoleGiver({ role: own }: PersonCaller, ...roles: readonly string[]): void {
  if (own === 'owner' || roles.every((role) => role === 'lecturer')) return
  throw new Problem('access_denied', { description: 'Only an owner of the school can assign or remove the roles owner and admin.' })
}

/**
 * Checks that a staff row may get another role or be removed.
 * @throws Problem self_change, access_denied, last_owner
 */
export async function requireChangeable(
  change: StaffChange,
  row: { person_id: string; role: string; status: string },
  roleAfter: string | undefined,
): Promise<void> {
  const { writer, caller } = change
  if (row.person_id === caller.personId) throw new Problem('self_change')
  requireRoleGiver(caller, row.role, ...(roleAfter === undefined ? [] : [roleAfter]))
  if (row.role !== 'owner' || row.status !== 'active' || roleAfter === 'owner') return
  await lockOwners(writer)
  if (!(await hasOtherOwner(writer, { personId: row.person_id }))) throw new Problem('last_owner')
}

type StaffChange = CallerContext<'send'>
