import type { Role } from '../../base/caller.ts'
import { newId } from '../../base/ids.ts'
import type { SchoolReader, SchoolWriter } from '../../database/connection/database.ts'
import { now } from '../../database/statements/expressions.ts'
import { endAccountSessions } from '../../database/tables/accountSessions.ts'
import { changedPerson, recordChange, recordChanges, recordPersonChanges } from '../../database/tables/changeLog.ts'
import { voidMailedLinks } from '../../database/tables/mailedLinks.ts'
import { hasOtherOwner, lockOwners } from '../staff/owners.ts'

export interface NewPerson {
  email: string
  name: string
  role: Role
  isEmailVerified: boolean
  /** Default: the login has no password yet. */
  passwordHash?: string | undefined
}

/**
 * Creates a login. It is attached to the person with this address if they have no login, so the caller must have verified the address.
 * Returns undefined if the address has a login already.
 */
export async function createPerson(writer: SchoolWriter, person: NewPerson): Promise<{ accountId: string; personId: string } | undefined> {
  const { email, name, isEmailVerified, passwordHash } = person
  const account = await writer
    .insertInto('account')
    .values({ school_id: writer.schoolId, id: newId(), email, name, email_verified: isEmailVerified, password_hash: passwordHash ?? null })
    .onConflict((conflict) => conflict.columns(['school_id', 'email']).doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!account) return undefined
  const personId = await personOf(writer, { accountId: account.id, email, name, isStudent: person.role === 'learner' })
  await writeRole(writer, { personId, role: person.role })
  return { accountId: account.id, personId }
}

export type RoleChange = { before: Role } | { refused: 'last_owner' }

/** Sets the role of an account's person. It applies from the next request on. A school keeps at least one owner who can sign in. */
export async function setRole(writer: SchoolWriter, { accountId, role }: { accountId: string; role: Role }): Promise<RoleChange> {
  await lockOwners(writer)
  const { email, name } = await writer.selectFrom('account').select(['email', 'name']).where('id', '=', accountId).executeTakeFirstOrThrow()
  const personId = await personOf(writer, { accountId, email, name, isStudent: role === 'learner' })
  const staff = await writer
    .selectFrom('staff')
    .select('role')
    .where('person_id', '=', personId)
    .where('status', '=', 'active')
    .executeTakeFirst()
  const before = (staff?.role ?? 'learner') as Role
  if (before === role) return { before }
  if (before === 'owner' && !(await hasOtherOwner(writer, { personId }))) return { refused: 'last_owner' }
  await writeRole(writer, { personId, role })
  return { before }
}

/** Returns the person of an account: the one that it has, else the one with its address, else a new one. The last two are changes of the feed. */
async function personOf(
  writer: SchoolWriter,
  { accountId, email, name, isStudent }: { accountId: string; email: string; name: string; isStudent: boolean },
): Promise<string> {
  const own = await writer.selectFrom('person').select('id').where('account_id', '=', accountId).executeTakeFirst()
  if (own) return own.id
  const person = await writer
    .insertInto('person')
    .values({
      school_id: writer.schoolId,
      id: newId(),
      account_id: accountId,
      email,
      name,
      is_student: isStudent,
      is_member: isStudent,
      joined_at: isStudent ? new Date() : null,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['school_id', 'email'])
        .doUpdateSet((row) => ({ account_id: accountId, updated_at: new Date(), version: row('person.version', '+', 1) }))
        .where('person.account_id', 'is', null),
    )
    .returning(changedPerson)
    .executeTakeFirstOrThrow(() => new Error(`${email} is the address of a person who has another login`))
  const action = person.version === 1 ? 'created' : 'updated'
  await recordPersonChanges(writer, [person], { student: action, member: action })
  return person.id
}

