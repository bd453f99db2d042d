import type { Reader } from '../../store/database.ts'

/** Returns true if anybody may create an account in the school. */
async function isOpenToSignUp(database: Reader, schoolId: string): Promise<boolean> {
  const school = await database.selectFrom('school').select('registration').where('id', '=', schoolId).executeTakeFirst()
  return school?.registration === 'open'
}

/**
 * Returns true if an account can be created with this address: any address at an open school; elsewhere the address of a person
 * without a login who was invited as staff, as a student or as a member.
 */
export async function maySignUp(database: Reader, schoolId: string, email: string): Promise<boolean> {
  if (await isOpenToSignUp(database, schoolId)) return true
  const invited = await database
    .selectFrom('person')
    .select('person.id')
    .where('person.school_id', '=', schoolId)
    .where('person.email', '=', email)
    .where('person.account_id', 'is', null)
    .where((person) =>
      person.or([
        person.exists(
          person
            .selectFrom('staff')
            .select('staff.id')
            .whereRef('staff.school_id', '=', 'person.school_id')
            .whereRef('staff.person_id', '=', 'person.id')
            .where('staff.status', '=', 'invited'),
        ),
        person.and([person('person.is_student', '=', true), person('person.student_status', '=', 'invited')]),
        person.and([person('person.is_member', '=', true), person('person.member_status', '=', 'invited')]),
      ]),
    )
    .executeTakeFirst()
  return invited !== undefined
}
