import { fieldError, type ProblemDetail } from '../../base/problem.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { type CourseKey, type CurriculumContext, maxLessons, maxSections } from './countTree.ts'
import type { Held, Import, Plan } from './importPlan.ts'
import { checkLesson, checkLessonFiles, filesIn, type StoredMedia } from './lessonRules.ts'

export async function importErrors(
  context: CurriculumContext,
  key: CourseKey,
  { sent, held, plan }: { sent: Import; held: Held; plan: Plan },
): Promise<ProblemDetail[]> {
  const fieldErrors: ProblemDetail[] = []
  const lessons = sent.sections.flatMap((section, at) =>
    section.lessons.map((lesson, index) => ({ lesson, path: `sections.${at}.lessons.${index}` })),
  )
  const sections = sent.sections.map((section, at) => ({ section, path: `sections.${at}` }))
  if (plan.sections.length > maxSections) fieldErrors.push(fieldError('sections', 'max', `must contain at most ${maxSections} sections`))
  if (plan.lessons.length > maxLessons) fieldErrors.push(fieldError('sections', 'max', `must contain at most ${maxLessons} lessons`))

  const sectionKeys = sections.map(({ section, path }) => ({ key: section.external_id, path }))
  const lessonKeys = lessons.map(({ lesson, path }) => ({ key: lesson.external_id, path }))
  for (const [table, keys] of [
    ['section', sectionKeys],
    ['lesson', lessonKeys],
  ] as const) {
    const elsewhere = await keysElsewhere(
      context.writer,
      table,
      key,
      keys.map((one) => one.key),
    )
    const seen = new Set<string>()
    for (const { key: external, path } of keys) {
      if (seen.has(external)) fieldErrors.push(fieldError(`${path}.external_id`, 'duplicate', 'must not appear twice in the import'))
      if (elsewhere.has(external))
        fieldErrors.push(fieldError(`${path}.external_id`, 'external_id_taken', 'is already used in another course'))
      seen.add(external)
    }
  }

  const before = new Map(held.lessons.map((row) => [row.external_id, row]))
  for (const { lesson, path } of lessons) {
    const old = before.get(lesson.external_id)
    if (old && old.kind !== lesson.kind) fieldErrors.push(fieldError(`${path}.kind`, 'immutable_field', 'cannot be changed after creation'))
    if (lesson.content_format !== undefined && lesson.content === undefined)
      fieldErrors.push(fieldError(`${path}.content`, 'required', 'is required with content_format'))
    const files = lesson.media
      ? await checkLessonFiles(context, filesIn(lesson), { media: (old?.media ?? null) as StoredMedia | null, attachment_file_ids: [] })
      : []
    for (const { field, code, message } of [...checkLesson(lesson), ...files]) {
      fieldErrors.push({ field: `${path}.${field}`, code, message: `${path}.${message}` })
    }
  }
  return fieldErrors
}

async function keysElsewhere(
  writer: SchoolWriter,
  table: 'section' | 'lesson',
  { courseId }: CourseKey,
  keys: readonly string[],
): Promise<Set<string | null>> {
  if (keys.length === 0) return new Set()
  const rows = await writer
    .selectFrom(table)
    .select('external_id')
    .where('course_id', '<>', courseId)
    .where('external_id', 'in', [...new Set(keys)])
    .execute()
  return new Set(rows.map(({ external_id }) => external_id))
}
