import { Problem } from '../../lib/problem.ts'
import type { Sql } from '../../store/sql.ts'

interface Context {
  sql: Sql
  school: { id: string }
}

/**
 * A course that somebody takes, or has completed, is archived and not taken back.
 * @throws Problem invalid_state
 */
export async function requireNobodyEnrolled({ sql, school }: Context, { id }: { id: string }): Promise<void> {
  const rows = await sql.query(
    `SELECT id FROM enrollment WHERE school_id = $1 AND course_id = $2 AND status IN ('active', 'completed')
        AND (expires_at IS NULL OR expires_at > now()) LIMIT 1`,
    [school.id, id],
  )
  if (rows.length === 0) return
  throw new Problem('invalid_state', {
    description: 'Somebody takes the course. Archive it: who takes it keeps it.',
    details: [{ code: 'enrolled', message: 'Somebody takes the course.' }],
  })
}

/**
 * What was ever taken, sold or promised stays.
 * @throws Problem resource_in_use
 */
export async function requireUnusedCourse({ sql, school }: Context, { id }: { id: string }): Promise<void> {
  const named = ['order_item', 'plan_item', 'coupon_item', 'entitlement']
    .map((table) => `EXISTS (SELECT 1 FROM ${table} WHERE school_id = $1 AND product_type = 'course' AND product_id = $2)`)
    .join(' OR ')
  const [row] = await sql.query<{ is_used: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM enrollment WHERE school_id = $1 AND course_id = $2) OR ${named} AS is_used`,
    [school.id, id],
  )
  if (row?.is_used) throw new Problem('resource_in_use')
}
