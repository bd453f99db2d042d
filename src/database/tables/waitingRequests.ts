import type { SchoolReader } from '../connection/database.ts'
import { now } from '../statements/expressions.ts'
import { isLiveGrant } from './connectedApps.ts'

/** A request of an app that waits for the decision of a person. */
export interface WaitingRequest {
  id: string
  grant_id: string
  client_id: string
  operation: string
  created_at: Date
  expires_at: Date
}

/** Returns the requests that wait, of a grant or of all apps of a person, the oldest first. */
export async function waitingRequests(reader: SchoolReader, of: { grantId: string } | { accountId: string }): Promise<WaitingRequest[]> {
  return await reader
    .selectFrom('approval')
    .innerJoin('oidc_grant', 'oidc_grant.id', 'approval.grant_id')
    .select(['approval.id', 'approval.grant_id', 'oidc_grant.client_id', 'approval.operation', 'approval.created_at', 'approval.expires_at'])
    .where('approval.status', '=', 'pending')
    .where('approval.expires_at', '>', now)
    .where(isLiveGrant)
    .where((row) => ('grantId' in of ? row('approval.grant_id', '=', of.grantId) : row('oidc_grant.account_id', '=', of.accountId)))
    .orderBy('approval.id')
    .limit(100)
    .execute()
}
