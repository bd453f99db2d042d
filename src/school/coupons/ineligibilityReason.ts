import { toPublicId } from '../../base/ids.ts'
import type { SchoolReader } from '../../database/connection/database.ts'
import { appliesTo, type CouponRow } from './couponRow.ts'
import type { Offer } from './findOffers.ts'
import { hasOtherPurchase } from './requireFirstPurchase.ts'

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
export async function ineligibilityReason(
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
            .select('person_tag.tag')
            .where('person_tag.person_id', '=', personId)
            .where((row) => row('person_tag.tag', '=', row.fn.any(row.val(labels ?? [])))),
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
