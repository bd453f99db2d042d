import { newId } from '../../src/base/ids.ts'
import type { Sql } from '../../src/database/connection/sql.ts'

/** Enrols every person in every course and updates the counters. Returns the ids of the enrolments. */
export async function newEnrollments(sql: Sql, schoolId: string, people: readonly string[], courses: readonly string[]): Promise<string[]> {
  const ids: string[] = []
  for (const personId of people) {
    for (const courseId of courses) {
      const id = newId()
      const made = await sql.query(
        `INSERT INTO enrollment (school_id, id, person_id, course_id, source) VALUES ($1, $2, $3, $4, 'manual') ON CONFLICT DO NOTHING RETURNING id`,
        [schoolId, id, personId, courseId],
      )
      if (made.length === 0) continue
      ids.push(id)
      await sql.query(
        `INSERT INTO lesson_progress (school_id, id, enrollment_id, lesson_id, course_id, person_id)
         SELECT school_id, $2, $3, id, course_id, $4 FROM lesson WHERE school_id = $1 AND course_id = $5 ORDER BY id LIMIT 1`,
        [schoolId, newId(), id, personId, courseId],
      )
      await sql.query('UPDATE course SET enrollments_count = enrollments_count + 1 WHERE school_id = $1 AND id = $2', [schoolId, courseId])
      await sql.query(
        `UPDATE person SET enrollments_count = enrollments_count + 1, active_enrollments_count = active_enrollments_count + 1
          WHERE school_id = $1 AND id = $2`,
        [schoolId, personId],
      )
    }
  }
  return ids
}

/** Issues a certificate for each enrolment of the school. */
export async function newCertificates(sql: Sql, schoolId: string): Promise<void> {
  await sql.query(
    `INSERT INTO certificate (school_id, id, enrollment_id, course_id, person_id, number, completed_at, issued_at, course_title)
     SELECT school_id, gen_random_uuid(), id, course_id, person_id, upper(right(replace(id::text, '-', ''), 16)), now(), now(), 'Clay'
       FROM enrollment WHERE school_id = $1`,
    [schoolId],
  )
}
