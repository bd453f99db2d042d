import { isDeepStrictEqual } from 'node:util'
import type { PersonCaller } from '../../base/caller.ts'
import { audienceOf } from '../../base/caller.ts'
import { fromPublicId, uuidOf } from '../../base/ids.ts'
import { fieldError, type ProblemDetail } from '../../base/problem.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { priceErrors } from '../priceRules.ts'

export interface WriteContext {
  writer: SchoolWriter
  school: { id: string }
  caller: PersonCaller
  now: Date
}

type Money = { amount: number; currency: string } | null

export type CourseInput = {
  readonly access?: string | undefined
  readonly price?: Money | undefined
  readonly compare_at_price?: Money | undefined
  readonly enrollment_starts_at?: string | null | undefined
  readonly enrollment_ends_at?: string | null | undefined
  readonly lecturer_ids?: readonly string[] | undefined
}

export async function courseDefaults({ writer }: WriteContext) {
  const { locale } = await writer.selectFrom('school').select('locale').where('id', '=', writer.schoolId).executeTakeFirstOrThrow()
  const last = await writer
    .selectFrom('course')
    .select((course) => course.fn.max('position').as('position'))
    .executeTakeFirst()
  return { language: locale, position: (last?.position ?? -1) + 1 }
}

/** Returns the errors in the fields of a course. */
export async function checkCourse(values: CourseInput, context: WriteContext): Promise<ProblemDetail[]> {
  const { currency } = await salesRules(context)
  const fieldErrors = priceErrors(values, currency, 'course')
  const [starts, ends] = [values.enrollment_starts_at, values.enrollment_ends_at]
  if (typeof starts === 'string' && typeof ends === 'string' && ends <= starts) {
    fieldErrors.push(fieldError('enrollment_ends_at', 'min', 'must be later than enrollment_starts_at'))
  }
  return fieldErrors
}

/** Returns errors if the caller changes the price, or the lecturers of a course that exists, without permission. */
export async function checkCourseCaller(
  changed: CourseInput,
  context: WriteContext,
  course?: { access: string },
): Promise<ProblemDetail[]> {
  const isPaid = changed.access !== undefined && (changed.access === 'paid' || course?.access === 'paid')
  const isPriced = isPaid || (course !== undefined && changed.price !== undefined)
  return [...(isPriced ? await priceCallerErrors(context) : []), ...lecturersCallerErrors(changed, context, course)]
}

/** Returns an error if the school does not let the caller set prices. */
export async function priceCallerErrors(context: WriteContext): Promise<ProblemDetail[]> {
  if ((await salesRules(context)).mayPrice) return []
  return [fieldError('price', 'read_only_field', 'cannot be set by lecturers in this school. Ask the staff.')]
}

function lecturersCallerErrors({ lecturer_ids: named }: CourseInput, { caller }: WriteContext, course?: object): ProblemDetail[] {
  if (named === undefined || audienceOf(caller) !== 'lecturer') return []
  const isOwn = !course && named.length === 1 && named.every((id) => fromPublicId('lec', id) === caller.lecturerId)
  return isOwn ? [] : [fieldError('lecturer_ids', 'read_only_field', 'can only be set by staff')]
}

export async function salesRules({ writer, caller }: WriteContext): Promise<{ currency: string; mayPrice: boolean }> {
  const { currency, settings } = await writer
    .selectFrom('school')
    .select(['currency', 'settings'])
    .where('id', '=', writer.schoolId)
    .$narrowType<{ settings: { lecturer_pricing?: boolean } | null }>()
    .executeTakeFirstOrThrow()
  return { currency, mayPrice: audienceOf(caller) === 'staff' || settings?.lecturer_pricing === true }
}

/** Assigns the lecturers sent, or the lecturer who creates the course. Returns false if nothing changes. */
export async function assignLecturers({ writer, caller }: WriteContext, course: { id: string }, values: CourseInput): Promise<boolean> {
  const named = values.lecturer_ids
  const own = audienceOf(caller) === 'lecturer' ? caller.lecturerId : null
  const ids = named?.flatMap((id) => fromPublicId('lec', id) ?? []) ?? (own === null ? [] : [own])
  return await replaceLecturers(writer, { courseId: course.id, lecturerIds: ids })
}

/** Does the same for a changed course, if its lecturers are sent. */
export async function reassignLecturers(context: WriteContext, course: { id: string }, values: CourseInput): Promise<void> {
  if (values.lecturer_ids !== undefined) await assignLecturers(context, course, values)
}

/** Returns the errors in the lecturers sent: unknown ids, and duplicates. */
export async function checkLecturers(values: CourseInput, { writer }: Pick<WriteContext, 'writer'>): Promise<ProblemDetail[]> {
  const ids = (values.lecturer_ids ?? []).map((id) => uuidOf('lec', id))
  if (ids.length === 0) return []
  if (new Set(ids).size < ids.length) return [fieldError('lecturer_ids', 'duplicate', 'must not contain a lecturer twice')]
  // The lock prevents that one of them is archived before the commit.
  const found = await writer.selectFrom('lecturer').select('id').where('id', 'in', ids).orderBy('id').forShare().execute()
  if (found.length < ids.length) return [fieldError('lecturer_ids', 'invalid_reference', 'must contain only lecturers of the school')]
  return []
}

/** Returns the errors in the lecturers sent for a course: those of checkLecturers, and a published course without an active lecturer. */
export async function checkCourseLecturers(
  values: CourseInput,
  context: WriteContext,
  course?: { status: string },
): Promise<ProblemDetail[]> {
  const named = values.lecturer_ids
  if (named === undefined) return []
  const fieldErrors = await checkLecturers(values, context)
  if (fieldErrors.length > 0 || course?.status !== 'published' || (await hasTeacher(context, named))) return fieldErrors
  return [fieldError('lecturer_ids', 'required', 'must contain a lecturer who is not archived. Unpublish the course first.')]
}

async function hasTeacher({ writer }: WriteContext, named: readonly string[]): Promise<boolean> {
  const ids = named.flatMap((id) => fromPublicId('lec', id) ?? [])
  if (ids.length === 0) return false
  const teacher = await writer
    .selectFrom('lecturer')
    .select('id')
    .where('id', 'in', ids)
    .where('status', '!=', 'archived')
    .executeTakeFirst()
  return teacher !== undefined
}

async function replaceLecturers(
  writer: SchoolWriter,
  { courseId, lecturerIds }: { courseId: string; lecturerIds: readonly string[] },
): Promise<boolean> {
  const rows = await writer
    .selectFrom('course_lecturer')
    .select('lecturer_id')
    .where('course_id', '=', courseId)
    .orderBy('position')
    .execute()
  if (
    isDeepStrictEqual(
      rows.map(({ lecturer_id }) => lecturer_id),
      lecturerIds,
    )
  )
    return false
  await writer.deleteFrom('course_lecturer').where('course_id', '=', courseId).execute()
  if (lecturerIds.length === 0) return true
  await writer
    .insertInto('course_lecturer')
    .values(lecturerIds.map((lecturer_id, position) => ({ school_id: writer.schoolId, course_id: courseId, lecturer_id, position })))
    .execute()
  return true
}
