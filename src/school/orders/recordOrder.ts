import { sql } from 'kysely'
import { newId } from '../../base/ids.ts'
import { Problem } from '../../base/problem.ts'
import { elementAt } from '../../base/text/elementAt.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { requireFirstPurchase } from '../coupons/requireFirstPurchase.ts'
import { countUse, recordUse } from '../coupons/reserveCoupon.ts'
import { reserveOrderedSeats } from '../events/orderedSeats.ts'
import type { ItemType } from '../itemRef.ts'
import { announce } from '../notifications/announce.ts'
import type { InSchool } from '../schoolHandles.ts'
import { issueInvoice } from './documentNumbers.ts'
import { openAccess } from './orderAccess.ts'
import { addSpend, recordOrderChange } from './orderContext.ts'
import { type Payment, paymentColumns } from './payment.ts'
import { type OrderAmounts, priceLines, type Tax } from './priceLines.ts'
import { salesTax } from './salesTax.ts'

/** One line of a new order. Amounts in the smallest unit of the school's currency. */
export interface OrderItem {
  type: ItemType
  id: string
  priceId?: string | null | undefined
  title: string
  quantity?: number | undefined
  unitAmount: number
  /** A discount without a coupon: what was paid before for the same. */
  credit?: number | undefined
}

export interface OrderCoupon {
  id: string
  code: string
  discounts: readonly number[]
  /** False for a renewal: an earlier order counted the use. */
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
  /** When a pending order expires. Without it, after `checkoutMinutes`. */
  expiresAt?: Date | undefined
  /** ISO 3166-1 code of the buyer's country, which decides on the tax rate. */
  country?: string | null | undefined
  billingAddress?: object | undefined
  taxId?: string | undefined
  attribution?: object | undefined
}

export const checkoutMinutes = 30

/**
 * Records a purchase: its amounts, the current name and address of the buyer and the use of its coupon. A paid order also grants its
 * items. Call this last in a transaction: the order number comes from a row that every other purchase of the school waits for.
 * @throws Problem coupon_unavailable, coupon_already_used, event_full
 * @throws Problem validation_failed if the amounts are outside the limits of an order
 */
export async function recordOrder(
  writer: SchoolWriter,
  order: NewOrder,
): Promise<{ orderId: string; number: string; redemptionId: string | null }> {
  const { now, personId, status, items, coupon } = order
  const { tax, currency } = await salesTax(writer, order.country)
  const amounts = priceOrder(order, tax)
  const orderId = newId()
  // Locks are taken in a constant order: the coupon, then what the order grants, then the person.
  const newUse = coupon?.isNewUse === false ? undefined : coupon
  if (newUse) await countUse(writer, { couponId: newUse.id })
  const events = items.flatMap(({ type, id }) => (type === 'event' ? [id] : []))
  await reserveOrderedSeats(writer, { personId, eventIds: events })
  await insertOrder(writer, order, { orderId, currency, amounts, tax })
  const redemptionId = newUse
    ? await recordUse(writer, {
        now,
        couponId: newUse.id,
        personId,
        orderId,
        item: firstDiscounted(items, newUse.discounts),
        amountOff: amounts.discount,
        currency,
        status: status === 'paid' ? 'confirmed' : 'reserved',
      })
    : null
  if (status === 'paid') {
    await openAccess(writer, { schoolId: writer.schoolId, now, orderId })
    await addSpend(writer, personId, amounts.total)
    await announce(writer, { kind: 'receipt', subjectIds: [orderId], at: now })
  }
  if (newUse) {
    await requireFirstPurchase(writer, { personId, orderId, subscriptionId: order.subscriptionId, couponId: newUse.id })
  }
  await recordOrderChange(writer, { id: orderId, version: 1 }, 'created')
  const number = await assignNumber(writer, order, orderId)
  if (status === 'paid') await issueInvoice(writer, { schoolId: writer.schoolId, now, orderId, total: amounts.total })
  return { orderId, number, redemptionId }
}

function priceOrder({ items, coupon }: NewOrder, tax: Tax): OrderAmounts {
  try {
    return priceLines(
      items.map(({ unitAmount, quantity = 1, credit = 0 }, index) => ({
        unitAmount,
        quantity,
        discount: (coupon?.discounts[index] ?? 0) + credit,
      })),
      tax,
    )
  } catch (cause) {
    throw new Problem('validation_failed', { description: 'These items cannot be ordered together at this price.', cause })
  }
}

