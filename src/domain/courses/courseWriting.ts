import { isDeepStrictEqual } from 'node:util'
import { fromPublicId } from '../../lib/ids.ts'
import type { ProblemDetail } from '../../lib/problem.ts'
import type { PersonCaller } from '../../policy/caller.ts'
import { audienceOf } from '../../policy/caller.ts'
import type { Writer } from '../../store/database.ts'
import type { Sql } from '../../store/sql.ts'
import { priceErrors } from '../priceRules.ts'

/** The parts of a write that the rules of courses need. */
export interface CourseContext {
  writer: Writer
  sql: Sql
  school: { id: string }
  caller: PersonCaller
  now: Date
}

type Values = Readonly<Record<string, unknown>>
type Money = { amount: number; currency: string } | null | undefined

/** What of a new course follows from the school: its language, its currency, the last place in the catalogue. */
export async function courseDefaults({ writer, school }: CourseContext) {
  const { locale } = await writer.selectFrom('school').select('locale').where('id', '=', school.id).executeTakeFirstOrThrow()
  const last = await writer
    .selectFrom('course')
    .select((course) => course.fn.max('position').as('position'))
    .where('school_id', '=', school.id)
    .executeTakeFirst()
  return { language: locale, position: (last?.position ?? -1) + 1 }
}

/** Whether the fields of a course fit together, and whether the caller may say what it costs. */
export async function checkCourse(values: Values, context: CourseContext, before?: Values): Promise<ProblemDetail[]> {
  const { currency, mayPrice } = await priceRules(context)
  const price = values.price as Money
  const fieldErrors = priceErrors(values, currency, 'course')
  const fault = (field: string, code: string, message: string): number => fieldErrors.push({ field, code, message: `${field}: ${message}` })
  const [starts, ends] = [values.enrollment_starts_at, values.enrollment_ends_at]
  if (typeof starts === 'string' && typeof ends === 'string' && ends <= starts) {
    fault('enrollment_ends_at', 'min', 'must be later than enrollment_starts_at')
  }
  const isPriced = before ? changesPrice(before, price, values.access) : values.access === 'paid'
  if (isPriced && !mayPrice) fault('price', 'read_only_field', 'in this school lecturers do not set prices')
  return fieldErrors
}

function changesPrice(before: Values, price: Money, access: unknown): boolean {
  const amount = before.price_amount === null ? null : Number(before.price_amount)
  return amount !== (price?.amount ?? null) || (access !== before.access && (access === 'paid' || before.access === 'paid'))
}

async function priceRules({ writer, school, caller }: CourseContext): Promise<{ currency: string; mayPrice: boolean }> {
  const { currency, settings } = await writer
    .selectFrom('school')
    .select(['currency', 'settings'])
    .where('id', '=', school.id)
    .executeTakeFirstOrThrow()
  const { lecturer_pricing } = (settings ?? {}) as { lecturer_pricing?: boolean }
  return { currency, mayPrice: audienceOf(caller) === 'staff' || lecturer_pricing === true }
}

/** Who teaches a course: those who were named, or the lecturer who makes it. Answers whether that is new. */
export async function assignLecturers({ writer, school, caller }: CourseContext, course: { id: string }, values: Values): Promise<boolean> {
  const named = values.lecturer_ids as string[] | undefined
  const own = audienceOf(caller) === 'lecturer' ? caller.lecturerId : null
  const ids = named?.flatMap((id) => fromPublicId('lec', id) ?? []) ?? (own === null ? [] : [own])
  return await replaceLecturers(writer, { schoolId: school.id, courseId: course.id, lecturerIds: ids })
}

/** The same where a course is changed: only if they were named. */
export async function reassignLecturers(context: CourseContext, course: { id: string }, values: Values): Promise<void> {
  if (values.lecturer_ids !== undefined) await assignLecturers(context, course, values)
}

/** Lecturers that do not exist in the school, and duplicates. */
export async function checkLecturers(values: Values, { writer, school, caller }: CourseContext): Promise<ProblemDetail[]> {
  const ids = ((values.lecturer_ids as string[] | undefined) ?? []).map((id) => fromPublicId('lec', id) as string)
  if (ids.length === 0) return []
  const field = 'lecturer_ids'
  if (new Set(ids).size < ids.length) return [{ field, code: 'duplicate', message: `${field}: names a lecturer twice` }]
  // Locked, so that none of them is archived before the change is committed.
  const found = await writer
    .selectFrom('lecturer')
    .select('id')
    .where('school_id', '=', school.id)
    .where('id', 'in', ids)
    .orderBy('id')
    .forShare()
    .execute()
  if (found.length < ids.length)
    return [{ field, code: 'invalid_reference', message: `${field}: names a lecturer whom the school does not have` }]
  if (audienceOf(caller) === 'lecturer' && !ids.includes(caller.lecturerId ?? '')) {
    return [{ field, code: 'not_allowed', message: `${field}: must name yourself` }]
  }
  return []
}

/**
 * What is wrong with the lecturers that are sent for a course: in addition to what checkLecturers finds, a lecturer chooses nobody, and a
 * published course keeps somebody who teaches it.
 */
export async function checkCourseLecturers(values: Values, context: CourseContext, course?: { status: string }): Promise<ProblemDetail[]> {
  const named = values.lecturer_ids as string[] | undefined
  if (named === undefined) return []
  const field = 'lecturer_ids'
  const { caller } = context
  if (audienceOf(caller) === 'lecturer') {
    const isOwn = !course && named.length === 1 && fromPublicId('lec', named[0] as string) === caller.lecturerId
    if (!isOwn) return [{ field, code: 'read_only_field', message: `${field}: only staff choose who teaches a course` }]
  }
  const fieldErrors = await checkLecturers(values, context)
  if (fieldErrors.length > 0 || course?.status !== 'published' || (await hasTeacher(context, named))) return fieldErrors
  const message = `${field}: a published course keeps a lecturer who is not archived. Unpublish the course first.`
  return [{ field, code: 'required', message }]
}

async function hasTeacher({ writer, school }: CourseContext, named: readonly string[]): Promise<boolean> {
  const ids = named.flatMap((id) => fromPublicId('lec', id) ?? [])
  if (ids.length === 0) return false
  const teacher = await writer
    .selectFrom('lecturer')
    .select('id')
    .where('school_id', '=', school.id)
    .where('id', 'in', ids)
    .where('status', '!=', 'archived')
    .executeTakeFirst()
  return teacher !== undefined
}

async function replaceLecturers(
  writer: Writer,
  { schoolId, courseId, lecturerIds }: { schoolId: string; courseId: string; lecturerIds: readonly string[] },
): Promise<boolean> {
  const rows = await writer
    .selectFrom('course_lecturer')
    .select('lecturer_id')
    .where('school_id', '=', schoolId)
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
  await writer.deleteFrom('course_lecturer').where('school_id', '=', schoolId).where('course_id', '=', courseId).execute()
  if (lecturerIds.length === 0) return true
  await writer
    .insertInto('course_lecturer')
    .values(lecturerIds.map((lecturer_id, position) => ({ school_id: schoolId, course_id: courseId, lecturer_id, position })))
    .execute()
  return true
}
