import type { Expression } from 'kysely'
import { jsonObjectFrom } from 'kysely/helpers/postgres'
import type { PersonCaller } from '../../base/caller.ts'
import { Problem } from '../../base/problem.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { type Builder, type Condition, now } from '../../database/statements/expressions.ts'
import type { RenderingContext } from '../changeContext.ts'
import type { WriteContext } from '../courses/courseWriting.ts'
import { isInCatalogue } from '../courses/visibleCourses.ts'
import { htmlColumn } from '../markupRenderer.ts'

type Lecturers = Builder<'lecturer'>
type Values = Readonly<Record<string, unknown>>

export const isActiveLecturer = (lecturer: Lecturers): Condition => lecturer('status', '=', 'active')

export const isMyProfile = (lecturer: Lecturers, { lecturerId }: PersonCaller): Condition =>
  lecturerId === null ? lecturer.lit(false) : lecturer('lecturer.id', '=', lecturerId)

export const hasExpertise = (lecturer: Lecturers, words: readonly string[]): Condition =>
  lecturer.or(words.map((word) => lecturer(lecturer.val(word), '=', lecturer.fn.any('expertise'))))

/** Matches the lecturers of one of these courses, if the course is in the catalogue. */
export const teachesCourse = (lecturer: Lecturers, courseIds: readonly string[]): Condition =>
  lecturer.exists(
    taughtCourses(lecturer)
      .select('course.id')
      .where('course.id', 'in', [...courseIds])
      .where(isInCatalogue),
  )

export interface Taught {
  in_catalogue: number
  ids: string[] | null
}

export const taughtBy = (lecturer: Lecturers): Expression<unknown> =>
  jsonObjectFrom(
    taughtCourses(lecturer).select((course) => [
      course.fn.countAll().filterWhere(isInCatalogue(course)).as('in_catalogue'),
      course.fn.agg<string[]>('array_agg', ['course.id']).as('ids'),
    ]),
  )

/** Selects the id of the staff row through which a person is this lecturer. */
export const staffOf = (lecturer: Lecturers): Expression<unknown> =>
  lecturer
    .selectFrom('staff')
    .select('staff.id')
    .whereRef('staff.lecturer_id', '=', 'lecturer.id')
    .where('staff.status', '!=', 'removed')
    .limit(1)

export const upcomingEventsCount = (lecturer: Lecturers): Expression<unknown> =>
  lecturer
    .selectFrom('event_host')
    .innerJoin('event', 'event.id', 'event_host.event_id')
    .select((event) => event.cast<number>(event.fn.countAll(), 'int4').as('events'))
    .whereRef('event_host.lecturer_id', '=', 'lecturer.id')
    .where('event.status', '=', 'published')
    .where((event) => event('event.ends_at', '>', now))

const taughtCourses = (lecturer: Lecturers) =>
  lecturer
    .selectFrom('course_lecturer')
    .innerJoin('course', 'course.id', 'course_lecturer.course_id')
    .whereRef('course_lecturer.lecturer_id', '=', 'lecturer.id')

export async function lecturerDefaults(context: WriteContext & RenderingContext, values: Values) {
  const last = await context.writer
    .selectFrom('lecturer')
    .select((row) => row.fn.max('position').as('position'))
    .executeTakeFirst()
  return { position: (last?.position ?? -1) + 1, ...(await htmlColumn(context.externalServices.markup, 'bio', values)) }
}

/** Locks the courses of a lecturer, so that the last two lecturers of a course cannot be archived at the same time. */
export async function lockCoursesTaught(writer: SchoolWriter, { id }: { id: string }): Promise<void> {
  await writer
    .selectFrom('course')
    .select('id')
    .where('id', 'in', (course) => course.selectFrom('course_lecturer').select('course_id').where('lecturer_id', '=', id))
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
}

/**
 * Checks that a lecturer can be archived, and returns the status to restore.
 * @throws Problem resource_in_use for the only lecturer of a published course
 */
export async function retireLecturer({ writer }: WriteContext, { id, status }: { id: string; status: string }) {
  // Locks again: a course may have got this lecturer while the transaction waited for the row of the lecturer.
  await lockCoursesTaught(writer, { id })
  const alone = await writer
    .selectFrom('course_lecturer as own')
    .innerJoin('course', 'course.id', 'own.course_id')
    .select('course.slug')
    .where('own.lecturer_id', '=', id)
    .where('course.status', '=', 'published')
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom('course_lecturer as other')
            .innerJoin('lecturer', 'lecturer.id', 'other.lecturer_id')
            .whereRef('other.course_id', '=', 'own.course_id')
            .whereRef('other.lecturer_id', '!=', 'own.lecturer_id')
            .where('lecturer.status', '!=', 'archived'),
        ),
      ),
    )
    .orderBy('course.slug')
    .limit(20)
    .execute()
  if (alone.length === 0) return { status_before: status }
  throw new Problem('resource_in_use', {
    description: 'The lecturer is the only one of a published course. Add another lecturer to the course, or archive it first.',
    details: alone.map(({ slug }) => ({
      code: 'resource_in_use',
      message: `The course ${slug} has no other active lecturer.`,
      meta: { course: slug },
    })),
  })
}
