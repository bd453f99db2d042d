import { fromPublicId } from '../../base/ids.ts'
import { fieldError, Problem, type ProblemDetail } from '../../base/problem.ts'
import type { SchoolWriter, Stored } from '../../database/connection/database.ts'
import { recordChanges } from '../../database/tables/changeLog.ts'
import { affectedEnrollments, recountCourse, startedEnrollments } from '../learning/countProgress.ts'
import { type CurriculumContext, countTree, maxSections, movePositions, nextPosition, requireRoom } from './countTree.ts'

type Section = Stored<'section', 'id' | 'course_id' | 'position'>

interface Course {
  id: string
}

type SectionInput = { readonly after_section_id?: string | undefined }

type UnderCourse = CurriculumContext & { parent?: Course | undefined }

/** @throws Problem curriculum_full if the course has the maximum number of sections */
export async function checkNewSection({ after_section_id }: SectionInput, context: UnderCourse): Promise<ProblemDetail[]> {
  const { writer, parent } = context
  const courseId = courseIdOf(parent)
  await requireRoom(context, { part: 'section', courseId, most: maxSections })
  if (after_section_id === undefined || (await positionOf(writer, { courseId, sent: after_section_id }))) return []
  return [fieldError('after_section_id', 'invalid_reference', 'the course has no section with this id')]
}

/** Returns the position of a new section: after the section sent, else at the end. Moves the following sections down. */
export async function placeSection(context: UnderCourse, { after_section_id }: SectionInput) {
  const { writer, parent } = context
  const whole = { part: 'section', id: courseIdOf(parent) } as const
  if (after_section_id === undefined) return { position: await nextPosition(context, whole) }
  const found = await positionOf(writer, { courseId: whole.id, sent: after_section_id })
  const behind = found?.position ?? -1
  await movePositions(context, whole, { after: behind, by: 1 })
  return { position: behind + 1 }
}

/** Updates the counts of the course after a section was created, changed or removed. */
export const countSectionIn = ({ writer }: CurriculumContext, { course_id }: Pick<Section, 'course_id'>): Promise<void> =>
  countTree(writer, { courseId: course_id }, { isSeen: true })

/**
 * Removes the lessons of a section before the section, if the caller has requested it.
 * @throws Problem section_not_empty if the section has lessons and the caller has not requested their removal
 */
export async function removeLessonsIn(context: CurriculumContext & { parameters: ReadonlyMap<string, unknown> }, section: Section) {
  const { writer, parameters } = context
  const lessons = await writer.selectFrom('lesson').select('id').where('section_id', '=', section.id).execute()
  const ids = lessons.map(({ id }) => id)
  if (ids.length > 0 && parameters.get('cascade') !== true) throw new Problem('section_not_empty')
  const affected = await startedEnrollments(context.writer, ids)
  await removeLessons(context, ids)
  return { affected }
}

export async function removeLessons({ writer }: Pick<CurriculumContext, 'writer'>, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const gone = await writer
    .deleteFrom('lesson')
    .where('id', 'in', [...ids])
    .returning(['id', 'version'])
    .execute()
  await recordChanges(writer, { type: 'lesson', action: 'deleted' }, gone)
}

/**
 * Closes the gap of a removed section and updates the counts of the course and its enrolments. Returns the header with the number of
 * enrolments that lost progress or whose counts changed.
 */
export async function closeSectionGap(context: CurriculumContext, section: Section, started: readonly string[]) {
  await movePositions(context, { part: 'section', id: section.course_id }, { after: section.position, by: -1 })
  await countSectionIn(context, section)
  const recounted = await recountCourse(context.writer, { courseId: section.course_id, now: context.now })
  return affectedEnrollments([...started, ...recounted])
}

async function positionOf(
  writer: SchoolWriter,
  { courseId, sent }: { courseId: string; sent: string },
): Promise<{ position: number } | undefined> {
  return await writer
    .selectFrom('section')
    .select('position')
    .where('course_id', '=', courseId)
    .where('id', '=', fromPublicId('sec', sent) ?? '')
    .executeTakeFirst()
}

function courseIdOf(parent: Course | undefined): string {
  if (!parent) throw new Error('the course of the section is missing')
  return parent.id
}
