import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'
import type { PersonCaller } from '../../policy/caller.ts'
import { isInCatalogue, isOpenToMembers, isTaughtBy, isUnlisted } from '../courses/courses.ts'
import { isEnrolled } from '../courses/enrolledCourses.ts'

type Part = 'section' | 'lesson'
/** Rows that name a course. */
type InCourse = Part | 'enrollment' | 'lesson_progress'
type Parts<Table extends InCourse> = ExpressionBuilder<DB, Table>
type Courses = ExpressionBuilder<DB, 'course'>
type Condition = Expression<SqlBool>

/** Whether the course that a row belongs to is one of these. */
export function inCourse<Table extends InCourse>(table: Table, part: Parts<Table>, which: (course: Courses) => Condition): Condition {
  const rows = part as unknown as ExpressionBuilder<DB, InCourse>
  return rows.exists(
    rows
      .selectFrom('course')
      .select('course.id')
      .whereRef('course.school_id', '=', `${table as InCourse}.school_id`)
      .whereRef('course.id', '=', `${table as InCourse}.course_id`)
      .where((course) => which(course as unknown as Courses)),
  )
}

/** Who sees a part of a course: whoever sees the course, of what is shown; those who teach it see all of it. */
export function rulesOfPart<Table extends Part>(table: Table, isShown: (part: Parts<Table>) => Condition) {
  const shownIn =
    (which: (course: Courses) => Condition) =>
    (part: Parts<Table>): Condition =>
      part.and([isShown(part), inCourse(table, part, which)])
  const isTaught = (part: Parts<Table>, me: PersonCaller): Condition => inCourse(table, part, (course) => isTaughtBy(course, me))
  const seenBy = (part: Parts<Table>, me: PersonCaller): Condition =>
    shownIn((course) => course.or([isOpenToMembers(course), isEnrolled(course, me)]))(part)
  return {
    anonymous: shownIn(isInCatalogue),
    /** Of a course that only who knows its address can open. */
    unlisted: shownIn(isUnlisted),
    learner: seenBy,
    lecturer: (part: Parts<Table>, me: PersonCaller): Condition => part.or([seenBy(part, me), isTaught(part, me)]),
    isTaught,
  }
}

/** Sections have no state: they are shown with their course. */
export const sectionRules = rulesOfPart('section', (section) => section.lit(true))

/** A draft is shown to nobody but those who teach the course, and the staff. */
export const lessonRules = rulesOfPart('lesson', (lesson) => lesson('lesson.status', '=', 'published'))
