import { fromPublicId, toPublicId } from '../../lib/ids.ts'
import { Problem, type ProblemDetail } from '../../lib/problem.ts'
import { audienceOf, type PersonCaller } from '../../policy/caller.ts'
import type { ExternalServices } from '../../policy/externalServices.ts'
import type { School } from '../../policy/school.ts'
import type { Writer } from '../../store/database.ts'
import type { Sql } from '../../store/sql.ts'
import { checkoutRequired } from '../checkoutRequired.ts'
import { dayLong } from './periods.ts'
import { isPlanOf } from './planVisibility.ts'
import { beginning, begun, hadTrial, type NewSubscription } from './startSubscription.ts'
import { couponFor } from './subscriptionCoupon.ts'
import type { SubscriptionRow } from './subscriptionRow.ts'
import { type Terms, termsOf } from './terms.ts'

type Values = Readonly<Record<string, unknown>>

/** What a rule here needs of the change that it belongs to. */
export interface Subscribing {
  sql: Sql
  writer: Writer
  school: School
  caller: PersonCaller
  now: Date
  externalServices: ExternalServices
}

/** A subscription that began earlier did so no longer ago than this. */
const earliestDays = 5 * 366

/**
 * What is wrong with a new subscription: a plan or price that is not to be had, a person whom the school does not have.
 * @throws Problem access_denied for who acts for somebody else, or is blocked
 * @throws Problem checkout_required where a person would have to pay first
 */
export async function checkSubscription(values: Values, subscribing: Subscribing): Promise<ProblemDetail[]> {
  const { sql, school, caller, now, externalServices } = subscribing
  const isStaff = audienceOf(caller) === 'staff'
  const personId = whoseOf(values, caller)
  if (!isStaff && personId !== caller.personId) {
    throw new Problem('access_denied', { description: 'You start subscriptions for yourself. The staff of the school does it for others.' })
  }
  const fieldErrors: ProblemDetail[] = []
  const fault = (field: string, code: string, message: string) => fieldErrors.push({ field, code, message: `${field}: ${message}` })
  const person = personId === null ? undefined : await findPerson(sql, school.id, personId)
  if (!person) fault('member_id', 'invalid_reference', 'the school has no such person')
  const terms = await offeredTerms(subscribing, values, fault)
  if (!isStaff && values.start_at !== undefined) fault('start_at', 'read_only_field', 'is for the staff')
  const startAt = values.start_at === undefined ? now : new Date(values.start_at as string)
  if (startAt > now) fault('start_at', 'max', 'must not lie ahead')
  if (startAt.getTime() < now.getTime() - earliestDays * dayLong) fault('start_at', 'min', 'must not be more than five years ago')
  if (isStaff && values.collection === 'automatic') fault('collection', 'not_allowed', 'the checkout of the school starts what it collects')
  const code = values.coupon_code as string | undefined
  if (isStaff && code !== undefined) {
    if (values.collection === 'comped') fault('coupon_code', 'not_allowed', 'what is a present has no discount')
    else if (terms && personId !== null) {
      const { reason } = await couponFor(subscribing, { code, terms, personId })
      if (reason !== undefined) fault('coupon_code', 'invalid_reference', `the coupon does not count here: ${reason}`)
    }
  }
  if (fieldErrors.length > 0 || !terms || personId === null) return fieldErrors
  if (isStaff) return []
  if (person?.member_status === 'blocked') throw new Problem('access_denied', { description: 'The school has blocked this membership.' })
  const costsNothing =
    terms.amount === 0 || (terms.trial_days > 0 && !(await hadTrial(sql, { schoolId: school.id, personId, planId: terms.plan_id })))
  if (!costsNothing) {
    throw checkoutRequired(
      { externalServices, school },
      { type: 'membership_plan', id: toPublicId('mpl', terms.plan_id) },
      { ...(code !== undefined && { code }), meta: { price_id: toPublicId('prc', terms.price_id) } },
    )
  }
  if (code !== undefined) fault('coupon_code', 'not_allowed', 'is for what is paid at the checkout')
  return fieldErrors
}

/** The columns of the new row that nobody sent; the seat is taken by now. */
export async function subscriptionDefaults(subscribing: Subscribing, values: Values) {
  const { sql, school, caller, now } = subscribing
  const personId = whoseOf(values, caller) as string
  const terms = (await termsOf(sql, school.id, fromPublicId('prc', values.price_id as string) as string)) as Terms
  const collection = (values.collection ?? (audienceOf(caller) === 'staff' ? 'manual' : 'automatic')) as NewSubscription['collection']
  const code = values.coupon_code as string | undefined
  const { coupon } = code === undefined ? { coupon: undefined } : await couponFor(subscribing, { code, terms, personId })
  const asked = { schoolId: school.id, now, personId, planId: terms.plan_id, priceId: terms.price_id, collection }
  const columns = await beginning(
    sql,
    {
      ...asked,
      couponId: coupon ? coupon.id : null,
      ...(values.start_at !== undefined && { startAt: new Date(values.start_at as string) }),
    },
    terms,
  )
  return { ...columns, person_id: personId, collection }
}

/** What follows once the row stands. */
export async function afterSubscribing({ sql, school, now }: Subscribing, row: { id: string; price_id: string }): Promise<void> {
  const terms = (await termsOf(sql, school.id, row.price_id)) as Terms
  await begun(sql, { schoolId: school.id, now }, row as SubscriptionRow, terms)
}

const whoseOf = (values: Values, { personId }: PersonCaller): string | null =>
  values.member_id === undefined ? personId : (fromPublicId('mbr', values.member_id as string) ?? null)

async function findPerson(sql: Sql, schoolId: string, personId: string): Promise<{ member_status: string } | undefined> {
  const [row] = await sql.query<{ member_status: string }>(
    `SELECT CASE WHEN is_member THEN member_status ELSE 'active' END AS member_status FROM person
      WHERE school_id = $1 AND id = $2 AND erased_at IS NULL`,
    [schoolId, personId],
  )
  return row
}

/** The terms of a price that the caller may choose. To them, what they may not know of is not there. */
async function offeredTerms(
  { sql, writer, school, caller }: Subscribing,
  values: Values,
  fault: (field: string, code: string, message: string) => void,
): Promise<Terms | undefined> {
  const planId = fromPublicId('mpl', values.plan_id as string) as string
  const plan = await writer
    .selectFrom('membership_plan')
    .select('status')
    .where('school_id', '=', school.id)
    .where('id', '=', planId)
    .where((row) => isPlanOf(row, caller))
    .executeTakeFirst()
  if (plan?.status !== 'active') {
    fault('plan_id', 'invalid_reference', 'there is no such plan that one can have now')
    return undefined
  }
  const terms = await termsOf(sql, school.id, fromPublicId('prc', values.price_id as string) as string)
  if (terms?.active && terms.plan_id === planId) return terms
  fault('price_id', 'invalid_reference', 'the plan has no such price that one can choose now')
  return undefined
}
