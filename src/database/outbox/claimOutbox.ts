import { type SqlBool, sql } from 'kysely'
import type { Reader, Stored } from '../connection/database.ts'
import { now, secondsFromNow } from '../statements/expressions.ts'
import { storableText } from '../statements/storableText.ts'
import { type OutboxKind, outboxKinds } from './outboxKinds.ts'

export interface ClaimedRow extends Stored<'outbox', 'school_id' | 'kind' | 'target' | 'payload' | 'created_at'> {
  id: string
  /** The attempt that begins, from 1. Identifies the claim: a process whose lease has ended cannot settle the row. */
  attempts: number
  is_expired: boolean
}

export interface Claim {
  kind: OutboxKind
  /** Only deliveries to this webhook endpoint. */
  target?: { schoolId: string; name: string } | undefined
  limit: number
  /** After this time another process takes the row over. */
  leaseSeconds: number
}

/**
 * Claims rows that are due, oldest first. Of several processes each row goes to one. A row waits while an earlier one with the same order
 * key is pending.
 */
export async function claimOutbox(db: Reader, { kind, target, limit, leaseSeconds }: Claim): Promise<ClaimedRow[]> {
  const rows = await db
    .with('due', (one) =>
      one
        .selectFrom('outbox')
        .select(['school_id', 'id'])
        .where('state', '=', 'pending')
        .where('kind', '=', kind)
        .where('next_at', '<=', now)
        .$if(target !== undefined, (query) =>
          query.where('school_id', '=', target?.schoolId ?? '').where('target', '=', target?.name ?? ''),
        )
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('outbox as earlier')
                .select('earlier.id')
                .whereRef('earlier.school_id', '=', 'outbox.school_id')
                .whereRef('earlier.order_key', '=', 'outbox.order_key')
                .where('earlier.state', '=', 'pending')
                .whereRef('earlier.id', '<', 'outbox.id'),
            ),
          ),
        )
        .orderBy('next_at')
        .orderBy('id')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .updateTable('outbox')
    .from('due')
    .set((row) => ({
      attempts: row('outbox.attempts', '+', 1),
      locked_until: secondsFromNow(leaseSeconds),
      next_at: secondsFromNow(leaseSeconds),
    }))
    .whereRef('outbox.school_id', '=', 'due.school_id')
    .whereRef('outbox.id', '=', 'due.id')
    .returning(['outbox.school_id', 'outbox.kind', 'outbox.target', 'outbox.payload', 'outbox.attempts', 'outbox.created_at'])
    .returning(({ cast, ref }) => [
      cast<string>('outbox.id', 'text').as('id'),
      sql<SqlBool>`${ref('outbox.expires_at')} < now()`.as('is_expired'),
    ])
    .execute()
  return rows.map((row) => ({ ...row, is_expired: Boolean(row.is_expired) })).toSorted((a, b) => Number(BigInt(a.id) - BigInt(b.id)))
}

export type Settlement =
  | { outcome: 'delivered'; keepsPayload: boolean }
  | { outcome: 'retried'; afterSeconds: number; reason: string }
  | { outcome: 'dead' | 'withheld'; reason: string }

/** Longest reason that is stored, in characters. */
const longestReason = 300

/** Stores how an attempt ended. Does nothing if another process has taken the row over. Returns true if it was stored. */
export async function settleOutbox(
  db: Reader,
  row: Pick<ClaimedRow, 'school_id' | 'id' | 'attempts'>,
  ended: Settlement,
): Promise<boolean> {
  const reason = ended.outcome === 'delivered' ? null : storableText(ended.reason).slice(0, longestReason)
  const { numUpdatedRows } = await db
    .updateTable('outbox')
    .set({
      locked_until: null,
      reason,
      ...(ended.outcome === 'retried'
        ? { next_at: secondsFromNow(ended.afterSeconds) }
        : { state: ended.outcome, finished_at: now, ...(ended.outcome === 'delivered' && !ended.keepsPayload && { payload: null }) }),
    })
    .where('school_id', '=', row.school_id)
    .where('id', '=', row.id)
    .where('state', '=', 'pending')
    .where('attempts', '=', row.attempts)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** The state of the outbox for one kind of work, over all schools. */
export interface OutboxFigures {
  kind: OutboxKind
  /** Rows that are not delivered yet. */
  pending: number
  /** Age of the oldest of them in seconds; 0 if there is none. */
  oldestSeconds: number
  /** Rows that were given up and can be replayed. */
  dead: number
}

/** Returns the figures of every kind, also of those without rows, from one statement. */
export async function outboxFigures(db: Reader): Promise<OutboxFigures[]> {
  const rows = await db
    .selectFrom('outbox')
    .select(({ fn, ref }) => [
      'kind',
      sql<string>`${fn.countAll()} FILTER (WHERE ${ref('state')} = 'pending')`.as('pending'),
      sql<string>`${fn.countAll()} FILTER (WHERE ${ref('state')} = 'dead')`.as('dead'),
      sql<
        string | null
      >`extract(epoch FROM clock_timestamp() - ${fn.min('created_at')} FILTER (WHERE ${ref('state')} = 'pending'))::float8`.as('oldest'),
    ])
    .where('state', 'in', ['pending', 'dead'])
    .groupBy('kind')
    .execute()
  return outboxKinds.map((kind) => {
    const found = rows.find((row) => row.kind === kind)
    return {
      kind,
      pending: Number(found?.pending ?? 0),
      oldestSeconds: Math.max(0, Number(found?.oldest ?? 0)),
      dead: Number(found?.dead ?? 0),
    }
  })
}
