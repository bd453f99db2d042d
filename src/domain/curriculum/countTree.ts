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
 * Counts what a course holds into its row. `isSeen` says that the tree itself shows the change: then it is a new version of the
 * tree. Neither counts as a change of the course.
 */
export async function countTree(sql: Sql, { schoolId, courseId }: CourseKey, { isSeen }: { isSeen: boolean }): Promise<void> {
  await sql.query(
    `UPDATE course
        SET tree_version = tree_version + $3,
            sections_count = (SELECT count(*) FROM section WHERE school_id = $1 AND course_id = $2),
            (lessons_count, published_lessons_count, previews_count, published_previews_count, duration_minutes, published_duration_minutes) =
              (SELECT count(*), count(*) FILTER (WHERE status = 'published'),
                      count(*) FILTER (WHERE is_preview), count(*) FILTER (WHERE is_preview AND status = 'published'),
                      coalesce(ceil(sum(duration_seconds) / 60.0), 0),
                      coalesce(ceil(sum(duration_seconds) FILTER (WHERE status = 'published') / 60.0), 0)
                 FROM lesson WHERE school_id = $1 AND course_id = $2)
      WHERE school_id = $1 AND id = $2`,
    [schoolId, courseId, isSeen ? 1 : 0],
  )
}

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
