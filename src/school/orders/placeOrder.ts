import { fieldError, fieldProblem, Problem } from '../../base/problem.ts'
import { deliverableEmail } from '../../base/text/emailAddress.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { now as databaseTime } from '../../database/statements/expressions.ts'
import { findOffers, type Offer, type RequestedItem } from '../coupons/findOffers.ts'
import { validateCoupon } from '../coupons/validateCoupon.ts'
import { lockedCurrencyOf } from '../currencyOf.ts'
import { statusesWithSeat } from '../events/eventAccess.ts'
import type { StoredItem } from '../itemRef.ts'
import { lockPlans, requireNotSubscribed } from '../memberships/syncAccess.ts'
import type { InSchool } from '../schoolHandles.ts'
import { addFacet, findOrCreatePerson } from '../students/findOrCreatePerson.ts'
import { payOrder } from './orderTransitions.ts'
import { type OrderCoupon, recordOrder } from './recordOrder.ts'

export interface CheckoutRequest extends InSchool {
  buyer: { email: string; name?: string | undefined }
  /** Stored ids; undefined for an id that does not belong to its type. */
  items: readonly (RequestedItem | undefined)[]
  couponCode?: string | undefined
  /** When the checkout expires. Default: after `checkoutMinutes`. */
  expiresAt?: Date | undefined
  /** The total that the buyer saw, in the smallest unit. */
  expectedTotal?: number | undefined
  /** ISO 3166-1 code of the buyer's country. Default: the country of the billing address. */
  country?: string | undefined
  billingAddress?: { country?: string | undefined } | undefined
  taxId?: string | undefined
  attribution?: object | undefined
}

/**
 * Starts the checkout of a purchase: a pending order at the current prices, whose coupon is reserved. If nothing is left to pay, the order
 * is paid immediately. Creates the buyer if the school does not know them. Call it in a transaction.
 * @throws Problem validation_failed, invalid_reference, invalid_state, already_subscribed, coupon_unavailable, coupon_already_used
 */
export async function placeOrder(writer: SchoolWriter, request: CheckoutRequest): Promise<string> {
  const { now, buyer, expectedTotal } = request
  const currency = await lockedCurrencyOf(writer)
  const known = await findBuyer(writer, buyer.email)
  const offers = await requireOffers(writer, request)
  const personId = known?.id ?? (await findOrCreatePerson(writer, { ...buyer, facet: 'student', now })).personId
  if (known) await requireNew(writer, { personId }, offers)
  const { coupon, isFree } = await applyCoupon(writer, request, { offers, personId, currency })
  const plan = offers.find(({ type }) => type === 'membership_plan')
  // The subscription that starts below locks the plan, and the order the person: plans are locked before people.
  if (isFree && plan) await lockPlans(writer, [plan.id])
  const { orderId } = await recordOrder(writer, {
    ...request,
    country: request.country ?? request.billingAddress?.country,
    personId,
    kind: plan ? 'subscription_initial' : isFree ? 'zero_total' : 'one_time',
    status: isFree && !plan ? 'paid' : 'pending',
    items: offers.map(({ type, id, priceId, title, amount }) => ({ type, id, priceId, title, unitAmount: amount })),
    coupon,
  })
  if (known && !known.is_student) await addFacet(writer, { personId, facet: 'student', now })
  await requireTotal(writer, { orderId, expectedTotal })
  if (isFree && plan) await payOrder(writer, { schoolId: writer.schoolId, now, orderId, payment: { provider: 'none' } })
  return orderId
}

/** Finds the buyer without locking the row: locks are taken in the order coupon, items, person. */
async function findBuyer(writer: SchoolWriter, typed: string) {
  const email = deliverableEmail(typed)
  if (email === undefined) throw invalid('buyer.email', 'format', 'mail cannot be sent to this address')
  const person = await writer
    .selectFrom('person')
    .select(['id', 'is_student', 'student_status'])
    .where('email', '=', email)
    .where('erased_at', 'is', null)
    .executeTakeFirst()
  if (person?.student_status === 'suspended') throw invalid('buyer.email', 'not_allowed', 'belongs to a suspended student')
  return person
}

