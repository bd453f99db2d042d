import { fromPublicId } from '../../lib/ids.ts'
import { Problem } from '../../lib/problem.ts'
import { audienceOf, type PersonCaller } from '../../policy/caller.ts'
import type { ExternalServices } from '../../policy/externalServices.ts'
import type { School } from '../../policy/school.ts'
import type { Sql } from '../../store/sql.ts'
import { checkoutRequired } from '../checkoutRequired.ts'
import { publicItem, storedItem } from '../itemRef.ts'
import { recordOrder } from '../orders/recordOrder.ts'
import { findOffers, type Offer } from './couponOffers.ts'
import { currencyOf } from './couponWriting.ts'
import { publicQuote } from './publicQuote.ts'
import { publicReason, type Validation, validateCoupon } from './validateCoupon.ts'

interface Redeeming {
  sql: Sql
  school: School
  caller: PersonCaller
  now: Date
  externalServices: ExternalServices
}

/** What is sent, with ids as the API writes them. */
export interface RedemptionRequest {
  code: string
  item: { type: string; id: string }
  price_id?: string | undefined
  student_id?: string | undefined
}

/**
 * Uses a coupon that leaves nothing to be paid: the use, the order about nothing, and what it opens stand together or not at all.
 * Answers the stored id of the use.
 * @throws Problem invalid_reference, access_denied, coupon_unavailable, coupon_already_used, invalid_state
 * @throws Problem checkout_required with the quote, where something is left to be paid
 */
export async function redeemCoupon(redeeming: Redeeming, request: RedemptionRequest): Promise<string> {
  const { sql, school, now } = redeeming
  const personId = await redeemerOf(redeeming, request.student_id)
  const currency = await currencyOf(sql, school.id)
  const offer = await requireOffer(redeeming, request)
  const validation = await validateCoupon(sql, {
    schoolId: school.id,
    code: request.code,
    offers: [offer],
    currency,
    personId,
    isLocked: true,
  })
  const coupon = requireUsable(redeeming, validation)
  const { quote } = validation
  if (quote.total > 0 || offer.type === 'membership_plan') {
    throw checkoutRequired(redeeming, request.item as never, { code: coupon.code, meta: { quote: publicQuote([offer], quote, currency) } })
  }
  if (quote.discount === 0) throw new Problem('coupon_unavailable', { description: 'This is free: it needs no coupon.' })
  await requireNotOwned(redeeming, offer, personId)
  const { redemptionId } = await recordOrder(sql, {
    schoolId: school.id,
    now,
    personId,
    kind: 'zero_total',
    status: 'paid',
    items: [{ type: offer.type as 'course' | 'digital_product', id: offer.id, title: offer.title, unitAmount: offer.amount }],
    coupon: { id: coupon.id, code: coupon.code, discounts: [quote.discount] },
  })
  return redemptionId as string
}

/** Staff use it for others; everybody for themselves. */
async function redeemerOf({ sql, school, caller }: Redeeming, studentId: string | undefined): Promise<string> {
  const named = studentId === undefined ? undefined : fromPublicId('std', studentId)
  if (named !== undefined && named !== caller.personId) {
    if (audienceOf(caller) !== 'staff') throw new Problem('access_denied', { description: 'You can redeem a coupon for yourself alone.' })
    const [person] = await sql.query('SELECT id FROM person WHERE school_id = $1 AND id = $2 AND erased_at IS NULL', [school.id, named])
    if (!person) throw noSuch('student_id', 'there is no such student')
    return named
  }
  if (caller.personId === null) throw new Problem('access_denied', { description: 'Your account belongs to no person of this school.' })
  return caller.personId
}

async function requireOffer({ sql, school }: Redeeming, { item, price_id }: RedemptionRequest): Promise<Offer> {
  const stored = storedItem(item)
  const priceId = price_id === undefined ? undefined : fromPublicId('prc', price_id)
  const [offer] = stored ? await findOffers(sql, school.id, [{ ...stored, priceId }]) : []
  if (!offer) throw noSuch('item', 'this is not for sale')
  return offer
}

function requireUsable({ caller }: Redeeming, { coupon, reason }: Validation): NonNullable<Validation['coupon']> {
  if (coupon && reason === undefined) return coupon
  if (reason === 'already_used') throw new Problem('coupon_already_used')
  const told = publicReason(reason, caller) as string
  throw new Problem('coupon_unavailable', { details: [{ field: 'code', code: told, message: `code: ${told.replaceAll('_', ' ')}` }] })
}

/** A use is not spent on what the person has. */
async function requireNotOwned({ sql, school }: Redeeming, { type, id }: Offer, personId: string): Promise<void> {
  const [owned] = await sql.query(
    type === 'course'
      ? `SELECT id FROM enrollment WHERE school_id = $1 AND course_id = $2 AND person_id = $3
            AND status IN ('active', 'completed', 'suspended') AND (expires_at IS NULL OR expires_at > now())`
      : 'SELECT id FROM product_grant WHERE school_id = $1 AND product_id = $2 AND person_id = $3 AND revoked_at IS NULL',
    [school.id, id, personId],
  )
  if (owned)
    throw new Problem('invalid_state', {
      description: `The person has this ${publicItem({ type, id }).type.replaceAll('_', ' ')} already.`,
    })
}

const noSuch = (field: string, message: string): Problem =>
  new Problem('invalid_reference', { details: [{ field, code: 'invalid_reference', message: `${field}: ${message}` }] })