function firstDiscounted(items: readonly OrderItem[], discounts: readonly number[]): OrderItem {
  return items[discounts.findIndex((discount) => discount > 0)] ?? elementAt(items, 0)
}

async function insertOrder(
  writer: SchoolWriter,
  order: NewOrder,
  { orderId, currency, amounts, tax }: { orderId: string; currency: string; amounts: OrderAmounts; tax: Tax },
): Promise<void> {
  const { now, personId, kind, status, items, coupon, subscriptionId, billingAddress, taxId, attribution } = order
  const expiresAt = status === 'pending' ? (order.expiresAt ?? new Date(now.getTime() + checkoutMinutes * 60_000)) : null
  await writer
    .with('buyer', (query) => query.selectFrom('person').select(['id', 'name', 'email']).where('id', '=', personId))
    .insertInto('orders')
    .values((row) => ({
      school_id: writer.schoolId,
      id: orderId,
      created_at: now,
      updated_at: now,
      placed_at: now,
      // Replaced by `assignNumber`.
      number: orderId,
      status,
      kind,
      person_id: row.selectFrom('buyer').select('buyer.id'),
      buyer_name: row.selectFrom('buyer').select('buyer.name'),
      buyer_email: row.selectFrom('buyer').select('buyer.email'),
      currency,
      subtotal_amount: amounts.subtotal,
      discount_amount: amounts.discount,
      tax_amount: amounts.tax,
      total_amount: amounts.total,
      tax_mode: tax.mode,
      tax_country: order.country ?? null,
      tax_rate_bps: tax.rateBps,
      coupon_id: coupon?.id ?? null,
      coupon_code: coupon?.code ?? null,
      subscription_id: subscriptionId ?? null,
      ...paymentColumns(order.payment ?? { provider: 'none' }),
      billing_address: json(billingAddress),
      tax_id: taxId ?? null,
      attribution: json(attribution),
      paid_at: status === 'paid' ? now : null,
      expires_at: expiresAt,
    }))
    .execute()
  await writer
    .insertInto('order_item')
    .values(
      amounts.lines.map(({ discount, tax: lineTax, total }, position) => {
        const { type, id, priceId, title, quantity = 1, unitAmount } = elementAt(items, position)
        return {
          school_id: writer.schoolId,
          id: newId(),
          created_at: now,
          updated_at: now,
          order_id: orderId,
          position,
          product_type: type,
          product_id: id,
          price_id: priceId ?? null,
          title,
          quantity,
          reserved_seats: type === 'event' ? 1 : 0,
          currency,
          unit_amount: unitAmount,
          discount_amount: discount,
          tax_amount: lineTax,
          total_amount: total,
        }
      }),
    )
    .execute()
}

const json = (value: object | undefined): string | null => (value === undefined ? null : JSON.stringify(value))

/**
 * Assigns the next number, `YYYY-NNNNNN`, in the current year of the school's time zone. The receipt of a paid order has the same number.
 * Other purchases of the school wait from now on until the transaction ends.
 */
async function assignNumber(writer: SchoolWriter, { now }: NewOrder, orderId: string): Promise<string> {
  const { number } = await writer
    .with('counted', (query) =>
      query
        .insertInto('order_counter')
        .values((counter) => ({
          school_id: writer.schoolId,
          year: counter
            .selectFrom('school')
            .select((school) =>
              sql<number>`extract(year FROM ${now}::timestamptz AT TIME ZONE ${school.ref('school.time_zone')})::int`.as('year'),
            )
            .where('school.id', '=', writer.schoolId),
          last_no: 1,
        }))
        .onConflict((conflict) =>
          conflict.columns(['school_id', 'year']).doUpdateSet((row) => ({ last_no: row('order_counter.last_no', '+', 1) })),
        )
        .returning(['year', 'last_no']),
    )
    .with('numbered', (query) =>
      query.selectFrom('counted').select((counted) => {
        const [year, last] = [counted.ref('counted.year'), sql`${counted.ref('counted.last_no')}::text`]
        return sql<string>`${year} || '-' || lpad(${last}, greatest(6, length(${last})), '0')`.as('number')
      }),
    )
    .updateTable('orders')
    .from('numbered')
    .set((row) => ({
      number: row.ref('numbered.number'),
      receipt_number: row.case().when('orders.status', '=', 'paid').then(row.ref('numbered.number')).end(),
    }))
    .where('orders.id', '=', orderId)
    .returning('orders.number')
    .executeTakeFirstOrThrow()
  return number
}
