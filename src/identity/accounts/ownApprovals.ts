import { type SqlBool, sql } from 'kysely'
import type { SchoolReader, SchoolWriter } from '../../database/connection/database.ts'
import { now, secondsFromNow } from '../../database/statements/expressions.ts'
import { type Approval, approvalSeconds, maxKindUses, selectApprovals } from '../../database/tables/approvals.ts'
import { isLiveGrant } from '../../database/tables/connectedApps.ts'
import type { AuditRow } from '../../database/tables/readAudit.ts'

export { maxKindUses }

/** A request of an app of a person. */
export interface OwnApproval extends Approval {
  client_id: string
}

/** Returns the newest approvals of a person. */
export async function listApprovals(
  reader: SchoolReader,
  { accountId, limit }: { accountId: string; limit: number },
): Promise<OwnApproval[]> {
  return (await ofAccount(reader, accountId).orderBy('approval.id', 'desc').limit(limit).execute()).map(withEnd)
}

/** Returns an approval of a person. */
export async function findOwnApproval(
  reader: SchoolReader,
  { accountId, id }: { accountId: string; id: string },
): Promise<OwnApproval | undefined> {
  const found = await ofAccount(reader, accountId).where('approval.id', '=', id).executeTakeFirst()
  return found && withEnd(found)
}

const ofAccount = (reader: SchoolReader, accountId: string) =>
  selectApprovals(reader)
    .innerJoin('oidc_grant', 'oidc_grant.id', 'approval.grant_id')
    .select(['oidc_grant.client_id', isLiveGrant.as('is_live')])
    .where('oidc_grant.account_id', '=', accountId)

/** Whatever waits, or is allowed, ends with the access of the app. */
const withEnd = ({ is_live, ...approval }: OwnApproval & { is_live: SqlBool }): OwnApproval => ({
  ...approval,
  is_expired: approval.is_expired || !is_live,
  is_kind: approval.is_kind && Boolean(is_live),
})

/** Returns the entries of the audit trail of what an app did by an approval, the oldest first. */
export async function usesOfApproval(
  reader: SchoolReader,
  { id, grant_id }: Pick<Approval, 'id' | 'grant_id'>,
): Promise<Pick<AuditRow, 'id' | 'at' | 'event' | 'details'>[]> {
  return await reader
    .selectFrom('audit_log')
    .select(['id', 'at', 'event', 'details'])
    .where('grant_id', '=', grant_id)
    .where('id', '>', id)
    .where(({ ref }) => sql<boolean>`${ref('details')} ->> 'approval' = ${id}`)
    .orderBy('id')
    .limit(maxKindUses + 1)
    .$narrowType<{ details: AuditRow['details'] }>()
    .execute()
}

export type Decision = 'once' | 'kind' | 'refuse'

/**
 * Stores the person's decision. Returns false if the request was already decided, has expired, cannot be shown, or does not allow similar ones.
 */
export async function decideApproval(
  writer: SchoolWriter,
  { accountId, id, decision }: { accountId: string; id: string; decision: Decision },
): Promise<boolean> {
  const decided = await writer
    .updateTable('approval')
    .set({
      status: decision === 'refuse' ? 'refused' : 'approved',
      decided_at: now,
      expires_at: secondsFromNow(approvalSeconds),
      kind_ends_at: decision === 'kind' ? secondsFromNow(approvalSeconds) : null,
    })
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .where('expires_at', '>', now)
    .$if(decision !== 'refuse', (query) => query.where('content', 'is not', null))
    .$if(decision === 'kind', (query) => query.where('kind', 'is not', null))
    .where((row) =>
      row.exists(
        row
          .selectFrom('oidc_grant')
          .whereRef('oidc_grant.id', '=', 'approval.grant_id')
          .where('oidc_grant.account_id', '=', accountId)
          .where(isLiveGrant),
      ),
    )
    .returning('id')
    .executeTakeFirst()
  return decided !== undefined
}
