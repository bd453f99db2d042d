import type { SchoolReader } from '../../database/connection/database.ts'

export async function readProgress(
  database: SchoolReader,
  { school_id, id, course_id }: { school_id: string; id: string; course_id: string },
) {
  const rows = await database
    .selectFrom('lesson')
    .innerJoin('section', 'section.id', 'lesson.section_id')
    .leftJoin('lesson_progress as progress', (join) =>
      join.onRef('progress.lesson_id', '=', 'lesson.id').on('progress.enrollment_id', '=', id),
    )
    .select(['lesson.id as lesson_id', 'progress.status', 'progress.position_seconds', 'progress.completed_at'])
    .select((lesson) =>
      lesson
        .selectFrom('quiz_attempt')
        .select((attempt) => attempt.cast<number>(attempt.fn.countAll(), 'integer').as('attempts'))
        .where('quiz_attempt.enrollment_id', '=', id)
        .whereRef('quiz_attempt.lesson_id', '=', 'lesson.id')
        .as('attempts'),
    )
    .where('lesson.school_id', '=', school_id)
    .where('lesson.course_id', '=', course_id)
    .where('lesson.status', '=', 'published')
    .orderBy('section.position')
    .orderBy('lesson.position')
    .execute()
  return rows.map((row) => ({ ...row, status: row.status ?? 'not_started' }))
}

/** Reads the progress in one lesson; empty if the lesson is not published. */
export async function readLessonProgress(
  database: SchoolReader,
  enrollment: { school_id: string; id: string; course_id: string },
  lessonId: string,
): Promise<Record<string, unknown>> {
  const all = await readProgress(database, enrollment)
  return all.find(({ lesson_id }) => lesson_id === lessonId) ?? {}
}
