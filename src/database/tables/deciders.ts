import { type Expression, sql } from 'kysely'
import type { SchoolWriter } from '../connection/database.ts'
import type { Builder, Condition } from '../statements/expressions.ts'

type Proposals = Builder<'proposal' | 'oidc_grant'>

/** True for the requests about which a person decides: their apps, and deletions by the apps of others if they own or manage the school. */
export const mayDecide = (row: Proposals, accountId: string | Expression<string>): Condition =>
  row.or([
    row.and([row('oidc_grant.account_id', '=', accountId), row.not(needsSecond(row))]),
    row.and([
      row('oidc_grant.account_id', '<>', accountId),
      needsSecond(row),
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

/** True for deletions as long as the school has the rule: it holds when a person decides, not when the app asks. */
const needsSecond = (row: Proposals): Condition =>
  row.and([
    row('proposal.needs_second', '=', true),
    row.exists(
      row
        .selectFrom('school')
        .select('school.id')
        .whereRef('school.id', '=', 'proposal.school_id')
        .where(({ ref }) => sql<boolean>`${ref('school.app_rules')} ->> 'second_person' = 'true'`),
    ),
  ])

/** True for the requests that a person sees: those about which they decide, and those of their apps. */
export const maySee = (row: Proposals, accountId: string): Condition =>
  row.or([row('oidc_grant.account_id', '=', accountId), mayDecide(row, accountId)])

/** Notes that a proposal deletes something. Whether a second person decides about that depends on the rules of the school at the time. */
export async function noteDeletion(writer: SchoolWriter, proposalId: string): Promise<void> {
  await writer.updateTable('proposal').set({ needs_second: true }).where('id', '=', proposalId).where('needs_second', '=', false).execute()
}
