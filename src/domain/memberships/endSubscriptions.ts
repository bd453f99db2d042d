import type { Sql } from '../../store/sql.ts'
import { leaveSeat, lockPlans } from './planSeats.ts'
import { settle } from './settle.ts'
import { ended, givenUp } from './steps.ts'
import { type InSchool, type SubscriptionColumns, type SubscriptionRow, writeStep } from './subscriptionRow.ts'

/** Why a subscription ended, as its staff or its person say, or the clock. */
export const cancellationReasons = [
  'too_expensive',
  'not_using',
  'missing_content',
  'switching',
  'other',
  'payment_failed',
  'staff',
] as const
export type CancellationReason = (typeof cancellationReasons)[number]

/** Whether a person has a subscription that goes on: none that is over, or already ends with its period. */
export async function hasRunningSubscription(sql: Sql, schoolId: string, personId: string): Promise<boolean> {
  const rows = await sql.query(
    `SELECT id FROM subscription
      WHERE school_id = $1 AND person_id = $2 AND status NOT IN ('canceled', 'expired') AND NOT cancel_at_period_end LIMIT 1`,
    [schoolId, personId],
  )
  return rows.length > 0
}

/** Ends every subscription of a person now, those too that end with their period. Part of the caller's transaction. Answers their number. */
export async function cancelSubscriptionsOf(
  sql: Sql,
  { schoolId, now, personId, reason }: InSchool & { personId: string; reason: CancellationReason },
): Promise<number> {
  const rows = await sql.query<SubscriptionRow>(
    `SELECT * FROM subscription WHERE school_id = $1 AND person_id = $2 AND status NOT IN ('canceled', 'expired') ORDER BY id FOR UPDATE`,
    [schoolId, personId],
  )
  await lockPlans(
    sql,
    schoolId,
    rows.map(({ plan_id }) => plan_id),
  )
  for (const row of rows) {
    await endNow(sql, { schoolId, now }, row, { cancellation_reason: row.cancellation_reason ?? reason })
  }
  return rows.length
}

/** Ends one subscription; one that never began expires. The row and its plan are locked. */
export async function endNow(
  sql: Sql,
  { schoolId, now }: InSchool,
  row: SubscriptionRow,
  { at = now, ...said }: SubscriptionColumns & { at?: Date } = {},
): Promise<SubscriptionRow> {
  const isBegun = row.status !== 'incomplete'
  const columns = isBegun ? { ...ended(row, at), ...said } : givenUp(at)
  await leaveSeat(sql, row, columns.status as string)
  const written = await writeStep(sql, row, { columns, action: isBegun ? 'canceled' : 'expired', now })
  await settle(sql, { schoolId, now, subscriptionId: row.id }, written)
  return written
}
