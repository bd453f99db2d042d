import { fromPublicId } from '../../lib/ids.ts'
import { Problem, type ProblemDetail } from '../../lib/problem.ts'
import { recordChanges } from '../../store/changeLog.ts'
import type { Writer } from '../../store/database.ts'
import { countTree, maxSections } from './countTree.ts'
import type { InCurriculum, Values } from './inCurriculum.ts'
import { dropLessonFiles } from './lessonFiles.ts'

interface Section {
  id: string
  course_id: string
  position: number
}

interface Course {
  id: string
}

type UnderCourse = InCurriculum & { parent?: Course | undefined }

/** @throws Problem curriculum_full where the course takes no more */
export async function checkNewSection({ after_section_id }: Values, context: UnderCourse): Promise<ProblemDetail[]> {
  const { writer, school, parent } = context
  const courseId = (parent as Course).id
  const { count } = await writer
    .selectFrom('section')
    .select((section) => section.fn.countAll<number | string>().as('count'))
    .where('school_id', '=', school.id)
    .where('course_id', '=', courseId)
    .executeTakeFirstOrThrow()
  if (Number(count) >= maxSections) {
    throw new Problem('curriculum_full', { description: `A course holds at most ${maxSections} sections.` })
  }
  if (after_section_id === undefined || (await positionOf(writer, { schoolId: school.id, courseId, sent: after_section_id }))) return []
  const field = 'after_section_id'
  return [{ field, code: 'invalid_reference', message: `${field}: the course has no such section` }]
}

/** The place of a new section: behind the one that was named, else the last. What stands behind it moves on. */
export async function placeSection({ writer, sql, school, parent, now }: UnderCourse, { after_section_id }: Values) {
  const courseId = (parent as Course).id
  const inCourse = writer.selectFrom('section').where('school_id', '=', school.id).where('course_id', '=', courseId)
  if (after_section_id === undefined) {
    const last = await inCourse.select((section) => section.fn.max('position').as('position')).executeTakeFirst()
    return { position: (last?.position ?? -1) + 1 }
  }
  const found = await positionOf(writer, { schoolId: school.id, courseId, sent: after_section_id })
  const position = (found?.position ?? -1) + 1
  const moved = await writer
    .updateTable('section')
    .set((section) => ({ position: section('position', '+', 1), version: section('version', '+', 1), updated_at: now }))
    .where('school_id', '=', school.id)
    .where('course_id', '=', courseId)
    .where('position', '>=', position)
    .returning(['id', 'version'])
    .execute()
  await recordChanges(sql, { school_id: school.id, type: 'section', action: 'updated' }, moved)
  return { position }
}

/** Counts the tree anew after one of its sections was made, changed or removed. */
export const countSectionIn = ({ sql, school }: InCurriculum, { course_id }: Pick<Section, 'course_id'>): Promise<void> =>
  countTree(sql, { schoolId: school.id, courseId: course_id }, { isSeen: true })

/**
 * Removes the lessons of a section that is about to go, where that was asked for.
 * @throws Problem section_not_empty
 */
export async function removeLessonsIn(context: InCurriculum & { parameters: ReadonlyMap<string, unknown> }, section: Section) {
  const { writer, school, parameters } = context
  const lessons = await writer
    .selectFrom('lesson')
    .select('id')
    .where('school_id', '=', school.id)
    .where('section_id', '=', section.id)
    .execute()
  const ids = lessons.map(({ id }) => id)
  if (ids.length > 0 && parameters.get('cascade') !== true) throw new Problem('section_not_empty')
  const headers = { 'Affected-Enrollments': String(await affectedEnrollments(context, ids)) }
  await removeLessons(context, ids)
  return { headers }
}

/** Removes lessons with all that hangs on them. */
export async function removeLessons(
  { writer, sql, school }: Pick<InCurriculum, 'writer' | 'sql' | 'school'>,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return
  await dropLessonFiles({ writer, school }, ids)
  const gone = await writer
    .deleteFrom('lesson')
    .where('school_id', '=', school.id)
    .where('id', 'in', [...ids])
    .returning(['id', 'version'])
    .execute()
  await recordChanges(sql, { school_id: school.id, type: 'lesson', action: 'deleted' }, gone)
}

/** How many enrolments lose progress with these lessons. Enrolments join here; until then nobody has any. */
export async function affectedEnrollments(_context: InCurriculum, _lessonIds: readonly string[]): Promise<number> {
  return 0
}

/** Closes the gap that a removed section leaves. */
export async function closeSectionGap(context: InCurriculum, section: Section): Promise<void> {
  const { writer, sql, school, now } = context
  const moved = await writer
    .updateTable('section')
    .set((row) => ({ position: row('position', '-', 1), version: row('version', '+', 1), updated_at: now }))
    .where('school_id', '=', school.id)
    .where('course_id', '=', section.course_id)
    .where('position', '>', section.position)
    .returning(['id', 'version'])
    .execute()
  await recordChanges(sql, { school_id: school.id, type: 'section', action: 'updated' }, moved)
  await countSectionIn(context, section)
}

async function positionOf(
  writer: Writer,
  { schoolId, courseId, sent }: { schoolId: string; courseId: string; sent: unknown },
): Promise<{ position: number } | undefined> {
  return await writer
    .selectFrom('section')
    .select('position')
    .where('school_id', '=', schoolId)
    .where('course_id', '=', courseId)
    .where('id', '=', fromPublicId('sec', String(sent)) ?? '')
    .executeTakeFirst()
}
