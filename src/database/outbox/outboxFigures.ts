import { sql } from 'kysely'
import type { Reader } from '../connection/database.ts'
import { type OutboxKind, outboxKinds } from './outboxKinds.ts'

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
