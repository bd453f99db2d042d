import { Problem } from '../../lib/problem.ts'
import type { ChangeAction } from '../../store/changeActions.ts'
import { recordChange } from '../../store/changeLog.ts'
import type { Writer } from '../../store/database.ts'
import type { Sql } from '../../store/sql.ts'

/** A course, within its school. */
export interface CourseKey {
  schoolId: string
  courseId: string
}

/** How much a course may hold. */
export const maxSections = 200
export const maxLessons = 1000

/**
 * Writes the counts of a course's sections and lessons into its row. `isSeen` says that the tree itself shows the change: then it is a new
 * version of the tree. Neither counts as a change of the course. Every change of a curriculum ends here, with the course locked.
 * @throws Problem invalid_state where a published course would lose its last published lesson
 */
export async function countTree(sql: Sql, { schoolId, courseId }: CourseKey, { isSeen }: { isSeen: boolean }): Promise<void> {
  const [counted] = await sql.query<{ is_emptied: boolean; version: number }>(
    `WITH earlier AS (SELECT published_lessons_count FROM course WHERE school_id = $1 AND id = $2)
     UPDATE course
        SET tree_version = tree_version + $3,
            sections_count = (SELECT count(*) FROM section WHERE school_id = $1 AND course_id = $2),
            (lessons_count, published_lessons_count, previews_count, published_previews_count, duration_minutes, published_duration_minutes) =
              (SELECT count(*), count(*) FILTER (WHERE status = 'published'),
                      count(*) FILTER (WHERE is_preview), count(*) FILTER (WHERE is_preview AND status = 'published'),
                      coalesce(ceil(sum(duration_seconds) / 60.0), 0),
                      coalesce(ceil(sum(duration_seconds) FILTER (WHERE status = 'published') / 60.0), 0)
                 FROM lesson WHERE school_id = $1 AND course_id = $2)
      WHERE school_id = $1 AND id = $2
      RETURNING tree_version AS version, status = 'published' AND published_lessons_count = 0 AND (SELECT published_lessons_count FROM earlier) > 0 AS is_emptied`,
    [schoolId, courseId, isSeen ? 1 : 0],
  )
  if (counted && isSeen) await recordCurriculum(sql, { schoolId, courseId }, 'updated', counted.version)
  if (counted?.is_emptied) {
    throw new Problem('invalid_state', {
      description:
        'A published course keeps at least one published lesson. Unpublish or archive the course first, or publish another lesson.',
      details: [
        { field: 'lessons_count', code: 'last_published_lesson', message: 'This is the last published lesson of a published course.' },
      ],
    })
  }
}

/** Records a change of what a course contains: the curriculum has its own version. */
export const recordCurriculum = (sql: Sql, { schoolId, courseId }: CourseKey, action: ChangeAction, version: number): Promise<void> =>
  recordChange(sql, { school_id: schoolId, type: 'curriculum', resource_id: courseId, action, version })

/**
 * Keeps a course from everybody else who changes what it holds, until the transaction ends. It is locked before its parts:
 * two who take the same rows in another order would wait for each other.
 */
export const lockCourseOf =
  (table: 'section' | 'lesson') =>
  async (writer: Writer, { schoolId, id }: { schoolId: string; id: string }): Promise<void> => {
    await writer
      .selectFrom('course')
      .select('id')
      .where('school_id', '=', schoolId)
      .where('id', '=', (course) => course.selectFrom(table).select('course_id').where('school_id', '=', schoolId).where('id', '=', id))
      .forNoKeyUpdate()
      .execute()
  }
