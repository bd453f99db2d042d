import { Problem } from '../../lib/problem.ts'
import type { Sql } from '../../store/sql.ts'

/** Where something that can be sold may be named, and what that is to a reader. */
const namedBy = {
  enrollment: 'an enrolment',
  product_grant: 'a grant',
  entitlement: 'what somebody was given',
  order_item: 'an order',
  coupon_item: 'a coupon',
  coupon_redemption: 'a redeemed coupon',
  plan_item: 'a membership plan',
} as const

/** Tables that name one kind of thing alone. */
const ownColumns: Readonly<Record<string, { type: string; column: string }>> = {
  enrollment: { type: 'course', column: 'course_id' },
  product_grant: { type: 'digital_product', column: 'product_id' },
}

interface Context {
  sql: Sql
  school: { id: string }
}

/**
 * What was ever taken, sold, given or promised stays.
 * @throws Problem resource_in_use that says by what it is named
 */
export async function requireNamedNowhere(
  { sql, school }: Context,
  { type, id }: { type: 'course' | 'digital_product'; id: string },
): Promise<void> {
  const tables = Object.keys(namedBy).filter((table) => (ownColumns[table]?.type ?? type) === type)
  const found = await sql.query<{ name: keyof typeof namedBy }>(
    tables
      .map((table) => {
        const own = ownColumns[table]
        const which = own ? `$2::text = '${own.type}' AND ${own.column} = $3::uuid` : 'product_type = $2::text AND product_id = $3::uuid'
        return `SELECT '${table}' AS name WHERE EXISTS (SELECT 1 FROM ${table} WHERE school_id = $1 AND ${which})`
      })
      .join(' UNION ALL '),
    [school.id, type, id],
  )
  if (found.length === 0) return
  const names = found.map(({ name }) => namedBy[name]).join(' and ')
  throw new Problem('resource_in_use', { description: `This is named by ${names}, so it stays. Archive it instead.` })
}
