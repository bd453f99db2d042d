import { createHash } from 'node:crypto'
import { Problem } from '../../lib/problem.ts'
import { recordChanges } from '../../store/changeLog.ts'
import { countStartedEnrollments, recountCourse } from '../learning/countProgress.ts'
import type { TextFormat } from '../richText.ts'
import { countTree } from './countTree.ts'
import type { CurriculumContext } from './curriculumContext.ts'
import { importErrors } from './importErrors.ts'
import { type Held, type Import, type ImportedLesson, type LessonRow, type Plan, planImport, type SectionRow } from './importPlan.ts'
import { removeTexts, writeTexts } from './lessonBody.ts'
import { type StoredMedia, saveLessonFileReferences } from './lessonFiles.ts'
import { removeLessons } from './sectionWriting.ts'

/**
 * Brings a course in line with what another system sends, whose keys say which rows are meant. The course is locked.
 * @throws Problem validation_failed with every fault
 */
export async function importCurriculum(context: CurriculumContext, { id: courseId }: { id: string }, sent: Import) {
  const { writer, sql, school } = context
  const key = { schoolId: school.id, courseId }
  const { held, texts } = await readHeld(context, courseId)
  const plan = planImport(held, sent)
  const details = await importErrors(context, key, { sent, held, plan })
  if (details.length > 0)
    throw new Problem('validation_failed', { description: 'The import is not valid. See details.', details: details.slice(0, 100) })

  const headers = { 'Affected-Enrollments': String(await countStartedEnrollments(sql, school.id, plan.goneLessons)) }
  const rewritten = plan.lessons.filter((row) => isRewritten(plan.sent.get(row.id), texts.get(row.id)))
  const changed = [...new Map([...plan.changedLessons, ...rewritten].map((row) => [row.id, row])).values()]
  // Places are checked once all rows have theirs.
  await sql.query('SET CONSTRAINTS section_position_key, lesson_position_key DEFERRED')
  await writeSections(context, courseId, plan.changedSections)
  await writeLessons(context, courseId, changed)
  await writeImportedTexts(context, rewritten, { plan, texts })
  for (const row of plan.changedLessons) {
    if (plan.sent.get(row.id)?.media === undefined) continue
    const attachment_file_ids = texts.get(row.id)?.attachment_file_ids ?? []
    await saveLessonFileReferences(context, row.id, { media: row.media as StoredMedia | null, attachment_file_ids })
  }
  await removeLessons(context, plan.goneLessons)
  if (plan.goneSections.length > 0) {
    const gone = await writer
      .deleteFrom('section')
      .where('school_id', '=', school.id)
      .where('id', 'in', [...plan.goneSections])
      .returning(['id', 'version'])
      .execute()
    await recordChanges(sql, { school_id: school.id, type: 'section', action: 'deleted' }, gone)
  }
  await sql.query('SET CONSTRAINTS section_position_key, lesson_position_key IMMEDIATE')
  await countTree(sql, key, { isSeen: false })
  await recountCourse(sql, { ...key, now: context.now })
  return { counts: countsOf(held, plan, changed), headers }
}

interface HeldText {
  hash: string | null
  content_format: string | null
  attachment_file_ids: string[]
}

/** What the course holds. Of its texts the hashes will do. */
async function readHeld({ sql, school }: CurriculumContext, courseId: string): Promise<{ held: Held; texts: Map<string, HeldText> }> {
  const sections = await sql.query<SectionRow>(
    'SELECT id, title, summary, position, external_id FROM section WHERE school_id = $1 AND course_id = $2 ORDER BY position',
    [school.id, courseId],
  )
  const lessons = await sql.query<LessonRow & HeldText>(
    `SELECT l.id, l.section_id, l.title, l.kind, l.status, l.is_preview, l.position, l.duration_seconds, l.media, l.quiz, l.drip,
            l.comments_enabled, l.external_id, l.metadata, l.attachment_file_ids,
            encode(sha256(convert_to(b.content, 'UTF8')), 'hex') AS hash, b.content_format
       FROM lesson l LEFT JOIN lesson_body b ON b.school_id = l.school_id AND b.lesson_id = l.id
      WHERE l.school_id = $1 AND l.course_id = $2 ORDER BY l.position`,
    [school.id, courseId],
  )
  const rows = lessons.map(({ hash: _hash, content_format: _format, attachment_file_ids: _files, ...row }) => row)
  return { held: { sections, lessons: rows }, texts: new Map(lessons.map((row) => [row.id, row])) }
}