async function requireOffers(writer: SchoolWriter, { items }: CheckoutRequest): Promise<Offer[]> {
  const named = items.filter((item) => item !== undefined)
  const found = await findOffers(writer, named)
  const errors = items.flatMap((item, index) => {
    if (item && found[named.indexOf(item)]) return []
    return [fieldError(`items.${index}`, 'invalid_reference', 'must be an item that is for sale')]
  })
  if (errors.length > 0) throw new Problem('invalid_reference', { details: errors })
  const offers = found.filter((offer) => offer !== undefined)
  if (new Set(offers.map(({ id }) => id)).size < offers.length) throw invalid('items', 'duplicate', 'must name each item once')
  // The order of a plan belongs to its subscription, which decides on the refund and the access.
  if (offers.length > 1 && offers.some(({ type }) => type === 'membership_plan'))
    throw invalid('items', 'not_allowed', 'a membership plan needs an order without other items')
  return offers
}

async function requireNew(writer: SchoolWriter, buyer: { personId: string }, offers: readonly Offer[]): Promise<void> {
  for (const item of offers) {
    if (item.type === 'membership_plan') await requireNotSubscribed(writer, { ...buyer, planId: item.id })
    else await requireNotOwned(writer, { ...buyer, item })
  }
}

async function applyCoupon(
  writer: SchoolWriter,
  { couponCode }: CheckoutRequest,
  { offers, personId, currency }: { offers: readonly Offer[]; personId: string; currency: string },
): Promise<{ coupon: OrderCoupon | undefined; isFree: boolean }> {
  if (couponCode === undefined) return { coupon: undefined, isFree: offers.every(({ amount }) => amount === 0) }
  const { coupon, reason, quote } = await validateCoupon(writer, {
    code: couponCode,
    offers,
    currency,
    personId,
    isLocked: true,
  })
  if (reason === 'already_used') throw new Problem('coupon_already_used')
  if (!coupon || reason !== undefined) {
    const code = reason ?? 'unknown_code'
    throw fieldProblem('coupon_unavailable', 'coupon_code', code, code.replaceAll('_', ' '))
  }
  if (quote.discount === 0) {
    const why =
      quote.total === 0
        ? 'These items are free: they need no coupon.'
        : 'The discount on these prices rounds to nothing: order without a coupon.'
    throw new Problem('coupon_unavailable', { description: why })
  }
  const discounts = quote.lines.map(({ discount }) => discount)
  return { coupon: { id: coupon.id, code: coupon.code, discounts }, isFree: quote.total === 0 }
}

async function requireTotal(
  writer: SchoolWriter,
  { orderId, expectedTotal }: { orderId: string; expectedTotal: number | undefined },
): Promise<void> {
  if (expectedTotal === undefined) return
  const { total_amount } = await writer.selectFrom('orders').select('total_amount').where('id', '=', orderId).executeTakeFirstOrThrow()
  if (Number(total_amount) !== expectedTotal)
    throw invalid('expected_total', 'mismatch', `must be the current total, ${total_amount}. Show it to the buyer first`)
}

function invalid(field: string, code: string, rule: string): Problem {
  const error = fieldError(field, code, rule)
  return new Problem('validation_failed', { description: error.message, details: [error] })
}

interface Purchase {
  personId: string
  item: StoredItem
}

/** @throws Problem invalid_state if the person already has the course, the digital product or a seat of the event: a purchase would give them nothing */
export async function requireNotOwned(writer: SchoolWriter, { personId, item: { type, id } }: Purchase): Promise<void> {
  const owned =
    type === 'course'
      ? await writer
          .selectFrom('enrollment')
          .select('id')
          .where('course_id', '=', id)
          .where('person_id', '=', personId)
          .where('status', 'in', ['active', 'completed', 'suspended'])
          .where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '>', databaseTime)]))
          .executeTakeFirst()
      : type === 'event'
        ? await writer
            .selectFrom('rsvp')
            .select('id')
            .where('event_id', '=', id)
            .where('person_id', '=', personId)
            .where('status', 'in', statusesWithSeat)
            .executeTakeFirst()
        : await writer
            .selectFrom('product_grant')
            .select('id')
            .where('product_id', '=', id)
            .where('person_id', '=', personId)
            .where('revoked_at', 'is', null)
            .executeTakeFirst()
  if (owned) throw new Problem('invalid_state', { description: `The person already has this ${type.replaceAll('_', ' ')}.` })
}
