import { expressionBuilder } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'
import type { PersonCaller } from '../../policy/caller.ts'
import type { Writer } from '../../store/database.ts'
import { hasCurrentStatus } from '../../store/enrollmentExpressions.ts'
import type { Builder, Condition } from '../../store/expressions.ts'
import { isTaughtBy } from '../courses/courses.ts'
import { inCourse } from '../curriculum/coursePart.ts'

type Table = 'enrollment' | 'lesson_progress'

/** Returns the rules for rows of learning: the student, the lecturers of the course and the staff see them. */
export const learningRules = (table: Table) => {
  const builder = expressionBuilder<DB, Table>()
  const isMine = (_rows: unknown, { personId }: PersonCaller): Condition =>
    personId === null ? builder.lit(false) : builder(`${table}.person_id`, '=', personId)
  const isTaught = (_rows: unknown, me: PersonCaller): Condition => inCourse(table, (course) => isTaughtBy(course, me))
  const isTaughtOrMine = (rows: unknown, me: PersonCaller): Condition => builder.or([isMine(rows, me), isTaught(rows, me)])
  return { isMine, isTaught, isTaughtOrMine }
}

/** Selects the number of published lessons in the course of an enrolment. */
export const publishedLessonsOf = (enrollment: Builder<'enrollment'>) =>
  enrollment
    .selectFrom('course')
    .select('course.published_lessons_count')
    .whereRef('course.school_id', '=', 'enrollment.school_id')
    .whereRef('course.id', '=', 'enrollment.course_id')

/** Locks the course of an enrolment before the enrolment, in the same order as an enrolment does. */
export async function lockCourseOfEnrollment(writer: Writer, enrollment: EnrollmentKey): Promise<void> {
  await courseOf(writer, enrollment).forNoKeyUpdate().execute()
}

/**
 * Locks the course of an enrolment against changes of its lessons, before the enrolment. Other students of the course do not wait.
 */
export async function lockCourseForProgress(writer: Writer, enrollment: EnrollmentKey): Promise<void> {
  await courseOf(writer, enrollment).forShare().execute()
}

interface EnrollmentKey {
  schoolId: string
  id: string
}

const courseOf = (writer: Writer, { schoolId, id }: EnrollmentKey) =>
  writer
    .selectFrom('course')
    .select('id')
    .where('school_id', '=', schoolId)
    .where('id', '=', (course) =>
      course.selectFrom('enrollment').select('course_id').where('school_id', '=', schoolId).where('id', '=', id),
    )

/** Matches enrolments that are in one of these states now. */
export const hasEnrollmentStatus = (statuses: readonly string[]): Condition => hasCurrentStatus(statuses)
