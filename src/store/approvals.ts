import type { Selectable } from 'kysely'
import type { approval } from '../gen/kysely/tables.ts'
import { newId } from '../lib/ids.ts'
import type { ApprovalSummary } from '../policy/approvalSummary.ts'
import type { Reader, SchoolReader, SchoolWriter, Writer } from './database.ts'
import { now, secondsAgo, secondsFromNow } from './expressions.ts'
import { storableJson } from './storableText.ts'

export type ApprovalStatus = 'pending' | 'approved' | 'refused' | 'used'

/** A request of an app about which the person decides. */
export interface Approval extends Omit<Selectable<approval>, 'school_id' | 'summary' | 'status'> {
  status: ApprovalStatus
  summary: ApprovalSummary
  /** True if nobody can decide any more, or the decision can no longer be used. */
  is_expired: boolean
}

/** How long a person can decide, and how long the app can use the decision, in seconds. */
export const approvalSeconds = 3600
/** How long a request that the person refused may not be repeated, in seconds. */
const refusedSeconds = 86_400
/** How long decisions are shown, in days. */
const keptDays = 30

export const selectApprovals = (reader: SchoolReader) =>
  reader
    .selectFrom('approval')
    .select(['approval.id', 'approval.grant_id', 'approval.operation', 'approval.fingerprint', 'approval.row_version', 'approval.summary'])
    .select(['approval.status', 'approval.created_at', 'approval.decided_at', 'approval.expires_at', 'approval.kind_until'])
    .select((row) => row.cast<boolean>(row('approval.expires_at', '<=', now), 'boolean').as('is_expired'))
    .$narrowType<{ status: ApprovalStatus; summary: ApprovalSummary }>()

/** A request of an app about which a person decides. */
export interface ApprovalRequest {
  grantId: string
  operation: string
  /** See the column `approval.fingerprint`. */
  fingerprint: string
}

/** Returns the last approval of the same request. One that was refused is returned for a day, and any other while it is valid. */
export async function findApproval(reader: SchoolReader, { grantId, fingerprint }: ApprovalRequest): Promise<Approval | undefined> {
  return await selectApprovals(reader)
    .where('approval.grant_id', '=', grantId)
    .where('approval.fingerprint', '=', fingerprint)
    .where((row) =>
      row.or([
        row.and([row('approval.status', '=', 'refused'), row('approval.decided_at', '>', secondsAgo(refusedSeconds))]),
        row.and([row('approval.status', '<>', 'refused'), row('approval.expires_at', '>', now)]),
      ]),
    )
    .orderBy('approval.id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** The state of the requests of an app, which decides whether it may send another one. */
export interface ApprovalState {
  /** Requests about which the person has not decided. */
  pending: number
  /** Requests that the person refused within a day. */
  refused: number
  /** True if the person allowed every request of this operation. */
  is_allowed: boolean
}

/** Returns what a person decided about the requests of an app. */
export async function approvalState(
  reader: SchoolReader,
  { grantId, operation }: Omit<ApprovalRequest, 'fingerprint'>,
): Promise<ApprovalState> {
  return await reader
    .selectFrom('approval')
    .select((row) => [
      row
        .cast<number>(row.fn.countAll().filterWhere(row.and([row('status', '=', 'pending'), row('expires_at', '>', now)])), 'int4')
        .as('pending'),
      row
        .cast<number>(
          row.fn.countAll().filterWhere(row.and([row('status', '=', 'refused'), row('decided_at', '>', secondsAgo(refusedSeconds))])),
          'int4',
        )
        .as('refused'),
      row.fn
        .coalesce(
          row.fn.agg<boolean>('bool_or', [row.and([row('operation', '=', operation), row('kind_until', '>', now)])]),
          row.lit(false),
        )
        .as('is_allowed'),
    ])
    .where('grant_id', '=', grantId)
    .executeTakeFirstOrThrow()
}

/** Stores a request about which the person decides, unless a concurrent one has done so. Returns the approval. */
export async function createApproval(
  writer: SchoolWriter,
  request: ApprovalRequest & { rowVersion: number | null; summary: ApprovalSummary },
): Promise<Approval> {
  const { grantId, operation, fingerprint, rowVersion, summary } = request
  // Identical requests of an app take turns here, so that the person is asked once.
  await writer.selectFrom('oidc_grant').select('id').where('id', '=', grantId).forNoKeyUpdate().executeTakeFirst()
  const found = await findApproval(writer, request)
  if (found && found.status !== 'used' && found.row_version === rowVersion) return found
  await writer
    .updateTable('approval')
    .set({ expires_at: now })
    .where('grant_id', '=', grantId)
    .where('fingerprint', '=', fingerprint)
    .where('status', 'in', ['pending', 'approved'])
    .where('expires_at', '>', now)
    .execute()
  const id = newId()
  await writer
    .insertInto('approval')
    .values({
      school_id: writer.schoolId,
      id,
      grant_id: grantId,
      operation,
      fingerprint,
      row_version: rowVersion,
      summary: storableJson(summary),
      expires_at: secondsFromNow(approvalSeconds),
    })
    .execute()
  return await selectApprovals(writer).where('approval.id', '=', id).executeTakeFirstOrThrow()
}

/** Uses an approval, within the transaction of the request. Returns false if it was used, or cannot be used. */
export async function useApproval(writer: SchoolWriter, id: string): Promise<boolean> {
  const used = await writer
    .updateTable('approval')
    .set({ status: 'used' })
    .where('id', '=', id)
    .where('status', '=', 'approved')
    .where('expires_at', '>', now)
    .returning('id')
    .executeTakeFirst()
  return used !== undefined
}

/** Ends the approvals of grants: requests that wait, and what the person allowed. */
export async function endApprovals(writer: Writer, schoolId: string, grantIds: readonly string[]): Promise<void> {
  await writer
    .updateTable('approval')
    .set({ kind_until: null, expires_at: now })
    .where('school_id', '=', schoolId)
    .where('grant_id', 'in', grantIds)
    .where('status', '<>', 'refused')
    .where('expires_at', '>', now)
    .execute()
}

/** Removes up to `limit` old approvals. Returns their number. */
export async function sweepApprovals(database: Reader, limit: number): Promise<number> {
  const { numDeletedRows } = await database
    .with('old', (one) =>
      one
        .selectFrom('approval')
        .select(['school_id', 'id'])
        .where('expires_at', '<', secondsAgo(keptDays * 86_400))
        .orderBy('expires_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .deleteFrom('approval')
    .using('old')
    .whereRef('approval.school_id', '=', 'old.school_id')
    .whereRef('approval.id', '=', 'old.id')
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
