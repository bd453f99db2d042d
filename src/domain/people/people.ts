import { newId } from '../../lib/ids.ts'
import type { Role } from '../../policy/caller.ts'
import { endAccountSessions } from '../../store/accountSessions.ts'
import type { Reader, Writer } from '../../store/database.ts'
import { voidMailedLinks } from '../../store/mailedLinks.ts'
import type { Sql } from '../../store/sql.ts'
import { hasOtherOwner, lockOwners } from '../staff/owners.ts'

export interface NewPerson {
  schoolId: string
  /** As `normaliseEmail` answers it. */
  email: string
  name: string
  role: Role
  isEmailVerified: boolean
  /** Left out: there is no password to sign in with yet. */
  passwordHash?: string | undefined
}

/**
 * Makes a login. A person whom the school knows by that address without a login becomes its person: only for whom the school vouches.
 * Undefined where the address has a login already.
 */
export async function createPerson(writer: Writer, person: NewPerson): Promise<{ accountId: string; personId: string } | undefined> {
  const { schoolId, email, name, isEmailVerified, passwordHash } = person
  const account = await writer
    .insertInto('account')
    .values({ school_id: schoolId, id: newId(), email, name, email_verified: isEmailVerified, password_hash: passwordHash ?? null })
    .onConflict((conflict) => conflict.columns(['school_id', 'email']).doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!account) return undefined
  const personId = await personOf(writer, { schoolId, accountId: account.id, email, name, isStudent: person.role === 'learner' })
  await writeRole(writer, { schoolId, personId, role: person.role })
  return { accountId: account.id, personId }
}

export type RoleChange = { before: Role } | { refused: 'last_owner' }

/** Makes an account's person an owner, admin, lecturer or learner from the next request on. A school keeps an owner who can sign in. */
export async function setRole(
  writer: Writer,
  { schoolId, accountId, role }: { schoolId: string; accountId: string; role: Role },
): Promise<RoleChange> {
  await lockOwners(writer, schoolId)
  const { email, name } = await writer
    .selectFrom('account')
    .select(['email', 'name'])
    .where('school_id', '=', schoolId)
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
  const personId = await personOf(writer, { schoolId, accountId, email, name, isStudent: role === 'learner' })
  const staff = await writer
    .selectFrom('staff')
    .select('role')
    .where('school_id', '=', schoolId)
    .where('person_id', '=', personId)
    .where('status', '=', 'active')
    .executeTakeFirst()
  const before = (staff?.role ?? 'learner') as Role
  if (before === role) return { before }
  if (before === 'owner' && !(await hasOtherOwner(writer, { schoolId, personId }))) return { refused: 'last_owner' }
  await writeRole(writer, { schoolId, personId, role })
  return { before }
}

/** The person behind an account: the one it has, else the one whom the school knows by its address, else a new one. */
async function personOf(
  writer: Writer,
  { schoolId, accountId, email, name, isStudent }: { schoolId: string; accountId: string; email: string; name: string; isStudent: boolean },
): Promise<string> {
  const own = await writer
    .selectFrom('person')
    .select('id')
    .where('school_id', '=', schoolId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  if (own) return own.id
  const { id } = await writer
    .insertInto('person')
    .values({
      school_id: schoolId,
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
    .returning('id')
    .executeTakeFirstOrThrow(() => new Error(`${email} is the address of a person who has another login`))
  return id
}

// A learner is a person without an active row here.
async function writeRole(writer: Writer, { schoolId, personId, role }: { schoolId: string; personId: string; role: Role }): Promise<void> {
  const now = new Date()
  if (role === 'learner') {
    await writer
      .updateTable('staff')
      .set((row) => ({ status: 'removed', updated_at: now, version: row('version', '+', 1) }))
      .where('school_id', '=', schoolId)
      .where('person_id', '=', personId)
      .execute()
    return
  }
  await writer
    .insertInto('staff')
    .values({ school_id: schoolId, id: newId(), person_id: personId, role, status: 'active', accepted_at: now })
    .onConflict((conflict) =>
      conflict
        .columns(['school_id', 'person_id'])
        .doUpdateSet((row) => ({ role, status: 'active', updated_at: now, version: row('staff.version', '+', 1) })),
    )
    .execute()
}

export interface AccountKey {
  schoolId: string
  accountId: string
}

/** Gives an account another password. Every session of it ends, and every link that was mailed to it; what was allowed to apps stays. */
export async function setPassword(sql: Sql, { schoolId, accountId, passwordHash }: AccountKey & { passwordHash: string }): Promise<void> {
  await sql.query(
    `UPDATE account SET password_hash = $3, pending_email = NULL, updated_at = now(), version = version + 1
      WHERE school_id = $1 AND id = $2`,
    [schoolId, accountId, passwordHash],
  )
  await voidMailedLinks(sql, schoolId, accountId)
  await endAccountSessions(sql, schoolId, accountId)
}

/** Shuts an account out from the next request on; its sessions and mailed links end for good. End what it allowed as well. */
export async function disableAccount(sql: Sql, { schoolId, accountId }: AccountKey): Promise<void> {
  await sql.query(
    `UPDATE account SET disabled_at = now(), updated_at = now(), version = version + 1
      WHERE school_id = $1 AND id = $2 AND disabled_at IS NULL`,
    [schoolId, accountId],
  )
  await voidMailedLinks(sql, schoolId, accountId)
  await endAccountSessions(sql, schoolId, accountId)
}

/** Lets an account in again. What was ended stays ended. */
export async function enableAccount(sql: Sql, { schoolId, accountId }: AccountKey): Promise<void> {
  await sql.query(
    `UPDATE account SET disabled_at = NULL, updated_at = now(), version = version + 1
      WHERE school_id = $1 AND id = $2 AND disabled_at IS NOT NULL`,
    [schoolId, accountId],
  )
}

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

/** Everybody with a login, disabled or not, by address; or the one whose id or address it is. */
export async function listPeople(
  reader: Reader,
  schoolId: string,
  { accountId, email }: { accountId?: string; email?: string } = {},
): Promise<ListedPerson[]> {
  const rows = await reader
    .selectFrom('account')
    .leftJoin('person', (join) => join.onRef('person.school_id', '=', 'account.school_id').onRef('person.account_id', '=', 'account.id'))
    .leftJoin('staff', (join) =>
      join.onRef('staff.school_id', '=', 'person.school_id').onRef('staff.person_id', '=', 'person.id').on('staff.status', '=', 'active'),
    )
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
    .where('account.school_id', '=', schoolId)
    .$if(accountId !== undefined, (query) => query.where('account.id', '=', accountId as string))
    .$if(email !== undefined, (query) => query.where('account.email', '=', email as string))
    .orderBy('account.email')
    .execute()
  return rows.map(({ role, disabledAt, hasPassword, ...row }) => ({
    ...row,
    role: (role ?? 'learner') as Role,
    isDisabled: disabledAt !== null,
    hasPassword: Boolean(hasPassword),
  }))
}
