import { sql } from 'kysely'
import type { Reader } from '../database.ts'
import { now, secondsFromNow } from '../expressions.ts'

export interface OutboxFilter {
  schoolId: string
  kind?: string | undefined
  /** Only deliveries to this webhook endpoint. */
  target?: string | undefined
  state?: string | undefined
  /** Only rows that were written at this time or later. */
  since?: Date | undefined
  id?: string | undefined
}

const matching = (db: Reader, { schoolId, kind, target, state, since, id }: OutboxFilter) =>
  db
    .selectFrom('outbox')
    .where('school_id', '=', schoolId)
    .$if(kind !== undefined, (rows) => rows.where('kind', '=', kind ?? ''))
    .$if(target !== undefined, (rows) => rows.where('target', '=', target ?? ''))
    .$if(state !== undefined, (rows) => rows.where('state', '=', state ?? ''))
    .$if(since !== undefined, (rows) => rows.where('created_at', '>=', since ?? new Date()))
    .$if(id !== undefined, (rows) => rows.where('id', '=', id ?? ''))

/** Lists rows of the outbox, newest first. The payload of webhooks holds ids; all others are sealed and left out. */
export async function listOutbox(db: Reader, { limit, ...filter }: OutboxFilter & { limit: number }) {
  return await matching(db, filter)
    .select(['kind', 'target', 'state', 'attempts', 'next_at', 'reason', 'created_at', 'finished_at'])
    .select(({ cast, ref }) => [
      cast<string>('id', 'text').as('id'),
      sql<Record<string, unknown> | null>`CASE WHEN ${ref('kind')} = 'webhook' THEN ${ref('payload')} END`.as('event'),
    ])
    .orderBy('outbox.id', 'desc')
    .limit(limit)
    .execute()
}

/** How long replayed rows are attempted. */
const replayedSeconds = 3 * 86_400

/**
 * Makes rows due again, which were given up or, of webhooks, delivered. Rows whose payload was deleted stay as they are. Returns their
 * number.
 */
export async function replayOutbox(db: Reader, filter: OutboxFilter): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('outbox')
    .set({
      state: 'pending',
      attempts: 0,
      next_at: now,
      locked_until: null,
      finished_at: null,
      expires_at: secondsFromNow(replayedSeconds),
    })
    .where('school_id', '=', filter.schoolId)
    .where('state', '!=', 'pending')
    .where('payload', 'is not', null)
    .where('id', 'in', matching(db, filter).select('id'))
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

/** Deletes rows that no process works on. Returns their number. */
export async function discardOutbox(db: Reader, filter: OutboxFilter): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('outbox')
    .where('school_id', '=', filter.schoolId)
    .where((row) => row.or([row('locked_until', 'is', null), row('locked_until', '<', now)]))
    .where('id', 'in', matching(db, filter).select('id'))
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}
