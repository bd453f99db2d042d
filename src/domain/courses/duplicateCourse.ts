import { newId } from '../../lib/ids.ts'
import { recordChanges } from '../../store/changeLog.ts'
import { setFileReferences } from '../../store/fileReferences.ts'
import type { Sql } from '../../store/sql.ts'
import { countTree, recordCurriculum } from '../curriculum/countTree.ts'
import type { CurriculumContext } from '../curriculum/curriculumContext.ts'

interface Course {
  id: string
  title: string
}

/** What a copy is called, and whether it holds what the course holds. */
export interface CopyOptions {
  title?: string
  slug?: string
  include_curriculum: boolean
}

/** Finds a slug that no course has. */
export type FreeSlug = (title: string, id: string) => Promise<string>

/** Copies a course as a draft at the end of the catalogue, with its lecturers and, where asked, its curriculum; answers the id of the copy. */
export async function duplicateCourse(
  context: CurriculumContext,
  course: Course,
  copying: CopyOptions,
  freeSlug: FreeSlug,
): Promise<string> {
  const { writer, sql, school, now } = context
  const ofSchool = writer.selectFrom('course').where('school_id', '=', school.id)
  const original = await ofSchool.selectAll().where('id', '=', course.id).executeTakeFirstOrThrow()
  const last = await ofSchool.select((row) => row.fn.max('position').as('position')).executeTakeFirst()
  const id = newId()
  const title = copying.title ?? `${course.title.slice(0, 150)} (copy)`
  await writer
    .insertInto('course')
    .values({
      ...original,
      id,
      title,
      slug: copying.slug ?? (await freeSlug(title, id)),
      seo: JSON.stringify(original.seo),
      metadata: JSON.stringify(original.metadata),
      status: 'draft',
      position: (last?.position ?? -1) + 1,
      // A key of another system names one row.
      external_id: null,
      version: 1,
      tree_version: 1,
      published_at: null,
      archived_at: null,
      created_at: now,
      updated_at: now,
    })
    .execute()
  await sql.query(
    `INSERT INTO course_lecturer (school_id, course_id, lecturer_id, position)
     SELECT school_id, $3, lecturer_id, position FROM course_lecturer WHERE school_id = $1 AND course_id = $2`,
    [school.id, course.id, id],
  )
  if (original.cover_image_file_id) {
    const references = [{ field: 'cover_image', fileId: original.cover_image_file_id }]
    await setFileReferences(writer, { schoolId: school.id, type: 'course', id }, { fields: ['cover_image'], references })
  }
  if (copying.include_curriculum) await copyCurriculum(sql, { schoolId: school.id, from: course.id, to: id, now })
  await countTree(sql, { schoolId: school.id, courseId: id }, { isSeen: false })
  await recordCurriculum(sql, { schoolId: school.id, courseId: id }, 'created', 1)
  return id
}

async function copyCurriculum(
  sql: Sql,
  { schoolId, from, to, now }: { schoolId: string; from: string; to: string; now: Date },
): Promise<void> {
  const copies = async (table: 'section' | 'lesson'): Promise<[string[], string[]]> => {
    const rows = await sql.query<{ id: string }>(`SELECT id FROM ${table} WHERE school_id = $1 AND course_id = $2 ORDER BY id`, [
      schoolId,
      from,
    ])
    return [rows.map(({ id }) => id), rows.map(() => newId())]
  }
  const sections = await copies('section')
  const lessons = await copies('lesson')
  const created = (copied: readonly string[]) => copied.map((id) => ({ id, version: 1 }))
  await recordChanges(sql, { school_id: schoolId, type: 'section', action: 'created' }, created(sections[1]))
  await recordChanges(sql, { school_id: schoolId, type: 'lesson', action: 'created' }, created(lessons[1]))
  await sql.query(
    `INSERT INTO section (school_id, id, course_id, title, summary, position, metadata, created_at, updated_at)
     SELECT s.school_id, m.copy, $2, s.title, s.summary, s.position, s.metadata, $5, $5
       FROM section s JOIN unnest($3::uuid[], $4::uuid[]) AS m (original, copy) ON m.original = s.id
      WHERE s.school_id = $1`,
    [schoolId, to, ...sections, now],
  )
  await sql.query(
    `INSERT INTO lesson (school_id, id, course_id, section_id, title, kind, status, is_preview, position, duration_seconds, media,
                         attachment_file_ids, quiz, event_id, drip, comments_enabled, metadata, created_at, updated_at)
     SELECT l.school_id, m.copy, $2, s.copy, l.title, l.kind, l.status, l.is_preview, l.position, l.duration_seconds, l.media,
            l.attachment_file_ids, l.quiz, l.event_id, l.drip, l.comments_enabled, l.metadata, $7, $7
       FROM lesson l
       JOIN unnest($3::uuid[], $4::uuid[]) AS m (original, copy) ON m.original = l.id
       JOIN unnest($5::uuid[], $6::uuid[]) AS s (original, copy) ON s.original = l.section_id
      WHERE l.school_id = $1`,
    [schoolId, to, ...lessons, ...sections, now],
  )
  for (const statement of [
    `INSERT INTO lesson_body (school_id, lesson_id, content, content_format, content_html)
     SELECT b.school_id, m.copy, b.content, b.content_format, b.content_html
       FROM lesson_body b JOIN unnest($2::uuid[], $3::uuid[]) AS m (original, copy) ON m.original = b.lesson_id
      WHERE b.school_id = $1`,
    `INSERT INTO file_reference (school_id, file_id, ref_type, ref_id, field)
     SELECT f.school_id, f.file_id, f.ref_type, m.copy, f.field
       FROM file_reference f JOIN unnest($2::uuid[], $3::uuid[]) AS m (original, copy) ON m.original = f.ref_id
      WHERE f.school_id = $1 AND f.ref_type = 'lesson'`,
  ]) {
    await sql.query(statement, [schoolId, ...lessons])
  }
}
