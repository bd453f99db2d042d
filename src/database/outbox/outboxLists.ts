import type { Reader } from '../connection/database.ts'
import { now, secondsFromNow } from '../statements/expressions.ts'

export interface OutboxFilter {
  schoolId: string
  /** Only deliveries to this webhook endpoint. */
  target?: string | undefined
  state?: string | undefined
  /** Only rows that were written at this time or later. */
  since?: Date | undefined
  id?: string | undefined
}

const matching = (db: Reader, { schoolId, target, state, since, id }: OutboxFilter) =>
  db
    .selectFrom('outbox')
    .where('school_id', '=', schoolId)
    .$if(target !== undefined, (rows) => rows.where('target', '=', target ?? ''))
    .$if(state !== undefined, (rows) => rows.where('state', '=', state ?? ''))
    .$if(since !== undefined, (rows) => rows.where('created_at', '>=', since ?? new Date()))
    .$if(id !== undefined, (rows) => rows.where('id', '=', id ?? ''))

/** Returns the number of rows of all schools that were kept because nothing is sent. */
export async function countWithheld(db: Reader): Promise<number> {
  const { count } = await db
    .selectFrom('outbox')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('state', '=', 'withheld')
    .executeTakeFirstOrThrow()
  return Number(count)
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
