import { randomInt } from 'node:crypto'
import type { Reader } from '../../store/database.ts'

/** Digits and capital letters, without the letters that look like digits. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Returns a new number of sixteen characters: 80 random bits, so that it cannot be guessed. */
export const certificateNumber = (): string => Array.from({ length: 16 }, () => alphabet[randomInt(alphabet.length)]).join('')

export const certificateForm = /^[0-9A-HJKMNP-TV-Z]{16}$/

/** Returns what anybody with the number may read of a certificate. The name of an erased person is null. */
export async function findCertificate(database: Reader, schoolId: string, number: string) {
  const row = await database
    .selectFrom('enrollment')
    .innerJoin('course', (join) =>
      join.onRef('course.school_id', '=', 'enrollment.school_id').onRef('course.id', '=', 'enrollment.course_id'),
    )
    .innerJoin('person', (join) =>
      join.onRef('person.school_id', '=', 'enrollment.school_id').onRef('person.id', '=', 'enrollment.person_id'),
    )
    .select(['course.title as course_title', 'person.name as holder_name', 'person.erased_at'])
    .select(['enrollment.certificate_issued_at as issued_at', 'enrollment.completed_at'])
    .where('enrollment.school_id', '=', schoolId)
    .where('enrollment.certificate_number', '=', number)
    .executeTakeFirst()
  return (
    row && {
      number,
      course_title: row.course_title,
      holder_name: row.erased_at === null ? row.holder_name : null,
      issued_at: row.issued_at,
      valid: row.completed_at !== null,
    }
  )
}
