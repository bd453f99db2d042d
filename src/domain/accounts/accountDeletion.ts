import { Problem } from '../../lib/problem.ts'
import { accountPaths } from '../../policy/accountPaths.ts'
import type { PersonCaller } from '../../policy/caller.ts'
import type { ExternalServices } from '../../policy/externalServices.ts'
import { quotedName } from '../../policy/messages.ts'
import type { School } from '../../policy/school.ts'
import { findAnyClient } from '../../store/clients.ts'
import type { Database, Writer } from '../../store/database.ts'
import type { Sql } from '../../store/sql.ts'
import { cancelSubscriptionsOf, hasRunningSubscription } from '../memberships/endSubscriptions.ts'
import { hasOtherOwner, lockOwners } from '../staff/owners.ts'
import { eraseAccount, erasePerson, recordErasure } from '../students/erasePerson.ts'
import { addressOf } from './mailedLinks.ts'

/** How long a person can still change their mind. */
export const deletionDays = 14

export interface DeletionRequest {
  writer: Writer
  sql: Sql
  school: School
  caller: PersonCaller
  now: Date
  externalServices: Pick<ExternalServices, 'send'>
  enqueue(name: string, work: () => Promise<void>): void
}

/**
 * Puts an account down for deletion. Nothing ends before the time has come; the person gets an e-mail that names the app that asked.
 * @throws Problem last_owner, active_subscription
 */
export async function scheduleDeletion(
  { writer, sql, school, caller, now, externalServices, enqueue }: DeletionRequest,
  account: { email: string; locale: string | null; deletion_scheduled_at: Date | null },
) {
  if (account.deletion_scheduled_at) return undefined
  if (caller.personId !== null && (await hasRunningSubscription(sql, school.id, caller.personId))) throw new Problem('active_subscription')
  if (caller.role === 'owner') {
    await lockOwners(writer, school.id)
    if (!(await hasOtherOwner(writer, { schoolId: school.id, personId: caller.personId }))) throw new Problem('last_owner')
  }
  const link = addressOf(school, accountPaths.apps)
  const client = await findAnyClient(sql, school.id, caller.clientId)
  const app = quotedName(String(client?.metadata.client_name ?? caller.clientId))
  enqueue('deletion notice', () =>
    externalServices.send(school, { email: account.email, locales: [account.locale] }, 'deletion_scheduled', { link, app }),
  )
  return { deletion_scheduled_at: new Date(now.getTime() + deletionDays * 86_400_000) }
}

/** Takes an account off the list of those to be deleted. Answers whether it was on it. */
export async function keepAccount(sql: Sql, schoolId: string, accountId: string): Promise<boolean> {
  const kept = await sql.query(
    `UPDATE account SET deletion_scheduled_at = NULL, updated_at = now(), version = version + 1
      WHERE school_id = $1 AND id = $2 AND deletion_scheduled_at > now() RETURNING 1 AS kept`,
    [schoolId, accountId],
  )
  return kept.length > 0
}

/**
 * Deletes accounts whose time has come, at most `limit`, each in a transaction of its own. What they allowed to apps ends, the login goes,
 * and the person behind it has neither name nor address any more; what refers to the person stays. Answers their number.
 */
export async function deleteDueAccounts(
  database: Database,
  endGrant: (sql: Sql, schoolId: string, grantId: string) => Promise<void>,
  limit: number,
): Promise<number> {
  const due = await database.sql.query<{ school_id: string; id: string }>(
    'SELECT school_id, id FROM account WHERE deletion_scheduled_at <= now() ORDER BY deletion_scheduled_at LIMIT $1',
    [limit],
  )
  let deleted = 0
  for (const { school_id: schoolId, id } of due) {
    deleted += await database.transaction((writer, sql) => deleteAccount(writer, sql, { schoolId, accountId: id, endGrant }))
  }
  return deleted
}

async function deleteAccount(
  writer: Writer,
  sql: Sql,
  {
    schoolId,
    accountId,
    endGrant,
  }: { schoolId: string; accountId: string; endGrant(sql: Sql, schoolId: string, grantId: string): Promise<void> },
): Promise<number> {
  const key = [schoolId, accountId]
  // Kept at the last moment, or deleted by another instance: then there is nothing to do.
  const [account] = await sql.query(
    'SELECT 1 FROM account WHERE school_id = $1 AND id = $2 AND deletion_scheduled_at <= now() FOR UPDATE',
    key,
  )
  if (!account) return 0
  const [person] = await sql.query<{ id: string }>('SELECT id FROM person WHERE school_id = $1 AND account_id = $2 FOR UPDATE', key)
  if (!person) {
    await eraseAccount(writer, { schoolId, accountId, endGrant })
    return 1
  }
  const now = new Date()
  await cancelSubscriptionsOf(sql, { schoolId, personId: person.id, now, reason: 'other' })
  await erasePerson(writer, { schoolId, personId: person.id, now, endGrant })
  await recordErasure(writer, { schoolId, personId: person.id, now })
  return 1
}
