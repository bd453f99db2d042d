import { expressionBuilder } from 'kysely'
import type { PersonCaller } from '../../base/caller.ts'
import type { Builder, Condition } from '../../database/statements/expressions.ts'
import type { DB } from '../../gen/kysely/tables.ts'
import { isEnrolled } from '../courses/enrolledCourses.ts'
import { isInCatalogue, isOpenToMembers, isTaughtBy, isUnlisted } from '../courses/visibleCourses.ts'

type Part = 'section' | 'lesson'
type InCourse = Part | 'enrollment' | 'lesson_progress' | 'certificate'
type Courses = Builder<'course'>

export function inCourse(table: InCourse, which: (course: Courses) => Condition): Condition {
  const rows = expressionBuilder<DB, InCourse>()
  return rows.exists(
    rows
      .selectFrom('course')
      .select('course.id')
      .whereRef('course.school_id', '=', `${table}.school_id`)
      .whereRef('course.id', '=', `${table}.course_id`)
      .where(which(expressionBuilder<DB, 'course'>())),
  )
}

/** Returns the visibility of a part of a course: callers who see the course see its shown parts; its lecturers see all of them. */
function rulesOfPart<Table extends Part>(table: Table, isShown: (part: Builder<Table>) => Condition) {
  const shownIn =
    (which: (course: Courses) => Condition) =>
    (part: Builder<Table>): Condition =>
      part.and([isShown(part), inCourse(table, which)])
  const isTaught = (_part: unknown, me: PersonCaller): Condition => inCourse(table, (course) => isTaughtBy(course, me))
  const seenBy = (part: Builder<Table>, me: PersonCaller): Condition =>
    shownIn((course) => course.or([isOpenToMembers(course), isEnrolled(course, me)]))(part)
  return {
    anonymous: shownIn(isInCatalogue),
    /** Parts of an unlisted course, which only callers with its URL can open. */
    unlisted: shownIn(isUnlisted),
    learner: seenBy,
    lecturer: (part: Builder<Table>, me: PersonCaller): Condition => part.or([seenBy(part, me), isTaught(part, me)]),
    isTaught,
  }
}

/** Sections have no state: they are visible with their course. */
export const sectionRules = rulesOfPart('section', (section) => section.lit(true))

/** A draft is visible only to the lecturers of the course and the staff. */
export const lessonRules = rulesOfPart('lesson', (lesson) => lesson('lesson.status', '=', 'published'))
