import { grantsAccessSql } from '../../store/accessExpressions.ts'
import { recordChanges } from '../../store/changeLog.ts'
import type { Writer } from '../../store/database.ts'
import { type ChangedPerson, changedPersonColumns, recordPersonChanges } from '../../store/personChanges.ts'
import { kyselyOf } from '../../store/rawSql.ts'
import type { Sql } from '../../store/sql.ts'
import { releaseUses } from '../coupons/releaseCoupon.ts'
import { endEnrollments } from '../learning/endEnrollments.ts'
import type { OfSubscription, SubscriptionRow } from './subscriptionRow.ts'

/** What a person has, as an expression over `person`: what they pay for comes before what they were given. */
const tierSql = `coalesce((
  SELECT CASE WHEN bool_or("subscription"."collection" <> 'comped') THEN 'paid' ELSE 'comped' END
    FROM "subscription" JOIN plan_price ON plan_price.school_id = "subscription".school_id AND plan_price.id = "subscription".price_id
   WHERE "subscription".school_id = person.school_id AND "subscription".person_id = person.id AND ${grantsAccessSql}
     AND plan_price.amount > 0
  HAVING count(*) > 0), 'free')`

/** Writes the tier of these people, where it is another one by now. */
export async function settleTier(
  sql: Sql,
  { schoolId, now }: { schoolId: string; now: Date },
  personIds: readonly string[],
): Promise<void> {
  const changed = await sql.query<ChangedPerson>(
    `UPDATE person SET tier = ${tierSql}, version = version + 1, updated_at = $3
      WHERE school_id = $1 AND id = ANY ($2::uuid[]) AND tier <> ${tierSql} RETURNING ${changedPersonColumns}`,
    [schoolId, personIds, now],
  )
  await recordPersonChanges(sql, schoolId, changed)
}

/** What follows once a step of a subscription is written: what it opened ends where it opens nothing any more, and the person's tier. */
export async function settle(
  sql: Sql,
  { schoolId, now, subscriptionId }: OfSubscription,
  row: Pick<SubscriptionRow, 'person_id'>,
): Promise<void> {
  const [granting] = await sql.query(`SELECT id FROM "subscription" WHERE school_id = $1 AND id = $2 AND ${grantsAccessSql}`, [
    schoolId,
    subscriptionId,
  ])
  if (!granting) await endEnrollments(kyselyOf(sql) as Writer, { schoolId, now, subscriptionId })
  await dropAwaited(sql, { schoolId, now, subscriptionId })
  await settleTier(sql, { schoolId, now }, [row.person_id])
}

/** Cancels the order of a renewal that nobody has paid, once its subscription is over. */
async function dropAwaited(sql: Sql, { schoolId, now, subscriptionId }: OfSubscription): Promise<void> {
  const dropped = await sql.query<{ id: string; version: number }>(
    `UPDATE orders SET status = 'canceled', canceled_at = $3, expires_at = NULL, version = orders.version + 1, updated_at = $3
       FROM subscription ended
      WHERE orders.school_id = $1 AND orders.subscription_id = $2 AND orders.status = 'pending'
        AND ended.school_id = $1 AND ended.id = $2 AND ended.status IN ('canceled', 'expired')
      RETURNING orders.id, orders.version`,
    [schoolId, subscriptionId, now],
  )
  if (dropped.length === 0) return
  await releaseUses(sql, { schoolId, now, orderIds: dropped.map(({ id }) => id) })
  await recordChanges(sql, { school_id: schoolId, type: 'order', action: 'canceled' }, dropped)
}

/** Whoever takes a plan is a member of the school. */
export async function makeMember(sql: Sql, { schoolId, now }: { schoolId: string; now: Date }, personId: string): Promise<void> {
  const changed = await sql.query<ChangedPerson>(
    `UPDATE person SET is_member = true, joined_at = coalesce(joined_at, $3), version = version + 1, updated_at = $3,
            member_status = CASE member_status WHEN 'left' THEN 'active' ELSE member_status END
      WHERE school_id = $1 AND id = $2 AND (NOT is_member OR member_status = 'left') RETURNING ${changedPersonColumns}`,
    [schoolId, personId, now],
  )
  await recordPersonChanges(sql, schoolId, changed, { member: 'created' })
}
