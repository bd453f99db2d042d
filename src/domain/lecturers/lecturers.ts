import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'
import { Problem } from '../../lib/problem.ts'
import type { PersonCaller } from '../../policy/caller.ts'
import type { Writer } from '../../store/database.ts'
import { isInCatalogue } from '../courses/courses.ts'
import type { CourseContext } from '../courses/courseWriting.ts'
import { htmlColumn } from '../richText.ts'

type Lecturers = ExpressionBuilder<DB, 'lecturer'>
type Condition = Expression<SqlBool>
type Values = Readonly<Record<string, unknown>>

/** Whom everybody sees. */
export const isActiveLecturer = (lecturer: Lecturers): Condition => lecturer('status', '=', 'active')

/** The profile of the person who calls. */
export const isMyProfile = (lecturer: Lecturers, { lecturerId }: PersonCaller): Condition =>
  lecturerId === null ? lecturer.lit(false) : lecturer('lecturer.id', '=', lecturerId)

/** Lecturers who know one of these crafts. */
export const hasExpertise = (lecturer: Lecturers, words: readonly string[]): Condition =>
  lecturer.or(words.map((word) => lecturer(lecturer.val(word), '=', lecturer.fn.any('expertise'))))

/** Who teaches one of these courses, as far as it stands in the catalogue. */
export const teachesCourse = (lecturer: Lecturers, courseIds: readonly string[]): Condition =>
  lecturer.exists(
    taughtCourses(lecturer)
      .select('course.id')
      .where('course.id', 'in', [...courseIds])
      .where(isInCatalogue),
  )

/** What a lecturer teaches: how many courses stand in the catalogue, and the ids of all. */
export interface Taught {
  in_catalogue: number
  ids: string[] | null
}

/** The same as one JSON value. */
export const taughtBy = (lecturer: Lecturers): Expression<unknown> =>
  lecturer
    .selectFrom(
      taughtCourses(lecturer)
        .select((course) => [
          course.fn.countAll().filterWhere(isInCatalogue(course)).as('in_catalogue'),
          course.fn.agg<string[]>('array_agg', ['course.id']).as('ids'),
        ])
        .as('taught'),
    )
    .select((taught) => taught.fn.toJson('taught').as('courses'))

/** Id of the staff row that lets a person in as this lecturer. */
export const staffOf = (lecturer: Lecturers): Expression<unknown> =>
  lecturer
    .selectFrom('staff')
    .select('staff.id')
    .whereRef('staff.school_id', '=', 'lecturer.school_id')
    .whereRef('staff.lecturer_id', '=', 'lecturer.id')
    .where('staff.status', '!=', 'removed')
    .limit(1)

/** How many events they host that are still to come, or are on. */
export const upcomingEventsCount = (lecturer: Lecturers): Expression<unknown> =>
  lecturer
    .selectFrom('event_host')
    .innerJoin('event', (join) => join.onRef('event.school_id', '=', 'event_host.school_id').onRef('event.id', '=', 'event_host.event_id'))
    .select((event) => event.cast<number>(event.fn.countAll(), 'int4').as('events'))
    .whereRef('event_host.school_id', '=', 'lecturer.school_id')
    .whereRef('event_host.lecturer_id', '=', 'lecturer.id')
    .where('event.status', '=', 'published')
    .where((event) => event('event.ends_at', '>', event.fn<Date>('now', [])))

const taughtCourses = (lecturer: Lecturers) =>
  lecturer
    .selectFrom('course_lecturer')
    .innerJoin('course', (join) =>
      join.onRef('course.school_id', '=', 'course_lecturer.school_id').onRef('course.id', '=', 'course_lecturer.course_id'),
    )
    .whereRef('course_lecturer.school_id', '=', 'lecturer.school_id')
    .whereRef('course_lecturer.lecturer_id', '=', 'lecturer.id')

/** What a new lecturer has beside what was sent: the last place, and the HTML of the text. */
export async function lecturerDefaults(context: CourseContext, values: Values) {
  const last = await context.writer
    .selectFrom('lecturer')
    .select((row) => row.fn.max('position').as('position'))
    .where('school_id', '=', context.school.id)
    .executeTakeFirst()
  return { position: (last?.position ?? -1) + 1, ...htmlColumn('bio', values) }
}

/** Locks the courses of a lecturer, so that of two who teach one course alone together only one can be archived. */
export async function lockCoursesTaught(writer: Writer, { schoolId, id }: { schoolId: string; id: string }): Promise<void> {
  await writer
    .selectFrom('course')
    .select('id')
    .where('school_id', '=', schoolId)
    .where('id', 'in', (course) =>
      course.selectFrom('course_lecturer').select('course_id').where('school_id', '=', schoolId).where('lecturer_id', '=', id),
    )
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
}

/** @throws Problem resource_in_use for who alone teaches a published course */
export async function retireLecturer({ writer, school }: CourseContext, { id }: { id: string }) {
  // Again: a course may have got this lecturer while the row of the lecturer was waited for.
  await lockCoursesTaught(writer, { schoolId: school.id, id })
  const alone = await writer
    .selectFrom('course_lecturer as own')
    .innerJoin('course', (join) => join.onRef('course.school_id', '=', 'own.school_id').onRef('course.id', '=', 'own.course_id'))
    .select('course.slug')
    .where('own.school_id', '=', school.id)
    .where('own.lecturer_id', '=', id)
    .where('course.status', '=', 'published')
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom('course_lecturer as other')
            .innerJoin('lecturer', (join) =>
              join.onRef('lecturer.school_id', '=', 'other.school_id').onRef('lecturer.id', '=', 'other.lecturer_id'),
            )
            .select('other.lecturer_id')
            .whereRef('other.school_id', '=', 'own.school_id')
            .whereRef('other.course_id', '=', 'own.course_id')
            .whereRef('other.lecturer_id', '!=', 'own.lecturer_id')
            .where('lecturer.status', '!=', 'archived'),
        ),
      ),
    )
    .orderBy('course.slug')
    .limit(20)
    .execute()
  if (alone.length === 0) return {}
  throw new Problem('resource_in_use', {
    description: 'Nobody else teaches a published course of this lecturer. Name another lecturer there, or archive the course first.',
    details: alone.map(({ slug }) => ({
      code: 'resource_in_use',
      message: `The course ${slug} has no other lecturer.`,
      meta: { course: slug },
    })),
  })
}
