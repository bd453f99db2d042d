import { type SqlBool, sql } from 'kysely'
import type { Reader } from '../connection/database.ts'
import { now, secondsAgo } from '../statements/expressions.ts'
import { decisionSeconds } from './proposals.ts'

/** How long proposals are kept after their end, in days. */
const keptDays = 30

/** Removes up to `limit` old proposals. Returns their number. */
export async function sweepProposals(database: Reader, limit: number): Promise<number> {
  const { numDeletedRows } = await database
    .with('old', (one) =>
      one
        .selectFrom('proposal')
        .select(['school_id', 'id'])
        .where('expires_at', '<', secondsAgo(keptDays * 86_400))
        .orderBy('expires_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .deleteFrom('proposal')
    .using('old')
    .whereRef('proposal.school_id', '=', 'old.school_id')
    .whereRef('proposal.id', '=', 'old.id')
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/**
 * Deletes what requests contain and their responses, if a person was erased since: any of them can be about that person. A request that waits
 * keeps it until then, and the response of a single request until the app can no longer repeat it. Returns the number of requests.
 */
export async function sweepContents(database: Reader): Promise<number> {
  const { numUpdatedRows } = await database
    .updateTable('proposal_request')
    .from('proposal')
    .set({ sealed: null, response: null })
    .whereRef('proposal.school_id', '=', 'proposal_request.school_id')
    .whereRef('proposal.id', '=', 'proposal_request.proposal_id')
    .where((row) => row.or([row('proposal_request.sealed', 'is not', null), row('response', 'is not', null)]))
    .where((row) => row.or([row('proposal.status', 'in', ['refused', 'ended']), row('proposal.expires_at', '<=', now), wasDecided]))
    .where((row) =>
      row.exists(
        row
          .selectFrom('person')
          .whereRef('person.school_id', '=', 'proposal.school_id')
          .whereRef('person.erased_at', '>=', 'proposal.created_at'),
      ),
    )
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

const wasDecided = sql<SqlBool>`proposal.decided_at < now() - make_interval(secs => ${sql.lit(decisionSeconds)})`
