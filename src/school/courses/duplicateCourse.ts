import { newId } from '../../base/ids.ts'
import type { SchoolWriter, Stored } from '../../database/connection/database.ts'
import { copyRows } from '../../database/statements/copyRows.ts'
import { recordChanges } from '../../database/tables/changeLog.ts'
import { type CurriculumContext, countTree, recordCurriculum } from '../curriculum/countTree.ts'

type Course = Stored<'course', 'id' | 'title'>

export interface CopyOptions {
  title?: string | undefined
  slug?: string | undefined
  include_curriculum: boolean
}

export type FreeSlug = (title: string, id: string) => Promise<string>

/** Copies a course as a draft at the end of the catalogue, with its lecturers and, on request, its curriculum. Returns the id of the copy. */
export async function duplicateCourse(context: CurriculumContext, course: Course, copy: CopyOptions, freeSlug: FreeSlug): Promise<string> {
  const { writer, now } = context
  const last = await writer
    .selectFrom('course')
    .select((row) => row.fn.max('position').as('position'))
    .executeTakeFirst()
  const id = newId()
  const title = copy.title ?? `${course.title.slice(0, 150)} (copy)`
  const slug = copy.slug ?? (await freeSlug(title, id))
  const own = { id, title, slug, position: (last?.position ?? -1) + 1, created_at: now, updated_at: now }
  await copyRows(writer, 'course', [{ original: { id: course.id }, own }])
  await copyRows(writer, 'course_lecturer', [{ original: { course_id: course.id }, own: { course_id: id } }])
  if (copy.include_curriculum) await copyCurriculum(writer, { from: course.id, to: id, now })
  await countTree(writer, { courseId: id }, { isSeen: false })
  await recordCurriculum(writer, { courseId: id }, 'created', 1)
  return id
}

async function copyCurriculum(writer: SchoolWriter, { from, to, now }: { from: string; to: string; now: Date }): Promise<void> {
  const sections = await writer.selectFrom('section').select('id').where('course_id', '=', from).orderBy('id').execute()
  const lessons = await writer.selectFrom('lesson').select(['id', 'section_id']).where('course_id', '=', from).orderBy('id').execute()
  const copies = new Map([...sections, ...lessons].map(({ id }) => [id, newId()]))
  const copyOf = (id: string): string => copies.get(id) ?? ''
  const own = (id: string) => ({ id: copyOf(id), course_id: to, created_at: now, updated_at: now })
  const created = (rows: readonly { id: string }[]) => rows.map(({ id }) => ({ id: copyOf(id), version: 1 }))
  await recordChanges(writer, { type: 'section', action: 'created' }, created(sections))
  await recordChanges(writer, { type: 'lesson', action: 'created' }, created(lessons))
  await copyRows(
    writer,
    'section',
    sections.map(({ id }) => ({ original: { id }, own: own(id) })),
  )
  await copyRows(
    writer,
    'lesson',
    lessons.map(({ id, section_id }) => ({ original: { id }, own: { ...own(id), section_id: copyOf(section_id) } })),
  )
  await copyRows(
    writer,
    'lesson_body',
    lessons.map(({ id }) => ({ original: { lesson_id: id }, own: { lesson_id: copyOf(id) } })),
  )
}
