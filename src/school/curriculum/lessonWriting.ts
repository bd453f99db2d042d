import { setImmediate } from 'node:timers/promises'
import { fromPublicId, uuidOf } from '../../base/ids.ts'
import { fieldError, type ProblemDetail } from '../../base/problem.ts'
import type { SchoolWriter, Stored } from '../../database/connection/database.ts'
import type { ChangeContext, RenderingContext } from '../changeContext.ts'
import { affectedEnrollments, recountCourse, startedEnrollments } from '../learning/countProgress.ts'
import { announce } from '../notifications/announce.ts'
import type { TextFormat } from '../richText.ts'
import { type CurriculumContext, countTree, maxLessons, movePositions, nextPosition, requireRoom } from './countTree.ts'
import { checkLesson, checkLessonFiles, filesIn, type LessonInput, type StoredMedia } from './lessonRules.ts'

type Lesson = Stored<'lesson', 'id' | 'course_id' | 'section_id' | 'position' | 'kind' | 'status' | 'media' | 'attachment_file_ids'>

interface Section {
  id: string
  course_id?: unknown
}

type UnderSection = CurriculumContext & { parent?: Section | undefined }

function sectionOf({ parent }: UnderSection): { id: string; courseId: string } {
  if (!parent) throw new Error('the section of the lesson is missing')
  return { id: parent.id, courseId: String(parent.course_id) }
}

/** @throws Problem curriculum_full if the course has the maximum number of lessons */
export async function checkNewLesson(values: LessonInput, context: UnderSection): Promise<ProblemDetail[]> {
  const section = sectionOf(context)
  await requireRoom(context, { part: 'lesson', courseId: section.courseId, most: maxLessons })
  const sent = values.section_id === undefined ? section.id : fromPublicId('sec', values.section_id)
  const elsewhere = sent === section.id ? [] : [fieldError('section_id', 'not_allowed', 'must be the section in the URL, or absent')]
  return [...elsewhere, ...checkLesson(values), ...(await checkLessonFiles(context, filesIn(values)))]
}

export async function placeLesson(context: UnderSection, values: LessonInput) {
  const section = sectionOf(context)
  const position = await nextPosition(context, { part: 'lesson', id: section.id })
  return { course_id: section.courseId, position, attachment_file_ids: [...filesIn(values).attachment_file_ids] }
}

/** Stores the text of a new lesson and updates the counts of the course. */
export async function completeLesson(context: CurriculumContext & RenderingContext, lesson: Lesson, values: LessonInput): Promise<void> {
  await changeText(context, lesson.id, values)
  await countLessonIn(context, lesson)
}

export async function checkChangedLesson(values: LessonInput, context: CurriculumContext, lesson: Lesson): Promise<ProblemDetail[]> {
  const { writer } = context
  const before = filesOf(lesson)
  const files = await checkLessonFiles(context, filesIn(values), before)
  const errors = checkLesson(values, before.media?.embed_url)
  const id = fromPublicId('sec', String(values.section_id)) ?? ''
  if (id === lesson.section_id) return [...errors, ...files]
  const section = await writer
    .selectFrom('section')
    .select('id')
    .where('course_id', '=', lesson.course_id)
    .where('id', '=', id)
    .executeTakeFirst()
  const elsewhere = section ? [] : [fieldError('section_id', 'invalid_reference', 'the course has no section with this id')]
  return [...elsewhere, ...errors, ...files]
}

/** Moves a lesson to the end of its new section and closes the gap in the old one. Returns the columns to write. */
export async function moveLesson(context: CurriculumContext, lesson: Lesson, values: LessonInput) {
  const attachments = values.attachment_file_ids === undefined ? {} : { attachment_file_ids: [...filesIn(values).attachment_file_ids] }
  const sectionId = uuidOf('sec', String(values.section_id))
  if (sectionId === lesson.section_id) return attachments
  const position = await nextPosition(context, { part: 'lesson', id: sectionId })
  // The lesson moves first, because positions are unique at every moment.
  await context.writer.updateTable('lesson').set({ section_id: sectionId, position }).where('id', '=', lesson.id).execute()
  await closeGap(context, lesson)
  return { ...attachments, section_id: sectionId, position }
}

/** Fields that are not visible in the tree: changing them makes no new version of the tree. */
const notInTree: ReadonlySet<string> = new Set([
  'content',
  'content_format',
  'media',
  'attachment_file_ids',
  'quiz',
  'comments_enabled',
  'metadata',
])

