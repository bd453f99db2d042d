import { newId } from '../../lib/ids.ts'
import { Problem, type ProblemDetail } from '../../lib/problem.ts'
import type { CourseContext } from '../courses/courseWriting.ts'

/** A plan keeps its old prices: somebody may still pay them. */
const maxPrices = 20

/** A price as it is sent. */
export interface NewPrice {
  interval: 'month' | 'year' | 'one_time'
  interval_count: number
  amount: { amount: number; currency: string }
  trial_days: number
}

/**
 * Adds a price to a plan. What it costs and for how long never changes afterwards.
 * @throws Problem validation_failed for a price that does not go with the others: a plan is free, with one price of nothing, or is not
 */
export async function addPrice(context: CourseContext, plan: { id: string }, price: NewPrice): Promise<void> {
  const { writer, school, now } = context
  const fieldErrors = [...checkPrice(price, await currencyOf(context)), ...checkBeside(price, await pricesIn(context, plan))]
  if (fieldErrors.length > 0) throw new Problem('validation_failed', { details: fieldErrors })
  await writer
    .insertInto('plan_price')
    .values({
      school_id: school.id,
      id: newId(),
      created_at: now,
      updated_at: now,
      plan_id: plan.id,
      interval: price.interval,
      interval_count: price.interval_count,
      amount: price.amount.amount,
      currency: price.amount.currency,
      trial_days: price.trial_days,
    })
    .execute()
}

/**
 * Lets a price be chosen, or not any more. Who pays it goes on paying it. Answers whether that is new.
 * @throws Problem not_found for a price that is not the plan's, last_price where an active plan would be left without one
 */
export async function setPriceActive(
  context: CourseContext,
  plan: { id: string; status: string },
  { priceId, active }: { priceId: string | undefined; active: boolean | undefined },
): Promise<boolean> {
  const { writer, school, now } = context
  const prices = await pricesIn(context, plan)
  const price = prices.find(({ id }) => id === priceId)
  if (!price) throw new Problem('not_found', { description: 'The plan has no such price.' })
  if (active === undefined || active === price.active) return false
  if (!active && plan.status === 'active' && !prices.some((other) => other.active && other.id !== price.id)) throw new Problem('last_price')
  await writer
    .updateTable('plan_price')
    .set((row) => ({ active, updated_at: now, version: row('version', '+', 1) }))
    .where('school_id', '=', school.id)
    .where('id', '=', price.id)
    .execute()
  return true
}

type Price = { id: string; amount: number | string; active: boolean }

const pricesIn = ({ writer, school }: CourseContext, plan: { id: string }): Promise<Price[]> =>
  writer
    .selectFrom('plan_price')
    .select(['id', 'amount', 'active'])
    .where('school_id', '=', school.id)
    .where('plan_id', '=', plan.id)
    .execute()

async function currencyOf({ writer, school }: CourseContext): Promise<string> {
  const { currency } = await writer.selectFrom('school').select('currency').where('id', '=', school.id).executeTakeFirstOrThrow()
  return currency
}

function checkPrice({ interval, interval_count, amount, trial_days }: NewPrice, currency: string): ProblemDetail[] {
  const fieldErrors: ProblemDetail[] = []
  if (amount.currency !== currency) fieldErrors.push(fault('amount.currency', 'not_allowed', `the school sells in ${currency}`))
  if (interval === 'one_time' && interval_count !== 1)
    fieldErrors.push(fault('interval_count', 'max', 'what is paid once has no more than one'))
  if (amount.amount === 0 && trial_days > 0) fieldErrors.push(fault('trial_days', 'max', 'what costs nothing needs no trial'))
  return fieldErrors
}

function checkBeside({ amount }: NewPrice, others: readonly Price[]): ProblemDetail[] {
  if (others.length >= maxPrices) return [fault('amount', 'max', `a plan has at most ${maxPrices} prices`)]
  const isFree = amount.amount === 0
  if (isFree && others.length > 0) return [fault('amount.amount', 'min', 'a price of nothing is the only one of its plan')]
  if (!isFree && others.some((other) => Number(other.amount) === 0)) return [fault('amount.amount', 'max', 'the plan is free')]
  return []
}

const fault = (field: string, code: string, message: string): ProblemDetail => ({ field, code, message: `${field}: ${message}` })