// A learner has no active row in the table of staff.
async function writeRole(writer: SchoolWriter, { personId, role }: { personId: string; role: Role }): Promise<void> {
  const writtenAt = new Date()
  if (role === 'learner') {
    const removed = await writer
      .updateTable('staff')
      .set((row) => ({ status: 'removed', updated_at: writtenAt, version: row('version', '+', 1) }))
      .where('person_id', '=', personId)
      .where('status', '<>', 'removed')
      .returning(['id', 'version'])
      .execute()
    await recordChanges(writer, { type: 'staff', action: 'deleted' }, removed)
    return
  }
  const row = await writer
    .insertInto('staff')
    .values({ school_id: writer.schoolId, id: newId(), person_id: personId, role, status: 'active', accepted_at: writtenAt })
    .onConflict((conflict) =>
      conflict
        .columns(['school_id', 'person_id'])
        .doUpdateSet((row) => ({ role, status: 'active', updated_at: writtenAt, version: row('staff.version', '+', 1) })),
    )
    .returning(['id', 'version'])
    .executeTakeFirstOrThrow()
  const action = row.version === 1 ? 'created' : 'updated'
  await recordChange(writer, { type: 'staff', resource_id: row.id, action, version: row.version })
}

export interface AccountKey {
  accountId: string
}

/** Sets the password of an account, and ends its sessions and mailed links. Connected apps keep their access. */
export async function setPassword(writer: SchoolWriter, { accountId, passwordHash }: AccountKey & { passwordHash: string }): Promise<void> {
  await updateAccount(writer, { accountId }).set({ password_hash: passwordHash, pending_email: null }).execute()
  await voidMailedLinks(writer, writer.schoolId, accountId)
  await endAccountSessions(writer, writer.schoolId, accountId)
}

/** Disables an account from the next request on and ends its sessions and mailed links. The caller ends its grants. */
export async function disableAccount(writer: SchoolWriter, { accountId }: AccountKey): Promise<void> {
  await updateAccount(writer, { accountId }).set({ disabled_at: now }).where('disabled_at', 'is', null).execute()
  await voidMailedLinks(writer, writer.schoolId, accountId)
  await endAccountSessions(writer, writer.schoolId, accountId)
}

/** Enables a disabled account. Sessions, links and grants that have ended stay ended. */
export async function enableAccount(writer: SchoolWriter, { accountId }: AccountKey): Promise<void> {
  await updateAccount(writer, { accountId }).set({ disabled_at: null }).where('disabled_at', 'is not', null).execute()
}

const updateAccount = (writer: SchoolWriter, { accountId }: AccountKey) =>
  writer
    .updateTable('account')
    .set((account) => ({ updated_at: now, version: account('version', '+', 1) }))
    .where('id', '=', accountId)

export interface ListedPerson {
  accountId: string
  email: string
  name: string
  role: Role
  isDisabled: boolean
  hasPassword: boolean
  createdAt: Date
  lastSignInAt: Date | null
}

/** Lists the people with a login, enabled or disabled, by address; or the one with this account id or address. */
export async function listPeople(
  reader: SchoolReader,
  { accountId, email }: { accountId?: string; email?: string } = {},
): Promise<ListedPerson[]> {
  const rows = await reader
    .selectFrom('account')
    .leftJoin('person', 'person.account_id', 'account.id')
    .leftJoin('staff', (join) => join.onRef('staff.person_id', '=', 'person.id').on('staff.status', '=', 'active'))
    .select((row) => [
      'account.id as accountId',
      'account.email',
      'account.name',
      'staff.role',
      'account.disabled_at as disabledAt',
      row('account.password_hash', 'is not', null).as('hasPassword'),
      'account.created_at as createdAt',
      'account.last_sign_in_at as lastSignInAt',
    ])
    .$if(accountId !== undefined, (query) => query.where('account.id', '=', String(accountId)))
    .$if(email !== undefined, (query) => query.where('account.email', '=', String(email)))
    .orderBy('account.email')
    .execute()
  return rows.map(({ role, disabledAt, hasPassword, ...row }) => ({
    ...row,
    role: (role ?? 'learner') as Role,
    isDisabled: disabledAt !== null,
    hasPassword: Boolean(hasPassword),
  }))
}
