import { Problem } from '../../lib/problem.ts'
import type { PersonCaller } from '../../policy/caller.ts'
import type { Sql } from '../../store/sql.ts'

/**
 * Whether a school may sell in another currency from now on: its owners decide, as long as nobody has paid.
 * @throws Problem access_denied, currency_locked
 */
export async function requireCurrencyChange(
  { sql, caller }: { sql: Sql; caller: Pick<PersonCaller, 'role'> },
  school: { id: string; currency: string },
  values: Readonly<Record<string, unknown>>,
): Promise<void> {
  if (values.currency === school.currency) return
  if (caller.role !== 'owner') {
    throw new Problem('access_denied', { description: 'An owner of the school decides in which currency it sells.' })
  }
  const paid = await sql.query('SELECT 1 AS paid FROM orders WHERE school_id = $1 AND paid_at IS NOT NULL LIMIT 1', [school.id])
  if (paid.length > 0) throw new Problem('currency_locked')
}
