import type { PersonCaller } from '../../base/caller.ts'
import { Problem } from '../../base/problem.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { orderStatus } from '../orders/shopExpressions.ts'

/** @throws Problem access_denied: only an owner can change the currency of a school */
export function requireCurrencyCaller(
  { currency }: Readonly<{ currency?: string }>,
  { caller }: { caller: Pick<PersonCaller, 'role'> },
): [] {
  if (currency === undefined || caller.role === 'owner') return []
  throw new Problem('access_denied', { description: 'Only an owner of the school can change its currency.' })
}

/**
 * Checks whether the currency of a school may change: only while no order is paid or waits for its
 * payment. The school is locked, and orders lock its currency, so an order has the currency that the school keeps.
 * @throws Problem currency_locked
 */
export async function requireCurrencyChange(
  { writer }: { writer: SchoolWriter },
  school: { id: string; currency: string },
  { currency }: Readonly<{ currency?: string }>,
): Promise<void> {
  if (currency === school.currency) return
  const paid = await writer
    .selectFrom('orders')
    .select('id')
    .where((order) => order.or([order('paid_at', 'is not', null), order(orderStatus, '=', 'pending')]))
    .limit(1)
    .executeTakeFirst()
  if (paid) throw new Problem('currency_locked')
}
