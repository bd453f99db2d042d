import { sql } from 'kysely'
import type { SchoolReader } from '../../database/connection/database.ts'
import { refs } from '../../database/statements/columns.ts'
import { portion } from '../orders/prorateAmounts.ts'
import { nextPeriodEnd, type Period } from './periods.ts'
import type { SubscriptionRow } from './subscriptionRow.ts'

const school = refs('school')

export const planChangeCredits = ['none', 'unused_time'] as const

/** Returns what the school credits if a request does not say it. */
export async function schoolCredit(reader: SchoolReader): Promise<string> {
  const { credit } = await reader
    .selectFrom('school')
    .select(sql<string | null>`${school.settings} ->> 'plan_change_credit'`.as('credit'))
    .where('id', '=', reader.schoolId)
    .executeTakeFirstOrThrow()
  return credit ?? 'none'
}

/**
 * Returns the part of the price of the current period that belongs to its unused time, in the smallest unit of the currency. The price
 * pays for a period of the regular length: time that was added to it, such as by a pause, is not worth more.
 */
export function unusedCredit(
  {
    status,
    amount,
    current_period_start: start,
    current_period_end: end,
  }: Pick<SubscriptionRow, 'status' | 'amount' | 'current_period_start' | 'current_period_end'>,
  period: Period,
  now: Date,
): number {
  const regularEnd = start && nextPeriodEnd(start, period, start)
  if (status !== 'active' || !start || !end || !regularEnd || end <= now) return 0
  const paidFor = regularEnd.getTime() - start.getTime()
  return portion(Number(amount), Math.min(end.getTime() - now.getTime(), paidFor), paidFor)
}
