import { Problem } from '../../lib/problem.ts'
import type { PersonCaller } from '../../policy/caller.ts'
import type { SchoolWriter } from '../../store/database.ts'
import { orderStatus } from '../../store/shopExpressions.ts'

/**
 * Checks whether the currency of a school may change: only an owner can change it, and only while no order is paid or waits for its
 * payment. The school is locked, and orders lock its currency, so an order has the currency that the school keeps.
 * @throws Problem access_denied, currency_locked
 */
export async function requireCurrencyChange(
  { writer, caller }: { writer: SchoolWriter; caller: Pick<PersonCaller, 'role'> },
  school: { id: string; currency: string },
  { currency }: Readonly<{ currency?: string }>,
): Promise<void> {
  if (currency === school.currency) return
  if (caller.role !== 'owner') {
    throw new Problem('access_denied', { description: 'Only an owner of the school can change its currency.' })
  }
  const paid = await writer
    .selectFrom('orders')
    .select('id')
    .where((order) => order.or([order('paid_at', 'is not', null), order(orderStatus, '=', 'pending')]))
    .limit(1)
    .executeTakeFirst()
  if (paid) throw new Problem('currency_locked')
}
