import { sql } from 'kysely'
import { audienceOf, type Caller } from '../../base/caller.ts'
import { toPublicId } from '../../base/ids.ts'
import { comparisonForm } from '../../base/text/comparisonForm.ts'
import type { SchoolReader, Stored } from '../../database/connection/database.ts'
import { couponStatus } from '../orders/shopExpressions.ts'
import type { Offer } from './findOffers.ts'
import { type Discount, type Quote, quote } from './quote.ts'
import { hasOtherPurchase } from './requireFirstPurchase.ts'

export interface Validation {
  coupon: CouponRow | undefined
  /** Undefined if the coupon can be used. */
  reason: IneligibilityReason | undefined
  /** The prices after the discount; unchanged if the coupon cannot be used. */
  quote: Quote
}

export async function validateCoupon(
  reader: SchoolReader,
  {
    code,
    offers,
    currency,
    personId,
    isLocked = false,
  }: {
    code: string
    offers: readonly Offer[]
    currency: string
    personId: string | undefined | null
    isLocked?: boolean
  },
): Promise<Validation> {
  const coupon = await findCoupon(reader, code, isLocked)
  const reason = await ineligibilityReason(reader, coupon, { currency, offers, personId })
  const usable = reason === undefined ? coupon : undefined
  const lines = offers.map((offer) => ({ price: offer.amount, applies: usable !== undefined && appliesTo(usable, offer) }))
  return { coupon, reason, quote: quote(lines, usable && discountOf(usable)) }
}

/** Returns the reason as the caller may see it. The limits, dates and audience of a coupon are for staff only. */
export const publicReason = (reason: IneligibilityReason | undefined, caller: Caller): string | null =>
  reason === undefined ? null : audienceOf(caller) === 'staff' ? reason : 'not_applicable'

/** Why a coupon cannot be used. Only staff see this code; everybody else sees `not_applicable`. */
export type IneligibilityReason =
  | 'unknown_code'
  | 'scheduled'
  | 'paused'
  | 'exhausted'
  | 'expired'
  | 'archived'
  | 'other_currency'
  | 'other_items'
  | 'below_minimum'
  | 'other_audience'
  | 'not_first_purchase'
  | 'already_used'

interface IntendedUse {
  currency: string
  offers: readonly Offer[]
  /** The person who would use the coupon; undefined for an anonymous caller, null to skip the checks of the person. */
  personId: string | undefined | null
}

/** Returns the first reason why the coupon cannot be used for these offers, or undefined. Locks nothing: the use itself checks again. */
async function ineligibilityReason(
  reader: SchoolReader,
  coupon: CouponRow | undefined,
  { currency, offers, personId }: IntendedUse,
): Promise<IneligibilityReason | undefined> {
  if (!coupon) return 'unknown_code'
  if (coupon.status !== 'active') return coupon.status
  if (coupon.currency !== null && coupon.currency !== currency) return 'other_currency'
  if (!offers.some((offer) => appliesTo(coupon, offer))) return 'other_items'
  const subtotal = offers.reduce((total, { amount }) => total + amount, 0)
  if (coupon.minimum_amount !== null && subtotal < Number(coupon.minimum_amount)) return 'below_minimum'
  return personId === null ? undefined : await personReason(reader, coupon, personId)
}

async function personReason(
  reader: SchoolReader,
  coupon: CouponRow,
  personId: string | undefined,
): Promise<IneligibilityReason | undefined> {
  const { labels, person_ids } = coupon.audience
  const isForSome = labels !== undefined || person_ids !== undefined
  if (personId === undefined) return isForSome ? 'other_audience' : undefined
  if (person_ids && !['std', 'mbr'].some((prefix) => person_ids.includes(toPublicId(prefix, personId)))) return 'other_audience'
  const person = await reader
    .selectNoFrom((query) => [
      query
        .exists(
          query
            .selectFrom('person_tag')
            .where('person_tag.person_id', '=', personId)
            .where((row) => row('person_tag.form', '=', row.fn.any(row.val((labels ?? []).map(comparisonForm))))),
        )
        .as('is_labelled'),
      query
        .selectFrom('coupon_redemption')
        .select((use) => use.fn.countAll().as('count'))
        .where('coupon_redemption.coupon_id', '=', coupon.id)
        .where('coupon_redemption.person_id', '=', personId)
        .where('coupon_redemption.status', '<>', 'released')
        .as('uses'),
    ])
    .executeTakeFirstOrThrow()
  if (labels && !person.is_labelled) return 'other_audience'
  if (Number(person.uses) >= coupon.max_redemptions_per_person) return 'already_used'
  return coupon.first_purchase_only && (await hasOtherPurchase(reader, { personId })) ? 'not_first_purchase' : undefined
}

export const couponStatuses = ['scheduled', 'active', 'paused', 'exhausted', 'expired', 'archived'] as const
export type CouponStatus = (typeof couponStatuses)[number]

/** A coupon as its rules need it. Amounts in the smallest unit. */
export type CouponRow = Stored<'coupon', 'id' | 'code' | 'discount_type' | 'percent_bps' | 'amount_off' | 'minimum_amount' | 'currency'> &
  Stored<'coupon', 'applies_to_all' | 'first_purchase_only' | 'max_redemptions_per_person'> & {
    status: CouponStatus
    audience: CouponAudience
    /** The items that it applies to, unless it applies to all. */
    items: { type: string; id: string }[]
  }

interface CouponAudience {
  all?: true
  labels?: string[]
  person_ids?: string[]
}

/** Returns the coupon with this code. `isLocked` locks it for a use that follows in the same transaction. */
async function findCoupon(reader: SchoolReader, code: string, isLocked = false): Promise<CouponRow | undefined> {
  return await reader
    .selectFrom('coupon')
    .select(['id', 'code', 'discount_type', 'percent_bps', 'amount_off', 'minimum_amount', 'currency', 'applies_to_all'])
    .select(['first_purchase_only', 'max_redemptions_per_person'])
    .select((coupon) => [
      couponStatus.$castTo<CouponStatus>().as('status'),
      sql<CouponAudience>`${coupon.ref('coupon.audience')}`.as('audience'),
      coupon
        .selectFrom('coupon_item')
        .select((item) => {
          const listed = sql`jsonb_build_object('type', ${item.ref('coupon_item.product_type')}, 'id', ${item.ref('coupon_item.product_id')})`
          return sql<CouponRow['items']>`coalesce(jsonb_agg(${listed}), '[]'::jsonb)`.as('items')
        })
        .whereRef('coupon_item.coupon_id', '=', 'coupon.id')
        .$asScalar()
        .$notNull()
        .as('items'),
    ])
    .where('coupon.code', '=', code)
    .$if(isLocked, (query) => query.forUpdate('coupon'))
    .executeTakeFirst()
}

export const discountOf = (coupon: Pick<CouponRow, 'discount_type' | 'percent_bps' | 'amount_off'>): Discount =>
  coupon.discount_type === 'percent'
    ? { type: 'percent', bps: coupon.percent_bps ?? 0 }
    : { type: 'amount', amount: Number(coupon.amount_off ?? 0) }

const appliesTo = ({ applies_to_all, items }: CouponRow, item: { type: string; id: string }): boolean =>
  applies_to_all || items.some(({ type, id }) => type === item.type && id === item.id)
