import { accountPaths } from '../../base/accountPaths.ts'
import { Problem } from '../../base/problem.ts'
import type { SchoolWriter, Stored } from '../../database/connection/database.ts'
import { quotedName } from '../../database/outbox/sendMessage.ts'
import { now as databaseNow } from '../../database/statements/expressions.ts'
import { findAnyClient } from '../../database/tables/clients.ts'
import { findOwnName } from '../../database/tables/grants.ts'
import { schoolTimeZone } from '../../database/tables/schools.ts'
import { accountLinks } from '../../identity/accounts/accountNotices.ts'
import { pageUrl } from '../../identity/accounts/createMailedLink.ts'
import type { CallerContext } from '../changeContext.ts'
import { cancelSubscriptionsOf, hasRunningSubscription } from '../memberships/endSubscriptions.ts'
import { hasOtherOwner, lockOwners } from '../staff/owners.ts'
import { type EndGrant, eraseAccount } from '../students/eraseAccount.ts'
import { erasePerson, recordErasure } from '../students/erasePerson.ts'
import { lockPlaces } from '../students/releasePlaces.ts'

/** Days between the request and the deletion, in which the person can cancel it. */
const deletionDays = 14

export type DeletionRequest = CallerContext<'send' | 'emailLimits'>

type NotifiedAccount = Stored<'account', 'id' | 'email' | 'locale' | 'time_zone'>

/**
 * Schedules the deletion of an account and e-mails the person which app requested it, unless they did it themselves. The account works as before until then.
 * @throws Problem last_owner, active_subscription
 */
export async function scheduleDeletion(
  { writer, school, caller, now, externalServices }: DeletionRequest,
  account: NotifiedAccount & { deletion_scheduled_at: Date | null },
) {
  if (account.deletion_scheduled_at) return undefined
  if (caller.personId !== null && (await hasRunningSubscription(writer, caller.personId))) throw new Problem('active_subscription')
  if (caller.role === 'owner') {
    await lockOwners(writer)
    if (!(await hasOtherOwner(writer, { personId: caller.personId }))) throw new Problem('last_owner')
  }
  // The account page sends its own e-mail.
  if (caller.clientId !== '' && (await externalServices.emailLimits.isNoticeAllowed(school, noticeOf(account, 'deletion_scheduled')))) {
    const link = pageUrl(school, accountPaths.data)
    const own = await findOwnName(writer, school.id, { accountId: caller.accountId, clientId: caller.clientId })
    const client = await findAnyClient(writer, school.id, caller.clientId)
    const app = quotedName(String(own ?? client?.metadata.client_name ?? caller.clientId))
    const facts = { at: now.toISOString(), time_zone: account.time_zone ?? (await schoolTimeZone(writer, school.id)) }
    const to = { email: account.email, locales: [account.locale] }
    await externalServices.send(writer, school, to, 'deletion_scheduled', { link, app, facts })
  }
  return { deletion_scheduled_at: new Date(now.getTime() + deletionDays * 86_400_000) }
}

/** Cancels the scheduled deletion of the caller's account through the API, and e-mails the person. Returns undefined if none is scheduled. */
export async function restoreAccount(
  { writer, school, now, externalServices }: Pick<DeletionRequest, 'writer' | 'school' | 'now' | 'externalServices'>,
  account: NotifiedAccount & { deletion_scheduled_at: Date | null },
): Promise<{ deletion_scheduled_at: null } | undefined> {
  if (account.deletion_scheduled_at === null) return undefined
  const isNotified = await externalServices.emailLimits.isNoticeAllowed(school, noticeOf(account, 'deletion_canceled'))
  if (!isNotified) return { deletion_scheduled_at: null }
  const facts = { at: now.toISOString(), time_zone: account.time_zone ?? (await schoolTimeZone(writer, school.id)) }
  const { reset } = accountLinks(school)
  await externalServices.send(writer, school, { email: account.email, locales: [account.locale] }, 'deletion_canceled', { reset, facts })
  return { deletion_scheduled_at: null }
}

const noticeOf = ({ id }: NotifiedAccount, kind: 'deletion_scheduled' | 'deletion_canceled') => ({ account_id: id, kind })

export async function cancelDeletion(writer: SchoolWriter, accountId: string): Promise<boolean> {
  const { numUpdatedRows } = await writer
    .updateTable('account')
    .set((account) => ({ deletion_scheduled_at: null, updated_at: databaseNow, version: account('version', '+', 1) }))
    .where('id', '=', accountId)
    .where('deletion_scheduled_at', '>', databaseNow)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/**
 * Deletes an account that is due: revokes its grants, deletes the login and anonymises the person, whose other data stays. Returns the
 * number of deleted accounts.
 */
export async function deleteDueAccount(
  writer: SchoolWriter,
  { accountId, endGrant }: { accountId: string; endGrant: EndGrant },
): Promise<number> {
  // Checked again under the lock: the deletion may have been cancelled meanwhile, or done by another instance.
  const account = await writer
    .selectFrom('account')
    .select('id')
    .where('id', '=', accountId)
    .where('deletion_scheduled_at', '<=', databaseNow)
    .forUpdate()
    .executeTakeFirst()
  if (!account) return 0
  const person = await writer.selectFrom('person').select('id').where('account_id', '=', accountId).executeTakeFirst()
  if (!person) {
    await eraseAccount(writer, { accountId, endGrant })
    return 1
  }
  const now = new Date()
  await lockPlaces(writer, { personId: person.id })
  await writer.selectFrom('person').select('id').where('id', '=', person.id).forUpdate().execute()
  await cancelSubscriptionsOf(writer, { schoolId: writer.schoolId, personId: person.id, now, reason: 'other' })
  await erasePerson(writer, { personId: person.id, now, endGrant })
  await recordErasure(writer, { personId: person.id, now })
  return 1
}
