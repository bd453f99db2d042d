import type { Reader } from '../connection/database.ts'
import { outboxEmailKinds } from './outboxKinds.ts'

/**
 * Returns why e-mails wait, or undefined: an attempt failed, and no e-mail was delivered since. One recipient whose server
 * defers messages does not count as an outage while others are delivered.
 */
export async function mailOutage(db: Reader): Promise<string | undefined> {
  const waiting = await db
    .selectFrom('outbox')
    .select(({ cast, fn }) => [
      cast<number>(fn.countAll(), 'integer').as('count'),
      fn.min('created_at').as('since'),
      fn.max('reason').as('reason'),
    ])
    .where('kind', 'in', outboxEmailKinds)
    .where('state', '=', 'pending')
    .where('reason', 'is not', null)
    .executeTakeFirstOrThrow()
  if (waiting.count === 0) return undefined
  const delivered = await db
    .selectFrom('outbox')
    .select('id')
    .where('kind', 'in', outboxEmailKinds)
    .where('state', '=', 'delivered')
    .where('finished_at', '>=', waiting.since)
    .limit(1)
    .executeTakeFirst()
  return delivered ? undefined : `e-mails wait after failed attempts: ${waiting.count}. Reason: ${waiting.reason}`
}
