import { type Expression, type RawBuilder, sql } from 'kysely'
import type { SchoolReader, SchoolWriter } from '../../database/connection/database.ts'
import type { Builder, Condition } from '../../database/statements/expressions.ts'
import { recordChanges } from '../../database/tables/changeLog.ts'
import { updateEnrollmentCounters } from './enrollmentCounters.ts'
import { issueCertificates } from './issuedCertificates.ts'

export interface ProgressCounts {
  completed_lessons_count: number
  progress_percent: number
  lessons_count: number
  /** True if the progress reaches the completion threshold of the course. */
  is_enough: boolean
}

const completedLessons = (enrollment: Builder<'enrollment'>) =>
  enrollment
    .selectFrom('lesson_progress as progress')
    .innerJoin('lesson', (join) => join.onRef('lesson.id', '=', 'progress.lesson_id').on('lesson.status', '=', 'published'))
    .select((progress) => progress.cast<number>(progress.fn.countAll(), 'integer').as('count'))
    .whereRef('progress.enrollment_id', '=', 'enrollment.id')
    .where('progress.status', '=', 'completed')

// Rounded down: 100 percent means that every published lesson is completed.
const percentOf = (completed: Expression<number>, published: Expression<number>): RawBuilder<number> =>
  sql<number>`CASE WHEN ${published} = 0 THEN 0 ELSE least(100, ${completed} * 100 / ${published}) END`

const isEnough = (row: Builder<'enrollment' | 'course'>): Condition =>
  row.and([
    row('course.published_lessons_count', '>', 0),
    row('enrollment.progress_percent', '>=', row.ref('course.completion_threshold_percent')),
  ])

/** Updates the progress counters of an enrolment, without a new version. */
export async function countProgress(writer: SchoolWriter, { enrollmentId }: { enrollmentId: string }): Promise<ProgressCounts> {
  return await writer
    .updateTable('enrollment')
    .from((inner) =>
      inner
        .selectFrom('enrollment')
        .select((enrollment) => completedLessons(enrollment).$asScalar().as('count'))
        .where('id', '=', enrollmentId)
        .as('counted'),
    )
    .from('course')
    .set(({ ref }) => ({
      completed_lessons_count: ref('counted.count').$notNull(),
      progress_percent: percentOf(ref('counted.count').$notNull(), ref('course.published_lessons_count')),
    }))
    .where('enrollment.id', '=', enrollmentId)
    .whereRef('course.id', '=', 'enrollment.course_id')
    .returning(['enrollment.completed_lessons_count', 'enrollment.progress_percent', 'course.published_lessons_count as lessons_count'])
    .returning((row) => row.cast<boolean>(isEnough(row), 'boolean').as('is_enough'))
    .executeTakeFirstOrThrow()
}

/**
 * Updates the progress counters of every enrolment in a course after its lessons have changed, and completes the active enrolments that
 * now reach the threshold, with their certificates. The course is locked.
 * @returns the ids of the enrolments whose counters have changed
 */
export async function recountCourse(writer: SchoolWriter, { courseId, now }: { courseId: string; now: Date }): Promise<string[]> {
  const changed = await writer
    .updateTable('enrollment')
    .from((inner) =>
      inner
        .selectFrom('enrollment')
        .select((enrollment) => ['enrollment.id', completedLessons(enrollment).$asScalar().as('count')])
        .where('course_id', '=', courseId)
        .as('counted'),
    )
    .from('course')
    .set(({ ref }) => ({
      completed_lessons_count: ref('counted.count').$notNull(),
      progress_percent: percentOf(ref('counted.count').$notNull(), ref('course.published_lessons_count')),
    }))
    .whereRef('enrollment.id', '=', 'counted.id')
    .where('course.id', '=', courseId)
    .where((row) =>
      row.or([
        row('enrollment.completed_lessons_count', 'is distinct from', row.ref('counted.count')),
        row(
          'enrollment.progress_percent',
          'is distinct from',
          percentOf(row.ref('counted.count').$notNull(), row.ref('course.published_lessons_count')),
        ),
      ]),
    )
    .returning('enrollment.id')
    .execute()
  const completed = await writer
    .updateTable('enrollment')
    .from('course')
    .set((row) => ({
      status: 'completed',
      completed_at: row.fn.coalesce('enrollment.completed_at', row.val(now)),
      version: row('enrollment.version', '+', 1),
      updated_at: now,
    }))
    .where('enrollment.course_id', '=', courseId)
    .where('enrollment.status', '=', 'active')
    .where('course.id', '=', courseId)
    .where(isEnough)
    .where('enrollment.completed_at', 'is', null)
    .where((row) => row.or([row('enrollment.expires_at', 'is', null), row('enrollment.expires_at', '>', now)]))
    .returning(['enrollment.id', 'enrollment.version', 'enrollment.person_id'])
    .execute()
  await recordChanges(writer, { type: 'enrollment', action: 'completed' }, completed)
  await issueCertificates({ writer, school: { id: writer.schoolId }, now }, completed)
  await updateEnrollmentCounters(
    writer,
    completed.map(({ person_id }) => ({
      courseId,
      personId: person_id,
      before: { status: 'active', completed_at: null },
      after: { status: 'completed', completed_at: now },
    })),
  )
  return changed.map(({ id }) => id)
}

export const affectedEnrollments = (ids: Iterable<string>): { headers: Record<string, string> } => ({
  headers: { 'Affected-Enrollments': String(new Set(ids).size) },
})

export async function startedEnrollments(reader: SchoolReader, lessonIds: readonly string[]): Promise<string[]> {
  if (lessonIds.length === 0) return []
  const rows = await reader
    .selectFrom('lesson_progress')
    .select('enrollment_id')
    .distinct()
    .where((progress) => progress('lesson_id', '=', progress.fn.any(progress.val(lessonIds))))
    .execute()
  return rows.map(({ enrollment_id }) => enrollment_id)
}
