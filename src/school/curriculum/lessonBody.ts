import { setImmediate } from 'node:timers/promises'
import type { SchoolWriter } from '../../database/connection/database.ts'
import type { ChangeContext, RenderingContext } from '../changeContext.ts'
import type { TextFormat } from '../richText.ts'
import type { LessonInput } from './lessonInput.ts'

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

export async function changeText(context: TextContext, lessonId: string, sent: LessonInput) {
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
