import { audienceOf, type PersonCaller } from '../../base/caller.ts'
import { fromPublicId, toPublicId, uuidOf } from '../../base/ids.ts'
import { fieldError, Problem, type ProblemDetail } from '../../base/problem.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import type { CallerContext } from '../changeContext.ts'
import { checkoutRequired } from '../checkoutRequired.ts'
import { isFirstPurchase } from '../coupons/requireFirstPurchase.ts'
import { type IneligibilityReason, type Validation, validateCoupon } from '../coupons/validateCoupon.ts'
import { dayLong } from './periods.ts'
import { isVisiblePlan } from './planVisibility.ts'
import { findTerms, type PriceTerms, requireTerms } from './priceTerms.ts'
import { afterStart, hadTrial, initialColumns, type NewSubscription } from './startSubscription.ts'
import type { SubscriptionRow } from './subscriptionRow.ts'

export type SubscriptionContext = CallerContext

export type SubscriptionInput = {
  plan_id: string
  price_id: string
  member_id?: string | undefined
  collection?: NewSubscription['collection'] | undefined
  start_at?: string | undefined
  coupon_code?: string | undefined
}

type Report = (field: string, code: string, message: string) => void

const earliestDays = 5 * 366

/**
 * Checks a new subscription: that the plan, the price and the person exist, and that the caller may start it.
 * @throws Problem access_denied for a caller who acts for somebody else, or is blocked
 * @throws Problem checkout_required if the caller must pay first
 */
export async function checkSubscription(values: SubscriptionInput, context: SubscriptionContext): Promise<ProblemDetail[]> {
  const { writer, caller } = context
  const isStaff = audienceOf(caller) === 'staff'
  const personId = subscriberOf(values, caller)
  if (!isStaff && personId !== caller.personId) {
    throw new Problem('access_denied', {
      description: 'You can start subscriptions only for yourself. Staff of the school can start them for others.',
    })
  }
  const fieldErrors: ProblemDetail[] = []
  const report: Report = (field, code, message) => void fieldErrors.push(fieldError(field, code, message))
  const person = personId === null ? undefined : await findPerson(writer, personId)
  if (!person) report('member_id', 'invalid_reference', 'the school has no such person')
  const terms = await findOfferedTerms(context, values, report)
  checkStart(values, context, report)
  if (isStaff) await checkStaffInput(values, context, { terms, personId, report })
  if (fieldErrors.length > 0 || !terms || personId === null || isStaff) return fieldErrors
  if (person?.member_status === 'blocked') throw new Problem('access_denied', { description: 'The school has blocked this membership.' })
  const isFree = terms.amount === 0 || (terms.trial_days > 0 && !(await hadTrial(writer, { personId, planId: terms.plan_id })))
  const code = values.coupon_code
  if (!isFree) {
    throw checkoutRequired(
      context,
      { type: 'membership_plan', id: toPublicId('mpl', terms.plan_id) },
      { ...(code !== undefined && { code }), meta: { price_id: toPublicId('prc', terms.price_id) } },
    )
  }
  if (code !== undefined) report('coupon_code', 'not_allowed', 'is only allowed for subscriptions that are paid at the checkout')
  return fieldErrors
}

function checkStart({ start_at }: SubscriptionInput, { caller, now }: SubscriptionContext, report: Report): void {
  if (start_at === undefined) return
  if (audienceOf(caller) !== 'staff') report('start_at', 'read_only_field', 'can be set by staff only')
  const startAt = new Date(start_at)
  if (startAt > now) report('start_at', 'max', 'must not be in the future')
  if (startAt.getTime() < now.getTime() - earliestDays * dayLong) report('start_at', 'min', 'must be at most five years ago')
}

async function checkStaffInput(
  { collection, coupon_code: code }: SubscriptionInput,
  context: SubscriptionContext,
  { terms, personId, report }: { terms: PriceTerms | undefined; personId: string | null; report: Report },
): Promise<void> {
  if (collection === 'automatic') {
    report('collection', 'not_allowed', 'must be manual or comped: only the checkout starts subscriptions whose payments it collects')
  }
  if (code === undefined) return
  if (collection === 'comped') report('coupon_code', 'not_allowed', 'is not allowed for a complimentary subscription')
  else if (terms && personId !== null) {
    const { reason } = await couponFor(context, { code, terms, personId })
    if (reason !== undefined) report('coupon_code', 'invalid_reference', unusableCoupon(reason))
  }
}

