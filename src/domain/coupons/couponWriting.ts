import { fromPublicId } from '../../lib/ids.ts'
import { Problem, type ProblemDetail } from '../../lib/problem.ts'
import type { Writer } from '../../store/database.ts'
import type { Sql } from '../../store/sql.ts'
import { type ItemType, itemPrefixes, storedItem } from '../itemRef.ts'

interface InSchool {
  writer: Writer
  sql: Sql
  school: { id: string }
}

type Values = Readonly<Record<string, unknown>>
type Money = { amount: number; currency: string } | null | undefined
interface PublicItem {
  type: string
  id: string
}

const tables: Readonly<Record<ItemType, string>> = {
  course: 'course',
  digital_product: 'digital_product',
  membership_plan: 'membership_plan',
  event: 'event',
}

/** Whether the terms of a coupon fit together, and name what the school has. */
export async function checkTerms(values: Values, { sql, school }: InSchool, path = ''): Promise<ProblemDetail[]> {
  const fieldErrors: ProblemDetail[] = []
  const fault = (field: string, code: string, message: string): number =>
    fieldErrors.push({ field: path + field, code, message: `${path}${field}: ${message}` })
  const { discount, duration, duration_months, minimum_subtotal, starts_at, ends_at, applies_to, audience } = values
  const off = (discount as { amount_off?: Money } | undefined)?.amount_off
  const currency = await currencyOf(sql, school.id)
  if (off?.amount === 0) fault('discount.amount_off.amount', 'min', 'must be greater than 0')
  for (const [field, money] of Object.entries({ 'discount.amount_off': off, minimum_subtotal: minimum_subtotal as Money })) {
    if (money && money.currency !== currency) fault(`${field}.currency`, 'not_allowed', `the school sells in ${currency}`)
  }
  const isRepeating = duration === 'repeating'
  if (isRepeating && !duration_months) fault('duration_months', 'required', 'a repeating coupon needs it')
  if (!isRepeating && duration_months) fault('duration_months', 'not_allowed', 'only a repeating coupon has it')
  if (typeof starts_at === 'string' && typeof ends_at === 'string' && ends_at <= starts_at)
    fault('ends_at', 'min', 'must be later than starts_at')
  const items = (applies_to as { items?: PublicItem[] } | undefined)?.items ?? []
  if (!(await haveAll(sql, school.id, items))) fault('applies_to.items', 'invalid_reference', 'names an item that the school does not have')
  const people = (audience as { person_ids?: string[] } | undefined)?.person_ids ?? []
  if (!(await knowsAll(sql, school.id, people)))
    fault('audience.person_ids', 'invalid_reference', 'names a person whom the school does not have')
  return fieldErrors
}

/** The same of a coupon that is there: what was used keeps its discount, and as many uses as it had. */
export async function checkChange(values: Values, writing: InSchool, coupon: CouponColumns): Promise<ProblemDetail[]> {
  const fieldErrors = await checkTerms(values, writing)
  const max = values.max_redemptions as number | null
  if (max !== null && max < coupon.redemptions_count) {
    fieldErrors.push({ field: 'max_redemptions', code: 'min', message: `max_redemptions: it was used ${coupon.redemptions_count} times` })
  }
  if ((await isUsed(writing, coupon.id)) && !isSameDiscount(values.discount, coupon)) {
    fieldErrors.push({ field: 'discount', code: 'immutable_field', message: 'discount: cannot be changed once the coupon was used' })
  }
  return fieldErrors
}

interface CouponColumns {
  id: string
  redemptions_count: number
  discount_type: string
  percent_bps: number | null
  amount_off: string | number | null
}

function isSameDiscount(discount: unknown, { discount_type, percent_bps, amount_off }: CouponColumns): boolean {
  const { type, percent_off, amount_off: off } = discount as { type: string; percent_off?: number; amount_off?: Money }
  return type === discount_type && (type === 'percent' ? bpsOf(percent_off) === percent_bps : off?.amount === Number(amount_off))
}

/** Per cent with two decimals → hundredths of a percent. */
export const bpsOf = (percent: number | undefined): number | null => (percent === undefined ? null : Math.round(percent * 100))

/** Makes these the only items that the coupon is good for; with none it is good for everything. */
export async function keepCouponItems({ writer, school }: InSchool, coupon: { id: string }, values: Values): Promise<void> {
  const applies = values.applies_to as { items?: PublicItem[] } | undefined
  if (applies === undefined) return
  await writer.deleteFrom('coupon_item').where('school_id', '=', school.id).where('coupon_id', '=', coupon.id).execute()
  const rows = (applies.items ?? []).flatMap((item) => storedItem(item) ?? [])
  if (rows.length === 0) return
  await writer
    .insertInto('coupon_item')
    .values(rows.map(({ type, id }) => ({ school_id: school.id, coupon_id: coupon.id, product_type: type, product_id: id })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** @throws Problem resource_in_use where somebody has used it, or is about to */
export async function requireUnused(writing: InSchool, coupon: { id: string }): Promise<undefined> {
  const { sql, school } = writing
  const [held] = await sql.query(
    `SELECT 1 FROM orders WHERE school_id = $1 AND coupon_id = $2
     UNION ALL SELECT 1 FROM subscription WHERE school_id = $1 AND coupon_id = $2 LIMIT 1`,
    [school.id, coupon.id],
  )
  if (held || (await isUsed(writing, coupon.id))) {
    throw new Problem('resource_in_use', { description: 'Somebody has used this coupon. Archive it: it can then be used no more.' })
  }
}

async function isUsed({ sql, school }: InSchool, couponId: string): Promise<boolean> {
  const [use] = await sql.query('SELECT id FROM coupon_redemption WHERE school_id = $1 AND coupon_id = $2 LIMIT 1', [school.id, couponId])
  return use !== undefined
}

/** The currency of the school: the only one that a coupon speaks. */
export async function currencyOf(sql: Sql, schoolId: string): Promise<string> {
  const [school] = await sql.query<{ currency: string }>('SELECT currency FROM school WHERE id = $1', [schoolId])
  return school?.currency as string
}

async function haveAll(sql: Sql, schoolId: string, items: readonly PublicItem[]): Promise<boolean> {
  for (const type of Object.keys(itemPrefixes) as ItemType[]) {
    const named = items.filter((item) => item.type === type).map((item) => storedItem(item)?.id)
    if (named.includes(undefined)) return false
    const ids = [...new Set(named)]
    if (ids.length === 0) continue
    const found = await sql.query(`SELECT id FROM ${tables[type]} WHERE school_id = $1 AND id = ANY ($2::uuid[])`, [schoolId, ids])
    if (found.length < ids.length) return false
  }
  return true
}

async function knowsAll(sql: Sql, schoolId: string, people: readonly string[]): Promise<boolean> {
  const ids = [...new Set(people.map((id) => fromPublicId('std', id) ?? fromPublicId('mbr', id)))]
  if (ids.length === 0) return true
  const found = await sql.query('SELECT id FROM person WHERE school_id = $1 AND id = ANY ($2::uuid[]) AND erased_at IS NULL', [
    schoolId,
    ids,
  ])
  return found.length === ids.length
}
