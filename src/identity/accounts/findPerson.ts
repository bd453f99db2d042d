import type { PersonCaller, Role } from '../../base/caller.ts'
import type { SchoolReader } from '../../database/connection/database.ts'
import { now } from '../../database/statements/expressions.ts'

export type CurrentPerson = Pick<PersonCaller, 'accountId' | 'personId' | 'lecturerId' | 'role'>

/**
 * Returns the person behind an account, or undefined if the account was disabled or deleted.
 * Read for each request and never cached: a demotion takes effect immediately.
 *
 * With `grantId`: also undefined if that grant has expired or was revoked, or if its client is disabled. The same statement checks
 * it, so a token in a cache costs no extra query.
 */
export async function findPerson(database: SchoolReader, accountId: string, grantId?: string): Promise<CurrentPerson | undefined> {
  const row = await database
    .selectFrom('account')
    .leftJoin('person', 'person.account_id', 'account.id')
    .leftJoin('staff', (join) => join.onRef('staff.person_id', '=', 'person.id').on('staff.status', '=', 'active'))
    .select(['person.id as person_id', 'staff.role', 'staff.lecturer_id'])
    .where('account.id', '=', accountId)
    .where('account.disabled_at', 'is', null)
    .where((account) =>
      account.or([account('account.deletion_scheduled_at', 'is', null), account('account.deletion_scheduled_at', '>', now)]),
    )
    .$if(grantId !== undefined, (query) =>
      query.where((account) =>
        account.exists(
          account
            .selectFrom('oidc_grant')
            .innerJoin('oidc_client', 'oidc_client.id', 'oidc_grant.client_id')
            .where('oidc_grant.id', '=', grantId ?? '')
            .whereRef('oidc_grant.account_id', '=', 'account.id')
            .where('oidc_grant.revoked_at', 'is', null)
            .where('oidc_grant.expires_at', '>', now)
            .where('oidc_client.disabled_at', 'is', null),
        ),
      ),
    )
    .$narrowType<{ role: Role | null }>()
    .executeTakeFirst()
  return row && { accountId, personId: row.person_id, role: row.role ?? 'learner', lecturerId: row.lecturer_id }
}