function isRewritten(sent: ImportedLesson | undefined, text: HeldText | undefined): boolean {
  if (sent?.content === undefined) return false
  if (sent.content === null) return text?.hash != null
  const hash = createHash('sha256').update(sent.content).digest('hex')
  return hash !== text?.hash || (sent.content_format !== undefined && sent.content_format !== text.content_format)
}

async function writeImportedTexts(
  { writer, school }: CurriculumContext,
  rewritten: readonly LessonRow[],
  { plan, texts }: { plan: Plan; texts: ReadonlyMap<string, HeldText> },
): Promise<void> {
  const isEmptied = ({ id }: LessonRow): boolean => plan.sent.get(id)?.content === null
  await removeTexts(
    writer,
    school.id,
    rewritten.filter(isEmptied).map(({ id }) => id),
  )
  await writeTexts(
    writer,
    school.id,
    rewritten
      .filter((row) => !isEmptied(row))
      .map(({ id }) => {
        const { content, content_format } = plan.sent.get(id) as ImportedLesson
        const format = content_format ?? texts.get(id)?.content_format ?? 'markdown'
        return { lessonId: id, content: content as string, content_format: format as TextFormat }
      }),
  )
}

async function recordWritten(
  { sql, school }: CurriculumContext,
  type: string,
  rows: readonly { id: string; version: number }[],
): Promise<void> {
  const isNew = ({ version }: { version: number }): boolean => version === 1
  await recordChanges(sql, { school_id: school.id, type, action: 'created' }, rows.filter(isNew))
  await recordChanges(
    sql,
    { school_id: school.id, type, action: 'updated' },
    rows.filter((row) => !isNew(row)),
  )
}

async function writeSections(context: CurriculumContext, course_id: string, rows: readonly SectionRow[]): Promise<void> {
  if (rows.length === 0) return
  const { writer, school, now } = context
  const written = await writer
    .insertInto('section')
    .values(rows.map((row) => ({ ...row, school_id: school.id, course_id, created_at: now, updated_at: now })))
    .onConflict((conflict) =>
      conflict.columns(['school_id', 'id']).doUpdateSet((row) => ({
        title: row.ref('excluded.title'),
        summary: row.ref('excluded.summary'),
        position: row.ref('excluded.position'),
        updated_at: now,
        version: row('section.version', '+', 1),
      })),
    )
    .returning(['id', 'version'])
    .execute()
  await recordWritten(context, 'section', written)
}

async function writeLessons(context: CurriculumContext, course_id: string, rows: readonly LessonRow[]): Promise<void> {
  if (rows.length === 0) return
  const { writer, school, now } = context
  const json = (value: unknown): string | null => (value === null ? null : JSON.stringify(value))
  const values = rows.map(({ media, quiz, drip, metadata, ...row }) => ({
    ...row,
    school_id: school.id,
    course_id,
    media: json(media),
    quiz: json(quiz),
    drip: JSON.stringify(drip),
    metadata: JSON.stringify(metadata),
    created_at: now,
    updated_at: now,
  }))
  const written = await writer
    .insertInto('lesson')
    .values(values)
    .onConflict((conflict) =>
      conflict.columns(['school_id', 'id']).doUpdateSet((row) => ({
        section_id: row.ref('excluded.section_id'),
        title: row.ref('excluded.title'),
        status: row.ref('excluded.status'),
        is_preview: row.ref('excluded.is_preview'),
        position: row.ref('excluded.position'),
        duration_seconds: row.ref('excluded.duration_seconds'),
        media: row.ref('excluded.media'),
        quiz: row.ref('excluded.quiz'),
        drip: row.ref('excluded.drip'),
        comments_enabled: row.ref('excluded.comments_enabled'),
        metadata: row.ref('excluded.metadata'),
        updated_at: now,
        version: row('lesson.version', '+', 1),
      })),
    )
    .returning(['id', 'version'])
    .execute()
  await recordWritten(context, 'lesson', written)
}

function countsOf(held: Held, plan: Plan, changedLessons: readonly LessonRow[]) {
  const before = new Set([...held.sections, ...held.lessons].map(({ id }) => id))
  const written = [...plan.changedSections, ...changedLessons]
  const created = written.filter(({ id }) => !before.has(id)).length
  return { created, updated: written.length - created, deleted: plan.goneSections.length + plan.goneLessons.length }
}
