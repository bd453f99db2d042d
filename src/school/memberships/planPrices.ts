import { newId } from '../../base/ids.ts'
import { fieldError, Problem, type ProblemDetail } from '../../base/problem.ts'
import type { ChangeContext } from '../changeContext.ts'
import { currencyOf } from '../currencyOf.ts'

/** The most prices of a plan. Inactive prices remain, because subscriptions may still use them. */
const maxPrices = 20

export interface NewPrice {
  interval: 'month' | 'year' | 'one_time'
  interval_count: number
  amount: { amount: number; currency: string }
  trial_days: number
}

/**
 * Adds a price to a plan. Its amount and interval never change.
 * @throws Problem validation_failed if the price conflicts with the others: a free plan has a single price of 0
 */
export async function addPrice(context: ChangeContext, plan: { id: string }, price: NewPrice): Promise<void> {
  const { writer, now } = context
  const fieldErrors = [...checkPrice(price, await currencyOf(writer)), ...checkOtherPrices(price, await findPrices(context, plan))]
  if (fieldErrors.length > 0) throw new Problem('validation_failed', { details: fieldErrors })
  await writer
    .insertInto('plan_price')
    .values({
      school_id: writer.schoolId,
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
 * Activates or deactivates a price for new subscriptions. Existing subscriptions keep it. Returns whether that changes anything.
 * @throws Problem not_found for a price of another plan, last_price if an active plan would have no active price
 */
export async function setPriceActive(
  context: ChangeContext,
  plan: { id: string; status: string },
  { priceId, active }: { priceId: string | undefined; active: boolean | undefined },
): Promise<boolean> {
  const { writer, now } = context
  const prices = await findPrices(context, plan)
  const price = prices.find(({ id }) => id === priceId)
  if (!price) throw new Problem('not_found', { description: 'The plan has no such price.' })
  if (active === undefined || active === price.active) return false
  if (!active && plan.status === 'active' && !prices.some((other) => other.active && other.id !== price.id)) throw new Problem('last_price')
  await writer
    .updateTable('plan_price')
    .set((row) => ({ active, updated_at: now, version: row('version', '+', 1) }))
    .where('id', '=', price.id)
    .execute()
  return true
}

type Price = { id: string; amount: number | string; active: boolean }

const findPrices = ({ writer }: ChangeContext, plan: { id: string }): Promise<Price[]> =>
  writer.selectFrom('plan_price').select(['id', 'amount', 'active']).where('plan_id', '=', plan.id).execute()

function checkPrice({ interval, interval_count, amount, trial_days }: NewPrice, currency: string): ProblemDetail[] {
  const fieldErrors: ProblemDetail[] = []
  if (amount.currency !== currency)
    fieldErrors.push(fieldError('amount.currency', 'not_allowed', `must be ${currency}, the currency of the school`))
  if (interval === 'one_time' && interval_count !== 1)
    fieldErrors.push(fieldError('interval_count', 'max', 'must be 1 for a one-time payment'))
  if (amount.amount === 0 && trial_days > 0) fieldErrors.push(fieldError('trial_days', 'max', 'must be 0 for a free price'))
  return fieldErrors
}

function checkOtherPrices({ amount }: NewPrice, others: readonly Price[]): ProblemDetail[] {
  if (others.length >= maxPrices) return [fieldError('amount', 'max', `a plan has at most ${maxPrices} prices`)]
  const isFree = amount.amount === 0
  if (isFree && others.length > 0) return [fieldError('amount.amount', 'min', 'must be greater than 0, because the plan has other prices')]
  if (!isFree && others.some((other) => Number(other.amount) === 0))
    return [fieldError('amount.amount', 'max', 'must be 0, because the plan is free')]
  return []
}
