import { insertRows, withoutChecks } from '../store/bulkRows.ts'
import type { Database, Writer } from '../store/database.ts'
import type { Sql } from '../store/sql.ts'
import type { Activity } from './generate/activity.ts'
import { communityRows } from './tables/community.ts'
import type { Context } from './tables/context.ts'
import { couponRows } from './tables/coupons.ts'
import { formRows } from './tables/forms.ts'
import { learningRows } from './tables/learning.ts'
import { membershipRows } from './tables/memberships.ts'
import { orderRows } from './tables/orders.ts'
import { productRows } from './tables/products.ts'

interface Written {
  context: Context
  activity: Activity
  productFiles(product: number): readonly string[]
}

/** Writes the activity of the school: each row after those that it refers to. People and courses exist already. */
export async function writeActivity(
  kind: Database['kind'],
  { writer, sql }: { writer: Writer; sql: Sql },
  { context, activity, productFiles }: Written,
): Promise<void> {
  const memberships = membershipRows(context, activity)
  const coupons = couponRows(context, activity)
  const orders = orderRows(context, activity)
  const products = productRows(context, activity, productFiles)
  const learning = learningRows(context, activity)
  const community = communityRows(context, activity)
  const forms = formRows(context, activity)
  await insertRows(sql, 'membership_plan', memberships.plans)
  await insertRows(sql, 'plan_price', memberships.prices)
  await insertRows(sql, 'digital_product', products.products)
  await insertRows(sql, 'product_file', products.files, 'school_id, id')
  // The embedded database takes seconds to check the references of these rows.
  if (kind === 'embedded') await withoutChecks(sql, writeRows)
  else await writeRows()

  async function writeRows(): Promise<void> {
    await insertRows(sql, 'plan_item', memberships.items)
    await insertRows(sql, 'coupon', coupons.coupons)
    await insertRows(sql, 'coupon_item', coupons.items)
    await insertRows(sql, 'subscription', memberships.subscriptions)
    await insertRows(sql, 'orders', orders.orders)
    await insertRows(sql, 'order_item', orders.items)
    await insertRows(sql, 'refund', orders.refunds)
    await insertRows(sql, 'refund_item', orders.refundItems)
    await insertRows(sql, 'order_counter', orders.counters)
    await insertRows(sql, 'document_counter', orders.documentCounters)
    await setLatestOrders(writer, context.schoolId)
    await insertRows(sql, 'coupon_redemption', coupons.redemptions)
    await insertRows(sql, 'entitlement', orders.entitlements)
    await insertRows(sql, 'product_grant', products.grants)
    await insertRows(sql, 'enrollment', learning.enrollments)
    await insertRows(sql, 'certificate', learning.certificates)
    await insertRows(sql, 'lesson_progress', learning.progress)
    await insertRows(sql, 'quiz_attempt', learning.attempts)
    await insertRows(sql, 'event', community.events)
    await insertRows(sql, 'event_host', community.eventHosts)
    await insertRows(sql, 'event_plan', community.eventPlans)
    await insertRows(sql, 'rsvp', community.rsvps)
    await insertRows(sql, 'post', community.posts)
    await insertRows(sql, 'post_body', community.postBodies)
    await insertRows(sql, 'post_plan', community.postPlans)
    await insertRows(sql, 'comment', community.comments)
    await insertRows(sql, 'form', forms.forms)
    await insertRows(sql, 'form_submission', forms.submissions)
  }
}

/** Sets the order with which each subscription was billed last. */
async function setLatestOrders(writer: Writer, schoolId: string): Promise<void> {
  await writer
    .updateTable('subscription')
    .set((row) => ({
      latest_order_id: row
        .selectFrom('orders')
        .select('orders.id')
        .whereRef('orders.school_id', '=', 'subscription.school_id')
        .whereRef('orders.subscription_id', '=', 'subscription.id')
        .orderBy('orders.id', 'desc')
        .limit(1),
    }))
    .where('school_id', '=', schoolId)
    .where('latest_order_id', 'is', null)
    .execute()
}
