import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'
import type { PersonCaller } from '../../policy/caller.ts'
import type { Writer } from '../../store/database.ts'
import { hasCurrentStatus } from '../../store/enrollmentExpressions.ts'
import { isTaughtBy } from '../courses/courses.ts'
import { inCourse } from '../curriculum/coursePart.ts'

type Table = 'enrollment' | 'lesson_progress'

/** Who sees what somebody learns: the person, those who teach the course, and the staff. */
export const learningRules = <Of extends Table>(table: Of) => {
  const isMine = (rows: ExpressionBuilder<DB, Of>, { personId }: PersonCaller): Expression<SqlBool> => {
    const builder = rows as unknown as ExpressionBuilder<DB, Table>
    return personId === null ? builder.lit(false) : builder(`${table as Table}.person_id`, '=', personId)
  }
  const isTaught = (rows: ExpressionBuilder<DB, Of>, me: PersonCaller): Expression<SqlBool> =>
    inCourse(table, rows, (course) => isTaughtBy(course, me))
  const isTaughtOrMine = (rows: ExpressionBuilder<DB, Of>, me: PersonCaller): Expression<SqlBool> =>
    (rows as unknown as ExpressionBuilder<DB, Table>).or([isMine(rows, me), isTaught(rows, me)])
  return { isMine, isTaught, isTaughtOrMine }
}

/** How many lessons the course of an enrolment shows. */
export const publishedLessonsOf = (enrollment: ExpressionBuilder<DB, 'enrollment'>): Expression<unknown> =>
  enrollment
    .selectFrom('course')
    .select('course.published_lessons_count')
    .whereRef('course.school_id', '=', 'enrollment.school_id')
    .whereRef('course.id', '=', 'enrollment.course_id')

/** Locks the course of an enrolment before the enrolment: who enrols somebody takes them in this order. */
export async function lockCourseOfEnrollment(writer: Writer, { schoolId, id }: { schoolId: string; id: string }): Promise<void> {
  await writer
    .selectFrom('course')
    .select('id')
    .where('school_id', '=', schoolId)
    .where('id', '=', (course) =>
      course.selectFrom('enrollment').select('course_id').where('school_id', '=', schoolId).where('id', '=', id),
    )
    .forNoKeyUpdate()
    .execute()
}

/**
 * Locks the course of an enrolment against changes of its lessons, and not against others who learn. It comes before the enrolment, as
 * with everybody who locks both.
 */
export async function lockCourseForProgress(writer: Writer, { schoolId, id }: { schoolId: string; id: string }): Promise<void> {
  await writer
    .selectFrom('course')
    .select('id')
    .where('school_id', '=', schoolId)
    .where('id', '=', (course) =>
      course.selectFrom('enrollment').select('course_id').where('school_id', '=', schoolId).where('id', '=', id),
    )
    .forShare()
    .execute()
}

/** Enrolments that stand in one of these states now. */
export const hasEnrollmentStatus = (statuses: readonly string[]): Expression<SqlBool> => hasCurrentStatus(statuses)
