import type { PersonCaller, Role } from '../policy/caller.ts'
import type { Sql } from '../store/sql.ts'

/** Who an account stands for, as of now. */
export type PersonNow = Pick<PersonCaller, 'accountId' | 'personId' | 'lecturerId' | 'role'>

/**
 * The person behind an account, or undefined where the account has been disabled or deleted.
 * Read for each request and never kept: a demotion bites at once.
 */
export async function findPerson(sql: Sql, schoolId: string, accountId: string): Promise<PersonNow | undefined> {
  const rows = await sql.query<{ person_id: string | null; role: Role | null; lecturer_id: string | null }>(
    `SELECT p.id AS person_id, s.role, s.lecturer_id
       FROM account a
       LEFT JOIN person p ON p.school_id = a.school_id AND p.account_id = a.id
       LEFT JOIN staff s ON s.school_id = p.school_id AND s.person_id = p.id AND s.status = 'active'
      WHERE a.school_id = $1 AND a.id = $2 AND a.disabled_at IS NULL
        AND (a.deletion_scheduled_at IS NULL OR a.deletion_scheduled_at > now())`,
    [schoolId, accountId],
    'caller_find',
  )
  const row = rows[0]
  return row && { accountId, personId: row.person_id, role: row.role ?? 'learner', lecturerId: row.lecturer_id }
}