/** Stores the text of a changed lesson and updates the counts of the course if the tree shows the change. */
export async function afterLessonChange(
  context: CurriculumContext & RenderingContext,
  lesson: Lesson,
  changed: LessonInput,
): Promise<void> {
  await changeText(context, lesson.id, changed)
  if (Object.keys(changed).some((field) => !notInTree.has(field))) await countLessonIn(context, lesson)
}

/** Returns the enrolments that have progress in the lesson, which is deleted with it. */
export const enrollmentsInLesson = async ({ writer }: CurriculumContext, { id }: Lesson) => ({
  affected: await startedEnrollments(writer, [id]),
})

/**
 * Closes the gap of a removed lesson and updates the counts of the course and its enrolments. Returns the header with the number of
 * enrolments that lost progress or whose counts changed.
 */
export async function afterLessonRemoval(context: CurriculumContext, lesson: Lesson, started: readonly string[]) {
  await closeGap(context, lesson)
  await countLessonIn(context, lesson)
  return affectedEnrollments([...started, ...(await recount(context, lesson))])
}

/** Announces a published lesson, and updates the counts of the course and of every enrolment in it. */
export async function afterPublication(context: CurriculumContext, lesson: Lesson): Promise<{ headers: Record<string, string> }> {
  await announceLessons(context, lesson.course_id, [lesson.id])
  return await afterWithdrawal(context, lesson)
}

/** Updates the counts of the course and of every enrolment in it after a lesson was unpublished. */
export async function afterWithdrawal(context: CurriculumContext, lesson: Lesson): Promise<{ headers: Record<string, string> }> {
  await countLessonIn(context, lesson)
  return affectedEnrollments(await recount(context, lesson))
}

/** Records that lessons of a course were published, for its students. */
export const announceLessons = ({ writer, now }: CurriculumContext, courseId: string, ids: readonly string[]): Promise<void> =>
  announce(writer, { kind: 'lesson', subjectIds: ids, groupId: courseId, at: now })

const recount = ({ writer, now }: CurriculumContext, { course_id: courseId }: Lesson): Promise<string[]> =>
  recountCourse(writer, { courseId, now })

/** Updates the counts of the course after a lesson was created, changed or removed. */
const countLessonIn = ({ writer }: CurriculumContext, { course_id }: Pick<Lesson, 'course_id'>): Promise<void> =>
  countTree(writer, { courseId: course_id }, { isSeen: true })

const filesOf = ({ media, attachment_file_ids }: Lesson) => ({ media: media as StoredMedia | null, attachment_file_ids })

const closeGap = (context: CurriculumContext, { section_id, position }: Lesson): Promise<void> =>
  movePositions(context, { part: 'lesson', id: section_id }, { after: position, by: -1 })

export interface LessonText {
  lessonId: string
  field?: string
  content: string
  content_format: TextFormat
}

type TextContext = Pick<ChangeContext, 'writer'> & RenderingContext

export async function writeTexts({ writer, externalServices }: TextContext, texts: readonly LessonText[]): Promise<void> {
  if (texts.length === 0) return
  const rows = []
  for (const { lessonId, content, content_format, field = 'content' } of texts) {
    const [content_html = ''] = await externalServices.markup.html([{ text: content, format: content_format, field }])
    rows.push({ school_id: writer.schoolId, lesson_id: lessonId, content, content_format, content_html })
    // Lets other requests run between the texts of a large import.
    await setImmediate()
  }
  await writer
    .insertInto('lesson_body')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['school_id', 'lesson_id']).doUpdateSet((row) => ({
        content: row.ref('excluded.content'),
        content_format: row.ref('excluded.content_format'),
        content_html: row.ref('excluded.content_html'),
      })),
    )
    .execute()
}

export async function removeTexts(writer: SchoolWriter, lessonIds: readonly string[]): Promise<void> {
  if (lessonIds.length === 0) return
  await writer
    .deleteFrom('lesson_body')
    .where('lesson_id', 'in', [...lessonIds])
    .execute()
}

async function changeText(context: TextContext, lessonId: string, sent: LessonInput) {
  if (!('content' in sent || 'content_format' in sent)) return
  const { writer } = context
  const before = await writer
    .selectFrom('lesson_body')
    .select(['content', 'content_format'])
    .where('lesson_id', '=', lessonId)
    .executeTakeFirst()
  const content = 'content' in sent ? sent.content : before?.content
  const format = sent.content_format ?? (before?.content_format === 'html' ? 'html' : 'markdown')
  if (content === null || content === undefined) await removeTexts(writer, [lessonId])
  else await writeTexts(context, [{ lessonId, content, content_format: format }])
}
