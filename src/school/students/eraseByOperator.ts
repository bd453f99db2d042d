import type { SchoolWriter } from '../../database/connection/database.ts'
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
  db: SchoolWriter,
  { personId, accountId, email }: { personId?: string | undefined; accountId?: string | undefined; email?: string | undefined },
): Promise<ErasablePerson | undefined> {
  const person = await db
    .selectFrom('person')
    .leftJoin('account', 'account.id', 'person.account_id')
    .select(['person.id as personId', 'person.account_id as accountId', 'person.email'])
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
    .where((row) => (accountId === undefined ? row('email', '=', String(email)) : row('id', '=', accountId)))
    .executeTakeFirst()
  return account && { personId: null, ...account }
}

export interface OperatorErasure {
  person: ErasablePerson
  now: Date
  cancelsSubscriptions: boolean
  endGrant: EndGrant
}

/**
 * Erases a person immediately, by the rules of an erasure through the API. Returns why nothing was changed: the person is the only owner,
 * or has a running subscription that the operator did not ask to cancel.
 */
export async function eraseByOperator(
  writer: SchoolWriter,
  { person: { personId, accountId }, now, cancelsSubscriptions, endGrant }: OperatorErasure,
): Promise<'erased' | 'last_owner' | 'active_subscription'> {
  if (personId === null) {
    if (accountId !== null) await eraseAccount(writer, { accountId, endGrant })
    return 'erased'
  }
  await lockOwners(writer)
  if ((await isOwner(writer, personId)) && !(await hasOtherOwner(writer, { personId }))) return 'last_owner'
  if (!cancelsSubscriptions && (await hasRunningSubscription(writer, personId))) return 'active_subscription'
  await cancelSubscriptionsOf(writer, { schoolId: writer.schoolId, now, personId, reason: 'staff' })
  await erasePerson(writer, { personId, now, endGrant })
  await recordErasure(writer, { personId, now })
  return 'erased'
}

export async function isOwner(writer: SchoolWriter, personId: string): Promise<boolean> {
  const owner = await writer
    .selectFrom('staff')
    .select('id')
    .where('person_id', '=', personId)
    .where('role', '=', 'owner')
    .where('status', '=', 'active')
    .executeTakeFirst()
  return owner !== undefined
}
