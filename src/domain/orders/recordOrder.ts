import { newId } from '../../lib/ids.ts'
import { Problem } from '../../lib/problem.ts'
import type { Sql } from '../../store/sql.ts'
import { reserveCoupon } from '../coupons/reserveCoupon.ts'
import { type OrderAmounts, priceLines, type Tax } from './amounts.ts'
import { openAccess } from './orderAccess.ts'
import { addSpend, type InSchool, recordOrderChange } from './orderContext.ts'
import { type Payment, paymentColumns } from './payment.ts'

/** One line of a new order. Amounts in the smallest unit of the school's currency. */
export interface OrderItem {
  type: 'course' | 'digital_product' | 'membership_plan'
  id: string
  priceId?: string | null | undefined
  title: string
  quantity?: number | undefined
  unitAmount: number
}

/** The coupon of an order, and what it takes off each line. */
export interface OrderCoupon {
  id: string
  code: string
  discounts: readonly number[]
  /** False where an earlier order has counted the use: a renewal. */
  isNewUse?: boolean | undefined
}

export interface NewOrder extends InSchool {
  personId: string
  kind: 'one_time' | 'subscription_initial' | 'subscription_renewal' | 'zero_total'
  status: 'pending' | 'paid'
  items: readonly OrderItem[]
  coupon?: OrderCoupon | undefined
  subscriptionId?: string | undefined
  payment?: Payment | undefined
  /** How long a pending order waits. Without it: as long as a checkout may take. */
  expiresAt?: Date | undefined
  billingAddress?: object | undefined
  taxId?: string | undefined
  attribution?: object | undefined
}

/** How long a checkout may take. */
export const checkoutMinutes = 30

/**
 * Writes down a purchase: its amounts, its buyer as they are called now, the use of its coupon, and, where it is paid, what it opens.
 * Call it last in its transaction: the number is given by a row that everybody who buys waits for.
 * @throws Problem coupon_unavailable, coupon_already_used
 * @throws Problem validation_failed where the amounts are not ones that an order can have
 */
export async function recordOrder(sql: Sql, order: NewOrder): Promise<{ orderId: string; number: string; redemptionId: string | null }> {
  const { schoolId, now, personId, status, items, coupon } = order
  const { tax, currency } = await selling(sql, schoolId)
  const amounts = priced(order, tax)
  const orderId = newId()
  // The coupon is locked before anything that is opened, and the person after all of it.
  const counted = coupon?.isNewUse === false ? undefined : coupon
  if (counted) await reserveCoupon.count(sql, { schoolId, couponId: counted.id })
  await insertOrder(sql, order, { orderId, currency, amounts, tax })
  const redemptionId = counted
    ? await reserveCoupon.redeem(sql, {
        schoolId,
        now,
        couponId: counted.id,
        personId,
        orderId,
        item: firstDiscounted(items, counted.discounts),
        amountOff: amounts.discount,
        currency,
        status: status === 'paid' ? 'confirmed' : 'reserved',
      })
    : null
  if (status === 'paid') {
    await openAccess(sql, { schoolId, now, orderId })
    await addSpend(sql, schoolId, personId, amounts.total)
  }
  await recordOrderChange(sql, schoolId, { id: orderId, version: 1 }, 'created')
  return { orderId, number: await giveNumber(sql, order, orderId), redemptionId }
}

function priced({ items, coupon }: NewOrder, tax: Tax): OrderAmounts {
  try {
    return priceLines(
      items.map(({ unitAmount, quantity = 1 }, index) => ({ unitAmount, quantity, discount: coupon?.discounts[index] ?? 0 })),
      tax,
    )
  } catch (cause) {
    throw new Problem('validation_failed', { description: 'These items cannot be ordered together at this price.', cause })
  }
}

function firstDiscounted(items: readonly OrderItem[], discounts: readonly number[]): OrderItem {
  return (items[
    Math.max(
      0,
      discounts.findIndex((discount) => discount > 0),
    )
  ] ?? items[0]) as OrderItem
}

async function selling(sql: Sql, schoolId: string): Promise<{ currency: string; tax: Tax }> {
  const [school] = await sql.query<{ currency: string; tax: { mode?: Tax['mode']; default_rate_bps?: number } | null }>(
    `SELECT currency, settings -> 'tax' AS tax FROM school WHERE id = $1`,
    [schoolId],
  )
  if (!school) throw new Error(`there is no school ${schoolId}`)
  return { currency: school.currency, tax: { mode: school.tax?.mode ?? 'none', rateBps: school.tax?.default_rate_bps ?? 0 } }
}

