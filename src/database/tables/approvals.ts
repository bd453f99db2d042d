import type { Selectable } from 'kysely'
import { newId } from '../../base/ids.ts'
import type { approval } from '../../gen/kysely/tables.ts'
import type { Reader, SchoolReader, SchoolWriter, Writer } from '../connection/database.ts'
import { now, secondsAgo, secondsFromNow } from '../statements/expressions.ts'
import { storableJson } from '../statements/storableText.ts'
import type { ApprovalSummary } from './approvalSummary.ts'

export type ApprovalStatus = 'pending' | 'approved' | 'refused' | 'used'

/** A request of an app about which the person decides. */
export interface Approval extends Omit<Selectable<approval>, 'school_id' | 'summary' | 'status' | 'kind_until'> {
  status: ApprovalStatus
  summary: ApprovalSummary
  /** True if nobody can decide any more, or the decision can no longer be used. */
  is_expired: boolean
  /** True while similar requests are allowed. */
  is_kind: boolean
}

/** How long a person can decide, and how long the app can use the decision, in seconds. */
export const approvalSeconds = 3600
/** How many similar requests a person can allow together. */
export const maxKindUses = 10
/** An app that has so many requests waiting, or so many refused within a day, may send no further one. */
const [maxPending, maxRefused] = [10, 3]
/** How long a request that the person refused may not be repeated, in seconds. */
const refusedSeconds = 86_400
/** How long decisions are shown, in days. */
const keptDays = 30

export const selectApprovals = (reader: SchoolReader) =>
  reader
    .selectFrom('approval')
    .select(['approval.id', 'approval.grant_id', 'approval.operation', 'approval.fingerprint', 'approval.row_version', 'approval.summary'])
    .select(['approval.status', 'approval.created_at', 'approval.decided_at', 'approval.expires_at', 'approval.content'])
    .select(['approval.kind', 'approval.kind_ends_at', 'approval.kind_uses'])
    .select((row) => row.cast<boolean>(row('approval.expires_at', '<=', now), 'boolean').as('is_expired'))
    .select((row) => row.fn.coalesce(row.cast<boolean>(row('approval.kind_ends_at', '>', now), 'boolean'), row.lit(false)).as('is_kind'))
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

/** Returns the approvals that allow similar requests now: see the column `approval.kind`. */
export async function findKinds(reader: SchoolReader, { grantId, kind }: { grantId: string; kind: string }): Promise<Approval[]> {
  return await selectApprovals(reader)
    .where('approval.grant_id', '=', grantId)
    .where('approval.kind', '=', kind)
    .where('approval.kind_ends_at', '>', now)
    .where('approval.kind_uses', '<', maxKindUses)
    .orderBy('approval.id')
    .execute()
}

export interface NewApproval extends ApprovalRequest {
  rowVersion: number | null
  summary: ApprovalSummary
  /** See the columns `approval.content` and `approval.kind`. */
  content: string
  kind: string | null
}

/**
 * Stores a request about which the person decides, unless a concurrent one has done so. Returns the approval, or why the app may not ask:
 * too many requests wait, or were refused within a day.
 */
export async function createApproval(
  writer: SchoolWriter,
  request: NewApproval,
  isReadable: (content: string) => boolean,
): Promise<Approval | 'pending' | 'refused'> {
  const { grantId, operation, fingerprint, rowVersion, summary, content, kind } = request
  // Requests of an app take turns here, so that the person is asked once, and only so many requests wait.
  await writer.selectFrom('oidc_grant').select('id').where('id', '=', grantId).forNoKeyUpdate().executeTakeFirst()
  const found = await findApproval(writer, request)
  const isCurrent = found?.row_version === rowVersion && found.content !== null && isReadable(found.content)
  if (found && isCurrent && found.status !== 'used') return found
  await writer
    .updateTable('approval')
    .set({ expires_at: now })
    .where('grant_id', '=', grantId)
    .where('fingerprint', '=', fingerprint)
    .where('status', 'in', ['pending', 'approved'])
    .where('expires_at', '>', now)
    .execute()
  const excess = await excessOf(writer, grantId)
  if (excess) return excess
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
      content,
      kind,
      expires_at: secondsFromNow(approvalSeconds),
    })
    .execute()
  return await selectApprovals(writer).where('approval.id', '=', id).executeTakeFirstOrThrow()
}

/** Returns which of its requests an app has too many of: those that wait, or those that the person refused. */
async function excessOf(writer: SchoolWriter, grantId: string): Promise<'pending' | 'refused' | undefined> {
  const { pending, refused } = await writer
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
    ])
    .where('grant_id', '=', grantId)
    .executeTakeFirstOrThrow()
  if (refused >= maxRefused) return 'refused'
  return pending >= maxPending ? 'pending' : undefined
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

/** Counts a request that is similar to an approved one, within its transaction. Returns false if no further one is allowed. */
export async function useKind(writer: SchoolWriter, id: string): Promise<boolean> {
  const used = await writer
    .updateTable('approval')
    .set((row) => ({ kind_uses: row('kind_uses', '+', 1) }))
    .where('id', '=', id)
    .where('kind_ends_at', '>', now)
    .where('kind_uses', '<', maxKindUses)
    .returning('id')
    .executeTakeFirst()
  return used !== undefined
}

/** Ends the approvals of grants: requests that wait, and what the person allowed. */
export async function endApprovals(writer: Writer, schoolId: string, grantIds: readonly string[]): Promise<void> {
  await writer
    .updateTable('approval')
    .set({ kind_until: null, kind_ends_at: null, expires_at: now })
    .where('school_id', '=', schoolId)
    .where('grant_id', 'in', grantIds)
    .where('status', '<>', 'refused')
    .where((row) => row.or([row('expires_at', '>', now), row('kind_ends_at', '>', now)]))
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

/**
 * Deletes what requests contain, if a person was erased since: any of them can be about that person. A request that waits, or that the app can still
 * repeat, keeps it until then. Returns the number of requests.
 */
export async function sweepContents(database: Reader): Promise<number> {
  const { numUpdatedRows } = await database
    .updateTable('approval')
    .set({ content: null })
    .where('content', 'is not', null)
    .where((row) => row.or([row('status', 'in', ['used', 'refused']), row('expires_at', '<=', now)]))
    .where((row) =>
      row.exists(
        row
          .selectFrom('person')
          .whereRef('person.school_id', '=', 'approval.school_id')
          .whereRef('person.erased_at', '>=', 'approval.created_at'),
      ),
    )
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}
