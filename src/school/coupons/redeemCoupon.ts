import { audienceOf } from '../../base/caller.ts'
import { fromPublicId } from '../../base/ids.ts'
import { fieldProblem, Problem } from '../../base/problem.ts'
import type { CallerContext } from '../changeContext.ts'
import { checkoutRequired } from '../checkoutRequired.ts'
import { lockedCurrencyOf } from '../currencyOf.ts'
import { publicItem, storedItem } from '../itemRef.ts'
import { requireNotOwned } from '../orders/placeOrder.ts'
import { recordOrder } from '../orders/recordOrder.ts'
import { findOffers, type Offer, publicQuote } from './findOffers.ts'
import { publicReason, type Validation, validateCoupon } from './validateCoupon.ts'

export interface RedemptionRequest {
  code: string
  item: { type: string; id: string }
  price_id?: string | undefined
  student_id?: string | undefined
}

/**
 * Redeems a coupon that covers the whole price: records the use and an order with a total of 0, and grants the item, in one transaction.
 * Returns the stored id of the use.
 * @throws Problem invalid_reference, access_denied, coupon_unavailable, coupon_already_used, invalid_state
 * @throws Problem checkout_required with the quote if an amount is left to pay
 */
export async function redeemCoupon(context: CallerContext, request: RedemptionRequest): Promise<string> {
  const { writer, now } = context
  const personId = await requireRedeemer(context, request.student_id)
  const currency = await lockedCurrencyOf(writer)
  const offer = await requireOffer(context, request)
  const validation = await validateCoupon(writer, {
    code: request.code,
    offers: [offer],
    currency,
    personId,
    isLocked: true,
  })
  const coupon = requireUsable(context, validation)
  const { quote } = validation
  if (quote.total > 0 || offer.type === 'membership_plan') {
    throw checkoutRequired(context, publicItem(offer), { code: coupon.code, meta: { quote: publicQuote([offer], quote, currency) } })
  }
  if (quote.discount === 0) throw new Problem('coupon_unavailable', { description: 'This item is free: it needs no coupon.' })
  await requireNotOwned(writer, { personId, item: offer })
  const { redemptionId } = await recordOrder(writer, {
    schoolId: writer.schoolId,
    now,
    personId,
    kind: 'zero_total',
    status: 'paid',
    items: [{ type: offer.type, id: offer.id, title: offer.title, unitAmount: offer.amount }],
    coupon: { id: coupon.id, code: coupon.code, discounts: [quote.discount] },
  })
  return redemptionId as string
}

async function requireRedeemer({ writer, caller }: CallerContext, studentId: string | undefined): Promise<string> {
  const named = studentId === undefined ? undefined : fromPublicId('std', studentId)
  if (named !== undefined && named !== caller.personId) {
    if (audienceOf(caller) !== 'staff') throw new Problem('access_denied', { description: 'You can redeem a coupon only for yourself.' })
    const person = await writer.selectFrom('person').select('id').where('id', '=', named).where('erased_at', 'is', null).executeTakeFirst()
    if (!person) throw invalidReference('student_id', 'must be the id of a student of the school')
    return named
  }
  if (caller.personId === null)
    throw new Problem('access_denied', { description: 'Your account is not linked to a person of this school.' })
  return caller.personId
}

async function requireOffer({ writer }: CallerContext, { item, price_id }: RedemptionRequest): Promise<Offer> {
  const stored = storedItem(item)
  const priceId = price_id === undefined ? undefined : fromPublicId('prc', price_id)
  const [offer] = stored ? await findOffers(writer, [{ ...stored, priceId }]) : []
  if (!offer) throw invalidReference('item', 'must be an item that is for sale')
  return offer
}

function requireUsable({ caller }: CallerContext, { coupon, reason }: Validation): NonNullable<Validation['coupon']> {
  if (coupon && reason === undefined) return coupon
  if (reason === 'already_used') throw new Problem('coupon_already_used')
  const code = publicReason(reason, caller) as string
  throw fieldProblem('coupon_unavailable', 'code', code, code.replaceAll('_', ' '))
}

const invalidReference = (field: string, message: string): Problem => fieldProblem('invalid_reference', field, 'invalid_reference', message)
