import { firstIdAt } from '../../base/ids.ts'
import type { SchoolReader } from '../connection/database.ts'
import { daySeconds, now, secondsAgo } from '../statements/expressions.ts'
import { isLiveGrant } from './connectedApps.ts'
import { mayDecide } from './deciders.ts'

/** Requests of an app that wait for the decision of a person. */
export interface WaitingRequest {
  id: string
  grant_id: string
  client_id: string
  /** The name of a proposal. Null for a single request. */
  name: string | null
  /** The operation of the first request. */
  operation: string
  created_at: Date
  expires_at: Date
}

/** Returns the requests that wait, of a grant or of all apps of a person, the oldest first. */
export async function waitingRequests(reader: SchoolReader, of: { grantId: string } | { accountId: string }): Promise<WaitingRequest[]> {
  const rows = await reader
    .selectFrom('proposal')
    .innerJoin('oidc_grant', 'oidc_grant.id', 'proposal.grant_id')
    .select(['proposal.id', 'proposal.grant_id', 'oidc_grant.client_id', 'proposal.name', 'proposal.created_at', 'proposal.expires_at'])
    .select((row) =>
      row
        .selectFrom('proposal_request')
        .select('operation')
        .whereRef('proposal_request.proposal_id', '=', 'proposal.id')
        .orderBy('position')
        .limit(1)
        .as('operation'),
    )
    .where('proposal.status', '=', 'submitted')
    .where('proposal.expires_at', '>', now)
    .where(isLiveGrant)
    .where((row) => ('grantId' in of ? row('proposal.grant_id', '=', of.grantId) : row('oidc_grant.account_id', '=', of.accountId)))
    .orderBy('proposal.id')
    .limit(100)
    .execute()
  return rows.map((row) => ({ ...row, operation: row.operation ?? '' }))
}

/** Returns the number of unusual apps that no owner has looked after: those that are paused, for a week, and the others for a day. */
export async function countUnusual(reader: SchoolReader): Promise<number> {
  const { count } = await reader
    .selectFrom('app_signal')
    .innerJoin('oidc_client', 'oidc_client.id', 'app_signal.client_id')
    .select((row) => row.cast<number>(row.fn.count('app_signal.client_id').distinct(), 'int4').as('count'))
    .where('app_signal.kind', '<>', 'asked')
    .where('app_signal.noticed_at', '>', secondsAgo(daySeconds(7)))
    .where('oidc_client.disabled_at', 'is', null)
    .where((row) => {
      const isNew = row('app_signal.noticed_at', '>', row.fn.coalesce('oidc_client.continued_at', secondsAgo(daySeconds(1))))
      const isOfToday = row('app_signal.noticed_at', '>', secondsAgo(daySeconds(1)))
      return row.or([row('oidc_client.paused_at', 'is not', null), row.and([isNew, isOfToday])])
    })
    .executeTakeFirstOrThrow()
  return count
}

interface Waited {
  /** How long requests are collected, in seconds. */
  collectedSeconds: number
  /** How long a person is not notified again, in seconds. */
  quietSeconds: number
  /** The event that records a notice. */
  event: string
  limit: number
}

/** Returns the people for whose decision requests of apps wait, and who have not been notified of any recently. */
export async function peopleWaitedFor(reader: SchoolReader, { collectedSeconds, quietSeconds, event, limit }: Waited) {
  return await reader
    .selectFrom('proposal')
    .innerJoin('oidc_grant', 'oidc_grant.id', 'proposal.grant_id')
    .innerJoin('account', (join) => join.onTrue())
    .select(['account.id', 'account.email', 'account.locale'])
    .distinct()
    .where('proposal.status', '=', 'submitted')
    .where('proposal.created_at', '<=', secondsAgo(collectedSeconds))
    .where('proposal.expires_at', '>', now)
    .where('account.disabled_at', 'is', null)
    .where((row) => mayDecide(row, row.ref('account.id')))
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom('audit_log')
            .select('audit_log.id')
            .where('audit_log.event', '=', event)
            .where('audit_log.id', '>=', firstIdAt(Date.now() - quietSeconds * 1000))
            .whereRef('audit_log.account_id', '=', row.cast<string>('account.id', 'text')),
        ),
      ),
    )
    .limit(limit)
    .execute()
}
