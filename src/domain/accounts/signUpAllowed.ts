import type { Sql } from '../../store/sql.ts'

/** Whether anybody may make an account at the school. */
export async function isOpenToSignUp(sql: Sql, schoolId: string): Promise<boolean> {
  const [school] = await sql.query<{ registration: string }>(
    'SELECT registration FROM school WHERE id = $1',
    [schoolId],
    'school_registration',
  )
  return school?.registration === 'open'
}

/** Ways in which a person without a login is invited. Each is a condition on the row `person`. */
const invitations = [
  `EXISTS (SELECT FROM staff WHERE staff.school_id = person.school_id AND staff.person_id = person.id AND staff.status = 'invited')`,
  `(person.is_student AND person.student_status = 'invited')`,
  `(person.is_member AND person.member_status = 'invited')`,
]

/** Whether this address may have an account: at an open school every one, elsewhere one that is invited. */
export async function maySignUp(sql: Sql, schoolId: string, email: string): Promise<boolean> {
  if (await isOpenToSignUp(sql, schoolId)) return true
  const found = await sql.query(
    `SELECT id FROM person WHERE school_id = $1 AND email = $2 AND account_id IS NULL AND (${invitations.join(' OR ')})`,
    [schoolId, email],
    'invited_person',
  )
  return found.length > 0
}
