import { fromPublicId } from '../../base/ids.ts'
import { fieldError, Problem, type ProblemDetail } from '../../base/problem.ts'
import type { SchoolReader, SchoolWriter, Stored } from '../../database/connection/database.ts'
import { currencyOf } from '../currencyOf.ts'
import { itemTypes, storedItem } from '../itemRef.ts'

interface Context {
  writer: SchoolWriter
}

type Money = { amount: number; currency: string } | null | undefined

interface PublicItem {
  type: string
  id: string
}

export type DiscountInput = { type: 'percent'; percent_off: number } | { type: 'amount'; amount_off: { amount: number; currency: string } }

export interface AppliesTo {
  all?: true | undefined
  items?: PublicItem[] | undefined
}

export type CouponInput = {
  discount?: DiscountInput | undefined
  duration?: string | undefined
  duration_months?: number | null | undefined
  minimum_subtotal?: Money
  starts_at?: string | null | undefined
  ends_at?: string | null | undefined
  applies_to?: AppliesTo | undefined
  audience?: { person_ids?: string[] | undefined } | undefined
}

/**
 * Checks the terms of a coupon: that they are consistent, and that the items and people exist.
 * @param path what precedes the names of the fields: `template.`
 */
export async function checkTerms(values: CouponInput, { writer }: Context, path = ''): Promise<ProblemDetail[]> {
  const fieldErrors: ProblemDetail[] = []
  const report = (field: string, code: string, message: string): number => fieldErrors.push(fieldError(path + field, code, message))
  const { discount, duration, duration_months, minimum_subtotal, starts_at, ends_at, applies_to, audience } = values
  const off = discount?.type === 'amount' ? discount.amount_off : undefined
  const currency = await currencyOf(writer)
  if (off?.amount === 0) report('discount.amount_off.amount', 'min', 'must be greater than 0')
  for (const [field, money] of Object.entries({ 'discount.amount_off': off, minimum_subtotal })) {
    if (money && money.currency !== currency) report(`${field}.currency`, 'not_allowed', `must be ${currency}, the currency of the school`)
  }
  const isRepeating = duration === 'repeating'
  if (isRepeating && !duration_months) report('duration_months', 'required', 'is required if duration is repeating')
  if (!isRepeating && duration_months) report('duration_months', 'not_allowed', 'is only allowed if duration is repeating')
  if (typeof starts_at === 'string' && typeof ends_at === 'string' && ends_at <= starts_at)
    report('ends_at', 'min', 'must be later than starts_at')
  if (!(await itemsExist(writer, applies_to?.items ?? []))) {
    report('applies_to.items', 'invalid_reference', 'must contain only items of the school')
  }
  if (!(await peopleExist(writer, audience?.person_ids ?? []))) {
    report('audience.person_ids', 'invalid_reference', 'must contain only people of the school')
  }
  return fieldErrors
}

/** Checks a change of a coupon: a used one keeps its discount, and its limit cannot be below its number of uses. */
export async function checkChange(
  values: CouponInput & { discount: DiscountInput; max_redemptions: number | null },
  context: Context,
  coupon: CouponColumns,
): Promise<ProblemDetail[]> {
  const fieldErrors = await checkTerms(values, context)
  const { max_redemptions: max, discount } = values
  if (max !== null && max < coupon.redemptions_count) {
    const message = `must be at least ${coupon.redemptions_count}, because the coupon was used that often`
    fieldErrors.push(fieldError('max_redemptions', 'min', message))
  }
  if ((await isUsed(context, coupon.id)) && !isSameDiscount(discount, coupon)) {
    fieldErrors.push(fieldError('discount', 'immutable_field', 'cannot be changed after the coupon was used'))
  }
  return fieldErrors
}

type CouponColumns = Stored<'coupon', 'id' | 'redemptions_count' | 'discount_type' | 'percent_bps' | 'amount_off'>

function isSameDiscount(discount: DiscountInput, { discount_type, percent_bps, amount_off }: CouponColumns): boolean {
  if (discount.type !== discount_type) return false
  return discount.type === 'percent' ? basisPoints(discount.percent_off) === percent_bps : discount.amount_off.amount === Number(amount_off)
}

export const basisPoints = (percent: number): number => Math.round(percent * 100)

/** Replaces the items that the coupon applies to. Without items it applies to everything. */
export async function saveCouponItems(
  { writer }: Context,
  coupon: { id: string },
  { applies_to: applies }: Pick<CouponInput, 'applies_to'>,
): Promise<void> {
  if (applies === undefined) return
  await writer.deleteFrom('coupon_item').where('coupon_id', '=', coupon.id).execute()
  const rows = (applies.items ?? []).flatMap((item) => storedItem(item) ?? [])
  if (rows.length === 0) return
  await writer
    .insertInto('coupon_item')
    .values(rows.map(({ type, id }) => ({ school_id: writer.schoolId, coupon_id: coupon.id, product_type: type, product_id: id })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** @throws Problem resource_in_use if the coupon was used, or is reserved by a checkout */
export async function requireUnused(context: Context, coupon: { id: string }): Promise<undefined> {
  const { writer } = context
  const reference = await writer
    .selectFrom('orders')
    .select('id')
    .where('coupon_id', '=', coupon.id)
    .unionAll(writer.selectFrom('subscription').select('id').where('coupon_id', '=', coupon.id))
    .limit(1)
    .executeTakeFirst()
  if (reference || (await isUsed(context, coupon.id))) {
    throw new Problem('resource_in_use', { description: 'This coupon was used and cannot be deleted. Archive it instead to end its use.' })
  }
}

async function isUsed({ writer }: Context, couponId: string): Promise<boolean> {
  const use = await writer.selectFrom('coupon_redemption').select('id').where('coupon_id', '=', couponId).limit(1).executeTakeFirst()
  return use !== undefined
}

async function itemsExist(reader: SchoolReader, items: readonly PublicItem[]): Promise<boolean> {
  for (const type of itemTypes) {
    const ids = new Set(items.filter((item) => item.type === type).map((item) => storedItem(item)?.id))
    const stored = [...ids].filter((id) => id !== undefined)
    if (stored.length < ids.size) return false
    if (stored.length === 0) continue
    const found = await reader.selectFrom(type).select('id').where('id', 'in', stored).execute()
    if (found.length < stored.length) return false
  }
  return true
}

async function peopleExist(reader: SchoolReader, people: readonly string[]): Promise<boolean> {
  const ids = new Set(people.map((id) => fromPublicId('std', id) ?? fromPublicId('mbr', id)))
  const stored = [...ids].filter((id) => id !== undefined)
  if (stored.length < ids.size) return false
  if (stored.length === 0) return true
  const found = await reader.selectFrom('person').select('id').where('id', 'in', stored).where('erased_at', 'is', null).execute()
  return found.length === stored.length
}
