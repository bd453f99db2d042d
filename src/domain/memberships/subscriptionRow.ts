import type { ChangeAction } from '../../store/changeActions.ts'
import { recordChange } from '../../store/changeLog.ts'
import type { Sql } from '../../store/sql.ts'

/** In which school, and when. */
export interface InSchool {
  schoolId: string
  now: Date
}

/** One subscription of a school. */
export interface OfSubscription extends InSchool {
  subscriptionId: string
}

/** A subscription as its rules need it. Amounts in the smallest unit of its currency; eight-byte numbers may arrive as text. */
export interface SubscriptionRow {
  school_id: string
  id: string
  version: number
  created_at: Date
  person_id: string
  plan_id: string
  price_id: string
  status: string
  collection: string
  amount: number | string
  currency: string
  coupon_id: string | null
  discount_ends_at: Date | null
  started_at: Date | null
  current_period_start: Date | null
  current_period_end: Date | null
  trial_ends_at: Date | null
  period_anchor: Date | null
  past_due_since: Date | null
  cancel_at_period_end: boolean
  cancel_at: Date | null
  canceled_at: Date | null
  ended_at: Date | null
  cancellation_reason: string | null
  cancellation_comment: string | null
  paused_at: Date | null
  resumes_at: Date | null
  pending_price_id: string | null
  pending_effective_at: Date | null
  latest_order_id: string | null
}

/** Columns that a step of a subscription writes. */
export type SubscriptionColumns = Partial<Omit<SubscriptionRow, 'school_id' | 'id' | 'version' | 'created_at' | 'person_id'>>

/** The subscription, kept from everybody else's changes until the transaction ends. */
export async function lockSubscription(
  sql: Sql,
  { schoolId, subscriptionId }: Pick<OfSubscription, 'schoolId' | 'subscriptionId'>,
): Promise<SubscriptionRow | undefined> {
  const [row] = await sql.query<SubscriptionRow>('SELECT * FROM subscription WHERE school_id = $1 AND id = $2 FOR UPDATE', [
    schoolId,
    subscriptionId,
  ])
  return row
}

/** Writes a step, counts the version and notes it in the change feed. The row is locked. */
export async function writeStep(
  sql: Sql,
  row: SubscriptionRow,
  { columns, action, now }: { columns: SubscriptionColumns; action: ChangeAction; now: Date },
): Promise<SubscriptionRow> {
  const names = Object.keys(columns)
  const set = names.map((name, index) => `"${name}" = $${index + 4}`)
  const [written] = await sql.query<SubscriptionRow>(
    `UPDATE subscription SET ${[...set, 'version = version + 1', 'updated_at = $3'].join(', ')} WHERE school_id = $1 AND id = $2 RETURNING *`,
    [row.school_id, row.id, now, ...Object.values(columns)],
  )
  if (!written) throw new Error(`there is no subscription ${row.id}`)
  await recordChange(sql, { school_id: row.school_id, type: 'subscription', resource_id: row.id, action, version: written.version })
  return written
}
