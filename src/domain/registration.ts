import type { Sql } from '../store/sql.ts'

/** Whether anybody may make an account at the school. */
export async function isOpenToSignUp(sql: Sql, schoolId: string): Promise<boolean> {
  const [school] = await sql.query<{ registration: string }>(
    'SELECT registration FROM school WHERE id = $1',
    [schoolId],
    'school_registration',
  )
  return school?.registration === 'open'
}