/** Takes a seat of the plan and returns the columns of the new row that the request does not contain. */
export async function subscriptionDefaults(context: SubscriptionContext, values: SubscriptionInput) {
  const { writer, caller, now } = context
  const personId = subscriberOf(values, caller) as string
  const terms = await requireTerms(writer, uuidOf('prc', values.price_id))
  const collection = values.collection ?? (audienceOf(caller) === 'staff' ? 'manual' : 'automatic')
  const code = values.coupon_code
  const { coupon } = code === undefined ? { coupon: undefined } : await couponFor(context, { code, terms, personId })
  const columns = await initialColumns(
    writer,
    {
      schoolId: writer.schoolId,
      now,
      personId,
      planId: terms.plan_id,
      priceId: terms.price_id,
      collection,
      couponId: coupon ? coupon.id : null,
      ...(values.start_at !== undefined && { startAt: new Date(values.start_at) }),
    },
    terms,
  )
  return { ...columns, person_id: personId, collection }
}

/**
 * Applies the effects of a new subscription after its row was inserted.
 * @throws Problem invalid_reference if its coupon is for the first purchase, and a concurrent purchase was first
 */
export async function afterSubscribing({ writer, now }: SubscriptionContext, row: SubscriptionRow): Promise<void> {
  await requireUsableCoupon(writer, row)
  await afterStart(writer, { schoolId: writer.schoolId, now }, row, await requireTerms(writer, row.price_id))
}

const subscriberOf = ({ member_id }: SubscriptionInput, { personId }: PersonCaller): string | null =>
  member_id === undefined ? personId : (fromPublicId('mbr', member_id) ?? null)

const findPerson = (writer: SchoolWriter, personId: string): Promise<{ member_status: string } | undefined> =>
  writer
    .selectFrom('person')
    .select((person) =>
      person
        .case()
        .when('person.is_member', '=', true)
        .then(person.ref('person.member_status'))
        .else(person.val('active'))
        .end()
        .as('member_status'),
    )
    .where('id', '=', personId)
    .where('erased_at', 'is', null)
    .executeTakeFirst()

/** Returns the terms of a price that the caller can choose. A plan that the caller cannot see is reported like one that does not exist. */
async function findOfferedTerms(
  { writer, caller }: SubscriptionContext,
  { plan_id, price_id }: SubscriptionInput,
  report: Report,
): Promise<PriceTerms | undefined> {
  const planId = uuidOf('mpl', plan_id)
  const plan = await writer
    .selectFrom('membership_plan')
    .select('status')
    .where('id', '=', planId)
    .where((row) => isVisiblePlan(row, caller))
    .executeTakeFirst()
  if (plan?.status !== 'active') {
    report('plan_id', 'invalid_reference', 'must be the id of an active plan')
    return undefined
  }
  const terms = await findTerms(writer, uuidOf('prc', price_id))
  if (terms?.active && terms.plan_id === planId) return terms
  report('price_id', 'invalid_reference', 'must be the id of an active price of the plan')
  return undefined
}

/** Applies the coupon of this code to a price, if the person can use it. Locks the coupon, because its use follows. */
const couponFor = (
  { writer }: { writer: SchoolWriter },
  { code, terms, personId }: { code: string; terms: PriceTerms; personId: string },
): Promise<Validation> =>
  validateCoupon(writer, {
    code,
    offers: [{ type: 'membership_plan', id: terms.plan_id, title: terms.plan_name, amount: terms.amount, priceId: terms.price_id }],
    currency: terms.currency,
    personId,
    isLocked: true,
  })

const unusableCoupon = (reason: IneligibilityReason): string => `the coupon cannot be used here: ${reason}`

/**
 * Checks, for a subscription that was inserted, that its coupon is not for the first purchase of a person who made another one meanwhile. A
 * purchase that was already there has the same error.
 * @throws Problem invalid_reference
 */
async function requireUsableCoupon(writer: SchoolWriter, { id, person_id, coupon_id }: SubscriptionRow): Promise<void> {
  if (coupon_id === null) return
  if (await isFirstPurchase(writer, { personId: person_id, subscriptionId: id, couponId: coupon_id })) return
  const error = fieldError('coupon_code', 'invalid_reference', unusableCoupon('not_first_purchase'))
  throw new Problem('invalid_reference', { description: error.message, details: [error] })
}
