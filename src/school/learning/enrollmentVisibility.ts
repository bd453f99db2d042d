import { expressionBuilder } from 'kysely'
import type { PersonCaller } from '../../base/caller.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import type { Builder, Condition } from '../../database/statements/expressions.ts'
import type { DB } from '../../gen/kysely/tables.ts'
import { isTaughtBy } from '../courses/visibleCourses.ts'
import { inCourse } from '../curriculum/selections.ts'
import { hasCurrentStatus } from './enrollmentExpressions.ts'

type Table = 'enrollment' | 'lesson_progress' | 'certificate'

/** Returns the rules for rows of learning: the student, the lecturers of the course and the staff see them. */
export const learningRules = (table: Table) => {
  const builder = expressionBuilder<DB, Table>()
  const isMine = (_rows: unknown, { personId }: PersonCaller): Condition =>
    personId === null ? builder.lit(false) : builder(`${table}.person_id`, '=', personId)
  const isTaught = (_rows: unknown, me: PersonCaller): Condition => inCourse(table, (course) => isTaughtBy(course, me))
  const isTaughtOrMine = (rows: unknown, me: PersonCaller): Condition => builder.or([isMine(rows, me), isTaught(rows, me)])
  return { isMine, isTaught, isTaughtOrMine }
}

export const publishedLessonsOf = (enrollment: Builder<'enrollment'>) =>
  enrollment.selectFrom('course').select('course.published_lessons_count').whereRef('course.id', '=', 'enrollment.course_id')

/** Selects enrolments in whose course one of these published lessons is not completed. The progress need not have begun. */
export const hasIncompleteLesson = (enrollment: Builder<'enrollment'>, lessonIds: readonly string[]): Condition =>
  enrollment.exists(
    enrollment
      .selectFrom('lesson')
      .whereRef('lesson.course_id', '=', 'enrollment.course_id')
      .where('lesson.id', 'in', [...lessonIds])
      .where('lesson.status', '=', 'published')
      .where((lesson) =>
        lesson.not(
          lesson.exists(
            lesson
              .selectFrom('lesson_progress')
              .whereRef('lesson_progress.enrollment_id', '=', 'enrollment.id')
              .whereRef('lesson_progress.lesson_id', '=', 'lesson.id')
              .where('lesson_progress.status', '=', 'completed'),
          ),
        ),
      ),
  )

/** Locks the course of an enrolment before the enrolment, in the same order as an enrolment does. */
export async function lockCourseOfEnrollment(writer: SchoolWriter, enrollment: EnrollmentKey): Promise<void> {
  await courseOf(writer, enrollment).forNoKeyUpdate().execute()
}

/**
 * Locks the course of an enrolment against changes of its lessons, before the enrolment. Other students of the course do not wait.
 */
export async function lockCourseForProgress(writer: SchoolWriter, enrollment: EnrollmentKey): Promise<void> {
  await courseOf(writer, enrollment).forShare().execute()
}

interface EnrollmentKey {
  id: string
}

const courseOf = (writer: SchoolWriter, { id }: EnrollmentKey) =>
  writer
    .selectFrom('course')
    .select('id')
    .where('id', '=', (course) => course.selectFrom('enrollment').select('course_id').where('id', '=', id))

export const hasEnrollmentStatus = (statuses: readonly string[]): Condition => hasCurrentStatus(statuses)
