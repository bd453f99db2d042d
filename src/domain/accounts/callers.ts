import type { PersonCaller, Role } from '../../policy/caller.ts'
import type { Sql } from '../../store/sql.ts'

/** Who an account stands for, as of now. */
export type PersonNow = Pick<PersonCaller, 'accountId' | 'personId' | 'lecturerId' | 'role'>

/**
 * The person behind an account, or undefined where the account has been disabled or deleted.
 * Read for each request and never cached: a demotion takes effect immediately.
 *
 * With `grantId`: also undefined when that grant has expired or was revoked, or when its client is disabled. The same statement checks
 * it, so a token that a cache still knows costs no extra query.
 */
export async function findPerson(sql: Sql, schoolId: string, accountId: string, grantId?: string): Promise<PersonNow | undefined> {
  const rows = await sql.query<{ person_id: string | null; role: Role | null; lecturer_id: string | null }>(
    `SELECT p.id AS person_id, s.role, s.lecturer_id
       FROM account a
       LEFT JOIN person p ON p.school_id = a.school_id AND p.account_id = a.id
       LEFT JOIN staff s ON s.school_id = p.school_id AND s.person_id = p.id AND s.status = 'active'
      WHERE a.school_id = $1 AND a.id = $2 AND a.disabled_at IS NULL
        AND (a.deletion_scheduled_at IS NULL OR a.deletion_scheduled_at > now())
        AND ($3::text IS NULL OR EXISTS (
          SELECT 1 FROM oidc_grant g JOIN oidc_client c ON c.school_id = g.school_id AND c.id = g.client_id
           WHERE g.school_id = a.school_id AND g.id = $3 AND g.account_id = a.id
             AND g.revoked_at IS NULL AND g.expires_at > now() AND c.disabled_at IS NULL))`,
    [schoolId, accountId, grantId ?? null],
    'caller_find',
  )
  const row = rows[0]
  return row && { accountId, personId: row.person_id, role: row.role ?? 'learner', lecturerId: row.lecturer_id }
}
