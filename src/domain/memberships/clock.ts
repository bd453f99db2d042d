import { grantsAccessSql } from '../../store/accessExpressions.ts'
import type { Database } from '../../store/database.ts'
import type { Sql } from '../../store/sql.ts'
import { endNow } from './endSubscriptions.ts'
import { lockPlans } from './planSeats.ts'
import { renew } from './renew.ts'
import { settle } from './settle.ts'
import { type DueStep, dueStep, firstPaymentHours, outstandingDays, resumedAt } from './steps.ts'
import { type InSchool, lockSubscription, type OfSubscription, type SubscriptionRow, writeStep } from './subscriptionRow.ts'

/** A subscription that nobody looked at for years catches up over several turns. */
const maxSteps = 24

/** Does with one subscription what the clock says. Doing it again changes nothing. Answers the number of its steps. */
export async function advance(sql: Sql, of: OfSubscription): Promise<number> {
  let row = await lockSubscription(sql, of)
  for (let steps = 0; steps < maxSteps; steps += 1) {
    const due = row && dueStep(row, of.now)
    if (!row || !due) return steps
    await lockPlansOf(sql, row)
    row = await doStep(sql, of, row, due)
  }
  return maxSteps
}

/** Keeps the plan of a subscription, and the one that it is to change to. */
export async function lockPlansOf(
  sql: Sql,
  row: Pick<SubscriptionRow, 'school_id' | 'plan_id' | 'pending_price_id'>,
  more: readonly string[] = [],
) {
  const pending = await sql.query<{ plan_id: string }>('SELECT plan_id FROM plan_price WHERE school_id = $1 AND id = $2', [
    row.school_id,
    row.pending_price_id,
  ])
  await lockPlans(sql, row.school_id, [row.plan_id, ...pending.map(({ plan_id }) => plan_id), ...more])
}

async function doStep(sql: Sql, at: InSchool, row: SubscriptionRow, { kind, at: since }: DueStep): Promise<SubscriptionRow> {
  switch (kind) {
    case 'give_up':
    case 'end':
      return await endNow(sql, at, row, { at: since })
    case 'end_unpaid':
      return await endNow(sql, at, row, { at: since, cancellation_reason: 'payment_failed' })
    case 'resume':
      return await writeStep(sql, row, { columns: resumedAt(row, since), action: 'resumed', now: at.now }).then(async (written) => {
        await settle(sql, { ...at, subscriptionId: row.id }, written)
        return written
      })
    case 'renew':
      return await renew(sql, at, row, { from: since })
  }
}

interface Due {
  school_id: string
  id: string
}

const dueSql = `
  SELECT school_id, id FROM subscription WHERE status IN ('active', 'trialing') AND current_period_end <= $1
  UNION SELECT school_id, id FROM subscription WHERE status IN ('past_due', 'paused') AND cancel_at_period_end AND current_period_end <= $1
  UNION SELECT school_id, id FROM subscription
         WHERE status = 'past_due' AND past_due_since <= $1::timestamptz - make_interval(days => ${outstandingDays})
  UNION SELECT school_id, id FROM subscription
         WHERE status = 'incomplete' AND created_at <= $1::timestamptz - make_interval(hours => ${firstPaymentHours})
  UNION SELECT school_id, id FROM subscription WHERE status = 'paused' AND resumes_at <= $1
  LIMIT $2`

/**
 * Advances subscriptions whose time has come, at most `limit`, each in a transaction of its own: one that fails keeps no other waiting.
 * Answers how many changed.
 * @throws Error the first failure, once all others are done
 */
export async function advanceSubscriptions(database: Database, now: Date, limit: number): Promise<number> {
  const due = await database.sql.query<Due>(dueSql, [now, limit])
  return await each(due, ({ school_id: schoolId, id }) =>
    database.transaction(async (_writer, sql) => Math.min(1, await advance(sql, { schoolId, now, subscriptionId: id }))),
  )
}

/** What outstanding payments opened ends with the days of grace. Answers how many subscriptions that was about. */
export async function closeOutstanding(database: Database, now: Date, limit: number): Promise<number> {
  const over = await database.sql.query<Due & { person_id: string }>(
    `SELECT "subscription".school_id, "subscription".id, "subscription".person_id FROM "subscription"
      WHERE "subscription".status = 'past_due' AND NOT ${grantsAccessSql}
        AND EXISTS (SELECT 1 FROM enrollment e WHERE e.school_id = "subscription".school_id AND e.person_id = "subscription".person_id
                       AND e.subscription_id = "subscription".id AND e.source = 'plan' AND e.status IN ('active', 'completed'))
      LIMIT $1`,
    [limit],
  )
  return await each(over, ({ school_id: schoolId, id, person_id }) =>
    database.transaction(async (_writer, sql) => {
      await settle(sql, { schoolId, now, subscriptionId: id }, { person_id })
      return 1
    }),
  )
}

async function each<Row>(rows: readonly Row[], work: (row: Row) => Promise<number>): Promise<number> {
  const failures: unknown[] = []
  let done = 0
  for (const row of rows) {
    try {
      done += await work(row)
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
  return done
}
