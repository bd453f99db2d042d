import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { Problem } from '../../base/problem.ts'
import { checkPositions, deferPositions } from '../../database/statements/positionConstraints.ts'
import { recordChanges } from '../../database/tables/changeLog.ts'
import type { RenderingContext } from '../changeContext.ts'
import { affectedEnrollments, recountCourse, startedEnrollments } from '../learning/countProgress.ts'
import type { TextFormat } from '../richText.ts'
import { type CurriculumContext, countTree } from './countTree.ts'
import { importErrors } from './importErrors.ts'
import { type Held, type Import, type ImportedLesson, type LessonRow, type Plan, planImport, type SectionRow } from './importPlan.ts'
import { announceLessons, removeTexts, writeTexts } from './lessonWriting.ts'
import { removeLessons } from './sectionWriting.ts'

/**
 * Imports the curriculum of another system into a course. Rows are matched by the keys of that system. The course is locked.
 * @throws Problem validation_failed with all errors
 */
export async function importCurriculum(context: CurriculumContext & RenderingContext, { id: courseId }: { id: string }, sent: Import) {
  const { writer } = context
  const key = { schoolId: writer.schoolId, courseId }
  const { held, texts } = await readHeld(context, courseId)
  const plan = planImport(held, sent)
  const details = await importErrors(context, key, { sent, held, plan })
  if (details.length > 0)
    throw new Problem('validation_failed', { description: 'The import is not valid. See details.', details: details.slice(0, 100) })

  const started = await startedEnrollments(writer, plan.goneLessons)
  const rewritten = plan.lessons.filter((row) => isRewritten(plan.sent.get(row.id), texts.get(row.id)))
  const changed = [...new Map([...plan.changedLessons, ...rewritten].map((row) => [row.id, row])).values()]
  // The positions are unique once all rows are written.
  await deferPositions(writer)
  await writeSections(context, courseId, plan.changedSections)
  await writeLessons(context, courseId, changed)
  await writeImportedTexts(context, rewritten, { plan, texts })
  const publishedBefore = new Set(held.lessons.flatMap(({ id, status }) => (status === 'published' ? [id] : [])))
  const newlyPublished = changed.filter(({ id, status }) => status === 'published' && !publishedBefore.has(id))
  await announceLessons(
    context,
    courseId,
    newlyPublished.map(({ id: lessonId }) => lessonId),
  )
  await removeLessons(context, plan.goneLessons)
  if (plan.goneSections.length > 0) {
    const gone = await writer
      .deleteFrom('section')
      .where('id', 'in', [...plan.goneSections])
      .returning(['id', 'version'])
      .execute()
    await recordChanges(writer, { type: 'section', action: 'deleted' }, gone)
  }
  await checkPositions(writer)
  await countTree(writer, key, { isSeen: false })
  const recounted = await recountCourse(writer, { ...key, now: context.now })
  return { counts: countsOf(held, plan, changed), ...affectedEnrollments([...started, ...recounted]) }
}

interface HeldText {
  hash: string | null
  content_format: string | null
  attachment_file_ids: string[]
}

async function readHeld({ writer }: CurriculumContext, courseId: string): Promise<{ held: Held; texts: Map<string, HeldText> }> {
  const sections = await writer
    .selectFrom('section')
    .select(['id', 'title', 'summary', 'position', 'external_id'])
    .where('course_id', '=', courseId)
    .orderBy('position')
    .execute()
  const lessons = await writer
    .selectFrom('lesson')
    .leftJoin('lesson_body as body', 'body.lesson_id', 'lesson.id')
    .select(['lesson.id', 'lesson.section_id', 'lesson.title', 'lesson.kind', 'lesson.status', 'lesson.is_preview', 'lesson.position'])
    .select(['lesson.duration_seconds', 'lesson.media', 'lesson.quiz', 'lesson.drip', 'lesson.comments_enabled', 'lesson.external_id'])
    .select(['lesson.metadata', 'lesson.attachment_file_ids', 'body.content_format'])
    .select(({ ref }) => sql<string | null>`encode(sha256(convert_to(${ref('body.content')}, 'UTF8')), 'hex')`.as('hash'))
    .where('lesson.course_id', '=', courseId)
    .orderBy('lesson.position')
    .execute()
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
  context: CurriculumContext & RenderingContext,
  rewritten: readonly LessonRow[],
  { plan, texts }: { plan: Plan; texts: ReadonlyMap<string, HeldText> },
): Promise<void> {
  const removed = rewritten.filter(({ id }) => plan.sent.get(id)?.content === null)
  await removeTexts(
    context.writer,
    removed.map(({ id }) => id),
  )
  const written = rewritten.flatMap(({ id }) => {
    const sent = plan.sent.get(id)
    if (typeof sent?.content !== 'string') return []
    const formatBefore: TextFormat = texts.get(id)?.content_format === 'html' ? 'html' : 'markdown'
    return [{ lessonId: id, content: sent.content, content_format: sent.content_format ?? formatBefore }]
  })
  await writeTexts(context, written)
}

async function recordWritten({ writer }: CurriculumContext, type: string, rows: readonly { id: string; version: number }[]): Promise<void> {
  const isNew = ({ version }: { version: number }): boolean => version === 1
  await recordChanges(writer, { type, action: 'created' }, rows.filter(isNew))
  await recordChanges(
    writer,
    { type, action: 'updated' },
    rows.filter((row) => !isNew(row)),
  )
}

async function writeSections(context: CurriculumContext, course_id: string, rows: readonly SectionRow[]): Promise<void> {
  if (rows.length === 0) return
  const { writer, now } = context
  const written = await writer
    .insertInto('section')
    .values(rows.map((row) => ({ ...row, school_id: writer.schoolId, course_id, created_at: now, updated_at: now })))
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
  const { writer, now } = context
  const json = (value: unknown): string | null => (value === null ? null : JSON.stringify(value))
  const values = rows.map(({ media, quiz, drip, metadata, ...row }) => ({
    ...row,
    school_id: writer.schoolId,
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
