import type { Reader } from '../connection/database.ts'

/** Recounts how many different people are enrolled in the courses of each lecturer. The version stays: an editor's ETag remains valid. */
export async function countStudentsOfLecturers(db: Reader): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('lecturer')
    .from((one) =>
      one
        .selectFrom('lecturer')
        .leftJoin('course_lecturer', (join) =>
          join.onRef('course_lecturer.school_id', '=', 'lecturer.school_id').onRef('course_lecturer.lecturer_id', '=', 'lecturer.id'),
        )
        .leftJoin('enrollment', (join) =>
          join
            .onRef('enrollment.school_id', '=', 'course_lecturer.school_id')
            .onRef('enrollment.course_id', '=', 'course_lecturer.course_id')
            .on('enrollment.status', 'in', ['active', 'completed', 'suspended']),
        )
        .select(['lecturer.school_id', 'lecturer.id'])
        .select(({ fn, cast }) => cast<number>(fn.count('enrollment.person_id').distinct(), 'integer').as('students'))
        .groupBy(['lecturer.school_id', 'lecturer.id'])
        .as('counted'),
    )
    .set(({ ref }) => ({ students_count: ref('counted.students') }))
    .whereRef('lecturer.school_id', '=', 'counted.school_id')
    .whereRef('lecturer.id', '=', 'counted.id')
    .whereRef('lecturer.students_count', '<>', 'counted.students')
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}
