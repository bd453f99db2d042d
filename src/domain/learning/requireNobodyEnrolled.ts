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
