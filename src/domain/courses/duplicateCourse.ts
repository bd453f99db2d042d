import { newId } from '../../lib/ids.ts'
import { recordChanges } from '../../store/changeLog.ts'
import type { SchoolWriter } from '../../store/database.ts'
import { unnested } from '../../store/expressions.ts'
import { setFileReferences } from '../../store/fileReferences.ts'
import { countTree, recordCurriculum } from '../curriculum/countTree.ts'
import type { CurriculumContext } from '../curriculum/curriculumContext.ts'

interface Course {
  id: string
  title: string
}

export interface CopyOptions {
  title?: string | undefined
  slug?: string | undefined
  include_curriculum: boolean
}

export type FreeSlug = (title: string, id: string) => Promise<string>

/** Copies a course as a draft at the end of the catalogue, with its lecturers and, on request, its curriculum. Returns the id of the copy. */
export async function duplicateCourse(context: CurriculumContext, course: Course, copy: CopyOptions, freeSlug: FreeSlug): Promise<string> {
  const { writer, school, now } = context
  const schoolCourses = writer.selectFrom('course')
  const original = await schoolCourses.selectAll().where('id', '=', course.id).executeTakeFirstOrThrow()
  const last = await schoolCourses.select((row) => row.fn.max('position').as('position')).executeTakeFirst()
  const id = newId()
  const title = copy.title ?? `${course.title.slice(0, 150)} (copy)`
  await writer
    .insertInto('course')
    .values({
      ...original,
      id,
      title,
      slug: copy.slug ?? (await freeSlug(title, id)),
      seo: JSON.stringify(original.seo),
      metadata: JSON.stringify(original.metadata),
      status: 'draft',
      position: (last?.position ?? -1) + 1,
      // A key of another system belongs to one row.
      external_id: null,
      version: 1,
      tree_version: 1,
      published_at: null,
      archived_at: null,
      created_at: now,
      updated_at: now,
    })
    .execute()
  await writer
    .insertInto('course_lecturer')
    .columns(['school_id', 'course_id', 'lecturer_id', 'position'])
    .expression((query) =>
      query
        .selectFrom('course_lecturer')
        .select((row) => ['school_id', row.val(id).as('course_id'), 'lecturer_id', 'position'])
        .where('course_id', '=', course.id),
    )
    .execute()
  if (original.cover_image_file_id) {
    const references = [{ field: 'cover_image', fileId: original.cover_image_file_id }]
    await setFileReferences(writer, { schoolId: school.id, type: 'course', id }, { fields: ['cover_image'], references })
  }
  if (copy.include_curriculum) await copyCurriculum(writer, { schoolId: school.id, from: course.id, to: id, now })
  await countTree(writer, { schoolId: school.id, courseId: id }, { isSeen: false })
  await recordCurriculum(writer, { schoolId: school.id, courseId: id }, 'created', 1)
  return id
}

async function copyCurriculum(
  writer: SchoolWriter,
  { schoolId, from, to, now }: { schoolId: string; from: string; to: string; now: Date },
): Promise<void> {
  const newIds = async (table: 'section' | 'lesson'): Promise<{ original: string; copy: string }[]> => {
    const rows = await writer.selectFrom(table).select('id').where('course_id', '=', from).orderBy('id').execute()
    return rows.map(({ id }) => ({ original: id, copy: newId() }))
  }
  const sections = await newIds('section')
  const lessons = await newIds('lesson')
  const created = (ids: readonly { copy: string }[]) => ids.map(({ copy }) => ({ id: copy, version: 1 }))
  await recordChanges(writer, { school_id: schoolId, type: 'section', action: 'created' }, created(sections))
  await recordChanges(writer, { school_id: schoolId, type: 'lesson', action: 'created' }, created(lessons))
  const idColumns = { original: 'uuid', copy: 'uuid' } as const
  const newSections = unnested('new_section', idColumns, sections)
  const newLessons = unnested('new_lesson', idColumns, lessons)
  await writer
    .insertInto('section')
    .columns(['school_id', 'id', 'course_id', 'title', 'summary', 'position', 'metadata', 'created_at', 'updated_at'])
    .expression((query) =>
      query
        .selectFrom('section')
        .innerJoin(newSections, 'new_section.original', 'section.id')
        .select((row) => ['section.school_id', 'new_section.copy as id', row.val(to).as('course_id')])
        .select(['section.title', 'section.summary', 'section.position', 'section.metadata'])
        .select((row) => [row.val(now).as('created_at'), row.val(now).as('updated_at')]),
    )
    .execute()
  await writer
    .insertInto('lesson')
    .columns([
      ...(['school_id', 'id', 'course_id', 'section_id', 'title', 'kind', 'status', 'is_preview', 'position'] as const),
      ...(['duration_seconds', 'media', 'attachment_file_ids', 'quiz', 'event_id', 'drip', 'comments_enabled'] as const),
      ...(['metadata', 'created_at', 'updated_at'] as const),
    ])
    .expression((query) =>
      query
        .selectFrom('lesson')
        .innerJoin(newLessons, 'new_lesson.original', 'lesson.id')
        .innerJoin(newSections, 'new_section.original', 'lesson.section_id')
        .select((row) => ['lesson.school_id', 'new_lesson.copy as id', row.val(to).as('course_id'), 'new_section.copy as section_id'])
        .select(['lesson.title', 'lesson.kind', 'lesson.status', 'lesson.is_preview', 'lesson.position', 'lesson.duration_seconds'])
        .select(['lesson.media', 'lesson.attachment_file_ids', 'lesson.quiz', 'lesson.event_id', 'lesson.drip'])
        .select(['lesson.comments_enabled', 'lesson.metadata'])
        .select((row) => [row.val(now).as('created_at'), row.val(now).as('updated_at')]),
    )
    .execute()
  await writer
    .insertInto('lesson_body')
    .columns(['school_id', 'lesson_id', 'content', 'content_format', 'content_html'])
    .expression((query) =>
      query
        .selectFrom('lesson_body as body')
        .innerJoin(newLessons, 'new_lesson.original', 'body.lesson_id')
        .select(['body.school_id', 'new_lesson.copy as lesson_id', 'body.content', 'body.content_format', 'body.content_html']),
    )
    .execute()
  await writer
    .insertInto('file_reference')
    .columns(['school_id', 'file_id', 'ref_type', 'ref_id', 'field'])
    .expression((query) =>
      query
        .selectFrom('file_reference as reference')
        .innerJoin(newLessons, 'new_lesson.original', 'reference.ref_id')
        .select(['reference.school_id', 'reference.file_id', 'reference.ref_type', 'new_lesson.copy as ref_id', 'reference.field'])
        .where('reference.ref_type', '=', 'lesson'),
    )
    .execute()
}
