import type { Expression } from 'kysely'
import type { Builder, Condition } from '../statements/expressions.ts'

type Proposals = Builder<'proposal' | 'oidc_grant'>

/** True for the requests about which a person decides: their apps, and deletions by the apps of others if they own or manage the school. */
export const mayDecide = (row: Proposals, accountId: string | Expression<string>): Condition =>
  row.or([
    row.and([row('oidc_grant.account_id', '=', accountId), row('proposal.needs_second', '=', false)]),
    row.and([
      row('oidc_grant.account_id', '<>', accountId),
      row('proposal.needs_second', '=', true),
      row.exists(
        row
          .selectFrom('staff')
          .innerJoin('person', 'person.id', 'staff.person_id')
          .select('staff.id')
          .where('person.account_id', '=', accountId)
          .where('staff.status', '=', 'active')
          .where('staff.role', 'in', ['owner', 'admin']),
      ),
    ]),
  ])

/** True for the requests that a person sees: those about which they decide, and those of their apps. */
export const maySee = (row: Proposals, accountId: string): Condition =>
  row.or([row('oidc_grant.account_id', '=', accountId), mayDecide(row, accountId)])
