import type { Writer } from '../../store/database.ts'
import { cancelSubscriptionsOf, hasRunningSubscription } from '../memberships/endSubscriptions.ts'
import { hasOtherOwner, lockOwners } from '../staff/owners.ts'
import { type EndGrant, eraseAccount } from './eraseAccount.ts'
import { erasePerson, recordErasure } from './erasePerson.ts'

/** A person of a school: with a login, with a profile, or with both. */
export interface ErasablePerson {
  personId: string | null
  accountId: string | null
  email: string
}

/** Returns the person with this id, account or e-mail address; undefined if there is none, or if they were erased. */
export async function findErasable(
  db: Writer,
  schoolId: string,
  { personId, accountId, email }: { personId?: string | undefined; accountId?: string | undefined; email?: string | undefined },
): Promise<ErasablePerson | undefined> {
  const person = await db
    .selectFrom('person')
    .leftJoin('account', (join) => join.onRef('account.school_id', '=', 'person.school_id').onRef('account.id', '=', 'person.account_id'))
    .select(['person.id as personId', 'person.account_id as accountId', 'person.email'])
    .where('person.school_id', '=', schoolId)
    .where('person.erased_at', 'is', null)
    .where((row) =>
      row.or([
        ...(personId === undefined ? [] : [row('person.id', '=', personId)]),
        ...(accountId === undefined ? [] : [row('person.account_id', '=', accountId)]),
        ...(email === undefined ? [] : [row('person.email', '=', email), row('account.email', '=', email)]),
      ]),
    )
    .orderBy('person.account_id')
    .executeTakeFirst()
  if (person || personId !== undefined) return person
  const account = await db
    .selectFrom('account')
    .select(['id as accountId', 'email'])
    .where('school_id', '=', schoolId)
    .where((row) => (accountId === undefined ? row('email', '=', String(email)) : row('id', '=', accountId)))
    .executeTakeFirst()
  return account && { personId: null, ...account }
}

export interface OperatorErasure {
  schoolId: string
  person: ErasablePerson
  now: Date
  /** Cancels running subscriptions first. */
  cancelsSubscriptions: boolean
  endGrant: EndGrant
}

/**
 * Erases a person immediately, by the rules of an erasure through the API. Returns why nothing was changed: the person is the only owner,
 * or has a running subscription that the operator did not ask to cancel.
 */
export async function eraseByOperator(
  writer: Writer,
  { schoolId, person: { personId, accountId }, now, cancelsSubscriptions, endGrant }: OperatorErasure,
): Promise<'erased' | 'last_owner' | 'active_subscription'> {
  if (personId === null) {
    if (accountId !== null) await eraseAccount(writer, { schoolId, accountId, endGrant })
    return 'erased'
  }
  await lockOwners(writer, schoolId)
  if ((await isOwner(writer, schoolId, personId)) && !(await hasOtherOwner(writer, { schoolId, personId }))) return 'last_owner'
  if (!cancelsSubscriptions && (await hasRunningSubscription(writer, schoolId, personId))) return 'active_subscription'
  await cancelSubscriptionsOf(writer, { schoolId, now, personId, reason: 'staff' })
  await erasePerson(writer, { schoolId, personId, now, endGrant })
  await recordErasure(writer, { schoolId, personId, now })
  return 'erased'
}

/** True if the person is an active owner of the school. */
export async function isOwner(writer: Writer, schoolId: string, personId: string): Promise<boolean> {
  const owner = await writer
    .selectFrom('staff')
    .select('id')
    .where('school_id', '=', schoolId)
    .where('person_id', '=', personId)
    .where('role', '=', 'owner')
    .where('status', '=', 'active')
    .executeTakeFirst()
  return owner !== undefined
}