async function insertOrder(
  sql: Sql,
  order: NewOrder,
  { orderId, currency, amounts, tax }: { orderId: string; currency: string; amounts: OrderAmounts; tax: Tax },
): Promise<void> {
  const { schoolId, now, personId, kind, status, items, coupon, subscriptionId, billingAddress, taxId, attribution } = order
  const { payment_provider, payment_reference, payment } = paymentColumns(order.payment ?? { provider: 'none' })
  const expiresAt = status === 'pending' ? (order.expiresAt ?? new Date(now.getTime() + checkoutMinutes * 60_000)) : null
  const bought = await sql.query(
    `INSERT INTO orders (school_id, id, created_at, updated_at, placed_at, number, status, kind, person_id, buyer_name, buyer_email, currency,
            subtotal_amount, discount_amount, tax_amount, total_amount, tax_mode, coupon_id, coupon_code, subscription_id,
            payment_provider, payment_reference, payment, billing_address, tax_id, attribution, paid_at, expires_at)
     SELECT $1::uuid, $2::uuid, $3::timestamptz, $3::timestamptz, $3::timestamptz, $2::text, $4::text, $5::text, p.id, p.name, p.email, $6::text,
            $7::bigint, $8::bigint, $9::bigint, $10::bigint, $11::text, $12::uuid, $13::text, $14::uuid,
            $15::text, $16::text, $17::jsonb, $18::jsonb, $19::text, $20::jsonb, $21::timestamptz, $22::timestamptz
       FROM person p WHERE p.school_id = $1::uuid AND p.id = $23::uuid
     RETURNING id`,
    [
      schoolId,
      orderId,
      now,
      status,
      kind,
      currency,
      amounts.subtotal,
      amounts.discount,
      amounts.tax,
      amounts.total,
      tax.mode,
      coupon?.id ?? null,
      coupon?.code ?? null,
      subscriptionId ?? null,
      payment_provider,
      payment_reference,
      payment,
      json(billingAddress),
      taxId ?? null,
      json(attribution),
      status === 'paid' ? now : null,
      expiresAt,
      personId,
    ],
  )
  if (bought.length === 0) throw new Error(`there is no person ${personId} to order`)
  const line = <Value>(of: (item: OrderItem, index: number) => Value): Value[] => items.map(of)
  await sql.query(
    `INSERT INTO order_item (school_id, id, created_at, updated_at, order_id, position, product_type, product_id, price_id, title, quantity,
            currency, unit_amount, discount_amount, tax_amount, total_amount)
     SELECT $1::uuid, l.id, $2::timestamptz, $2::timestamptz, $3::uuid, l.position, l.type, l.product, l.price, l.title, l.quantity,
            $4::text, l.unit, l.discount, l.tax, l.total
       FROM unnest($5::uuid[], $6::int[], $7::text[], $8::uuid[], $9::uuid[], $10::text[], $11::int[], $12::bigint[], $13::bigint[],
                   $14::bigint[], $15::bigint[]) AS l (id, position, type, product, price, title, quantity, unit, discount, tax, total)`,
    [
      schoolId,
      now,
      orderId,
      currency,
      line(() => newId()),
      line((_item, index) => index),
      line(({ type }) => type),
      line(({ id }) => id),
      line(({ priceId }) => priceId ?? null),
      line(({ title }) => title),
      line(({ quantity = 1 }) => quantity),
      line(({ unitAmount }) => unitAmount),
      ...(['discount', 'tax', 'total'] as const).map((member) => amounts.lines.map((one) => one[member])),
    ],
  )
}

const json = (value: object | undefined): string | null => (value === undefined ? null : JSON.stringify(value))

/** `YYYY-NNNNNN`, in the year of the school's clock; the receipt of what is paid has the same number. */
async function giveNumber(sql: Sql, { schoolId, now }: NewOrder, orderId: string): Promise<string> {
  const [row] = await sql.query<{ number: string }>(
    `WITH counted AS (
       INSERT INTO order_counter (school_id, year, last_no)
       SELECT $1::uuid, extract(year FROM $3::timestamptz AT TIME ZONE s.time_zone)::int, 1 FROM school s WHERE s.id = $1::uuid
       ON CONFLICT (school_id, year) DO UPDATE SET last_no = order_counter.last_no + 1
       RETURNING year, last_no),
     named AS (SELECT year || '-' || lpad(last_no::text, greatest(6, length(last_no::text)), '0') AS number FROM counted)
     UPDATE orders SET number = named.number, receipt_number = CASE WHEN orders.status = 'paid' THEN named.number END
       FROM named WHERE orders.school_id = $1::uuid AND orders.id = $2::uuid
     RETURNING orders.number`,
    [schoolId, orderId, now],
  )
  return (row as { number: string }).number
}
