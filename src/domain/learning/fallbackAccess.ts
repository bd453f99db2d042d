import { newId } from '../../lib/ids.ts'
import type { Sql } from '../../store/sql.ts'

interface Given {
  schoolId: string
  personId: string
  courseId: string
  now: Date
}

/**
 * Remembers that a course was given to a person, while something else opens it longer: when that ends, what was given is still there.
 * There is one such row; it lasts as long as the longest.
 */
export async function saveFallbackAccess(sql: Sql, { schoolId, personId, courseId, now }: Given, endsAt: Date | null): Promise<void> {
  const [there] = await sql.query(
    `UPDATE entitlement SET ends_at = CASE WHEN ends_at IS NULL OR $4::timestamptz IS NULL THEN NULL ELSE greatest(ends_at, $4) END,
            revoked_at = NULL, version = version + 1, updated_at = $5
      WHERE school_id = $1 AND person_id = $2 AND product_type = 'course' AND product_id = $3 AND source_type = 'manual' AND revoked_at IS NULL
      RETURNING id`,
    [schoolId, personId, courseId, endsAt, now],
  )
  if (there) return
  await sql.query(
    `INSERT INTO entitlement (school_id, id, person_id, product_type, product_id, source_type, source_id, starts_at, ends_at, created_at, updated_at)
     VALUES ($1, $2, $3, 'course', $4, 'manual', $2, $6, $5, $6, $6)`,
    [schoolId, newId(), personId, courseId, endsAt, now],
  )
}

/** Takes it back, with the enrolment that it would open. */
export async function revokeFallbackAccess(sql: Sql, { schoolId, personId, courseId, now }: Given): Promise<void> {
  await sql.query(
    `UPDATE entitlement SET revoked_at = $4, version = version + 1, updated_at = $4
      WHERE school_id = $1 AND person_id = $2 AND product_type = 'course' AND product_id = $3 AND source_type = 'manual' AND revoked_at IS NULL`,
    [schoolId, personId, courseId, now],
  )
}
