import { newId } from '../../lib/ids.ts'
import { Problem } from '../../lib/problem.ts'
import { recordChange } from '../../store/changeLog.ts'
import type { Sql } from '../../store/sql.ts'

interface Use {
  schoolId: string
  now: Date
  couponId: string
  personId: string
  orderId: string
  item: { type: string; id: string }
  amountOff: number
  currency: string
  /** Reserved while a checkout runs. */
  status: 'reserved' | 'confirmed'
}

/** Whether a coupon can be used at all now, as a condition over `coupon`. The clock decides, not a state. */
export const isUsableSql = `(paused_at IS NULL AND archived_at IS NULL AND (starts_at IS NULL OR starts_at <= now())
  AND (ends_at IS NULL OR ends_at > now()) AND (max_redemptions IS NULL OR redemptions_count < max_redemptions))`

/** A person's uses of a coupon, and the number after the last one: `$1` is the school, `coupon` and `person` are expressions. */
const usesOf = (
  coupon: string,
  person: string,
): string => `(SELECT count(*) AS uses, coalesce(max(person_seq), 0) + 1 AS next FROM coupon_redemption
  WHERE school_id = $1 AND coupon_id = ${coupon} AND person_id = ${person} AND status <> 'released') used`

/** The two steps of using a coupon. The first keeps everybody else waiting until the transaction ends: keep it short. */
export const reserveCoupon = {
  /**
   * Counts one more use, if there is one left. Its version stays: how often it was used is no change of what it is.
   * @throws Problem coupon_unavailable
   */
  async count(sql: Sql, { schoolId, couponId }: { schoolId: string; couponId: string }): Promise<void> {
    const counted = await sql.query(
      `UPDATE coupon SET redemptions_count = redemptions_count + 1 WHERE school_id = $1 AND id = $2 AND ${isUsableSql} RETURNING id`,
      [schoolId, couponId],
    )
    if (counted.length === 0) throw new Problem('coupon_unavailable')
  },

  /**
   * Writes down who used it for what. The coupon's row is locked by now, so a person's uses are counted exactly.
   * @throws Problem coupon_already_used
   */
  async redeem(sql: Sql, { schoolId, now, couponId, personId, orderId, item, amountOff, currency, status }: Use): Promise<string> {
    const id = newId()
    const written = await sql.query(
      `INSERT INTO coupon_redemption (school_id, id, created_at, updated_at, coupon_id, person_id, person_seq, order_id, product_type,
              product_id, amount_off, currency, status)
       SELECT $1::uuid, $2::uuid, $3::timestamptz, $3::timestamptz, c.id, $5::uuid, used.next, $6::uuid, $7::text, $8::uuid, $9::bigint,
              $10::text, $11::text
         FROM coupon c, ${usesOf('$4::uuid', '$5::uuid')}
        WHERE c.school_id = $1::uuid AND c.id = $4::uuid AND used.uses < c.max_redemptions_per_person
       RETURNING id`,
      [schoolId, id, now, couponId, personId, orderId, item.type, item.id, amountOff, currency, status],
    )
    if (written.length === 0) throw new Problem('coupon_already_used')
    await recordChange(sql, { school_id: schoolId, type: 'coupon_redemption', resource_id: id, action: 'created', version: 1 })
    return id
  },
}

/**
 * Takes the use of an order's coupon that was given back once more.
 * @throws Problem coupon_unavailable, coupon_already_used
 */
export async function renewUse(
  sql: Sql,
  { schoolId, now, couponId, orderId }: { schoolId: string; now: Date; couponId: string; orderId: string },
): Promise<void> {
  const [given] = await sql.query<{ id: string; person_id: string }>(
    `SELECT id, person_id FROM coupon_redemption WHERE school_id = $1 AND order_id = $2 AND status = 'released'`,
    [schoolId, orderId],
  )
  if (!given) return
  await reserveCoupon.count(sql, { schoolId, couponId })
  const [renewed] = await sql.query<{ version: number }>(
    `UPDATE coupon_redemption r SET status = 'reserved', person_seq = used.next, version = r.version + 1, updated_at = $4
       FROM coupon c, ${usesOf('$3', '$5')}
      WHERE r.school_id = $1 AND r.id = $2 AND c.school_id = $1 AND c.id = $3 AND used.uses < c.max_redemptions_per_person
      RETURNING r.version`,
    [schoolId, given.id, couponId, now, given.person_id],
  )
  if (!renewed) throw new Problem('coupon_already_used')
  await recordChange(sql, {
    school_id: schoolId,
    type: 'coupon_redemption',
    resource_id: given.id,
    action: 'reserved',
    version: renewed.version,
  })
}
