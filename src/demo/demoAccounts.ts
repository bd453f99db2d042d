import type { Sql } from '../store/sql.ts'
import { demoIdRange } from './ids.ts'

/** The e-mail addresses of demo accounts that can sign in: their password is known to more people than their owners. */
export async function listDemoSignIns(sql: Sql, schoolId: string): Promise<string[]> {
  const rows = await sql.query<{ email: string }>(
    `SELECT email FROM account WHERE school_id = $1 AND id BETWEEN $2::uuid AND $3::uuid AND password_hash IS NOT NULL AND disabled_at IS NULL
      ORDER BY id`,
    [schoolId, ...demoIdRange],
  )
  return rows.map(({ email }) => email)
}

/** How many accounts of a school the demo made, and the e-mail addresses of the others. */
export async function splitAccounts(sql: Sql, schoolId: string): Promise<{ demo: number; others: string[] }> {
  const rows = await sql.query<{ email: string; is_demo: boolean }>(
    'SELECT email, id BETWEEN $2::uuid AND $3::uuid AS is_demo FROM account WHERE school_id = $1 ORDER BY id',
    [schoolId, ...demoIdRange],
  )
  return { demo: rows.filter(({ is_demo }) => is_demo).length, others: rows.filter(({ is_demo }) => !is_demo).map(({ email }) => email) }
}
