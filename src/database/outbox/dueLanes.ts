import { sql } from 'kysely'
import type { Reader } from '../connection/database.ts'
import { now } from '../statements/expressions.ts'
import { unnest } from '../statements/unnest.ts'
import type { OutboxKind } from './outboxKinds.ts'

/** A kind of work with due rows or, for webhooks, an endpoint with due rows. */
export interface DueLane {
  kind: string
  school_id: string | null
  target: string | null
}

/** Returns what has due rows, in one statement. Leaves out endpoints that are paused. */
export async function dueLanes(db: Reader, kinds: readonly OutboxKind[]): Promise<DueLane[]> {
  const dueRows = db.selectFrom('outbox').select('outbox.id').where('outbox.state', '=', 'pending').where('outbox.next_at', '<=', now)
  return await db
    .selectFrom(unnest('known', { kind: { type: 'text', values: kinds } }))
    .select(({ ref }) => [
      sql<string>`${ref('known.kind')}`.as('kind'),
      sql<string | null>`NULL::uuid`.as('school_id'),
      sql<string | null>`NULL::text`.as('target'),
    ])
    .where(({ exists, ref }) => exists(dueRows.where('outbox.kind', '=', sql<string>`${ref('known.kind')}`)))
    .unionAll(
      db
        .selectFrom('webhook_endpoint')
        .select([sql<string>`'webhook'`.as('kind'), 'webhook_endpoint.school_id', 'webhook_endpoint.name as target'])
        .where('webhook_endpoint.is_active', '=', true)
        .where((row) => row.or([row('paused_until', 'is', null), row('paused_until', '<=', now)]))
        .where(({ exists, ref }) =>
          exists(
            dueRows
              .where('outbox.school_id', '=', sql<string>`${ref('webhook_endpoint.school_id')}`)
              .where('outbox.target', '=', sql<string>`${ref('webhook_endpoint.name')}`),
          ),
        ),
    )
    .execute()
}
