import { type Handle, rawSql } from './rawSql.ts'

/** Counts anew how many different people take the courses of each lecturer. No version counts it: an editor's ETag stays valid. */
export async function countStudentsOfLecturers(sql: Handle): Promise<number> {
  const rows = await rawSql(sql).query(
    `UPDATE lecturer SET students_count = counted.students
       FROM (SELECT lecturer.school_id, lecturer.id, count(DISTINCT enrollment.person_id)::int AS students
               FROM lecturer
               LEFT JOIN course_lecturer taught ON taught.school_id = lecturer.school_id AND taught.lecturer_id = lecturer.id
               LEFT JOIN enrollment ON enrollment.school_id = taught.school_id AND enrollment.course_id = taught.course_id
                AND enrollment.status IN ('active', 'completed', 'suspended')
              GROUP BY lecturer.school_id, lecturer.id) counted
      WHERE lecturer.school_id = counted.school_id AND lecturer.id = counted.id AND lecturer.students_count <> counted.students
      RETURNING lecturer.id`,
  )
  return rows.length
}
