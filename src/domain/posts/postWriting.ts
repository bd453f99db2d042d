import { fromPublicId } from '../../lib/ids.ts'
import type { ProblemDetail } from '../../lib/problem.ts'
import { audienceOf } from '../../policy/caller.ts'
import type { Writer } from '../../store/database.ts'
import type { CourseContext } from '../courses/courseWriting.ts'
import { htmlOf, plainText, type TextFormat } from '../richText.ts'

type Values = Readonly<Record<string, unknown>>

/** So many posts stand before all others. */
export const mostPinned = 3
const excerptLength = 200
const wordsPerMinute = 200

const fault = (field: string, code: string, message: string): ProblemDetail => ({ field, code, message: `${field}: ${message}` })

/** Whether the fields of a post fit together, and name what the school has. */
export async function checkPost(
  values: Values,
  context: CourseContext,
  before?: { id: string; pinned: boolean },
): Promise<ProblemDetail[]> {
  const plans = (values.plan_ids as string[] | undefined) ?? []
  const fieldErrors: ProblemDetail[] = []
  if (values.visibility === 'plans' && plans.length === 0) fieldErrors.push(fault('plan_ids', 'required', 'say which plans open the post'))
  if (values.visibility !== 'plans' && plans.length > 0) {
    fieldErrors.push(fault('plan_ids', 'not_allowed', 'only a post with the visibility plans has them'))
  }
  return [
    ...fieldErrors,
    ...(await planErrors(plans, context)),
    ...(await authorErrors(values, context)),
    ...(values.pinned === true && !before?.pinned ? await pinErrors(context) : []),
  ]
}

async function planErrors(plans: readonly string[], { writer, school }: CourseContext): Promise<ProblemDetail[]> {
  const ids = [...new Set(plans.flatMap((id) => fromPublicId('mpl', id) ?? []))]
  if (ids.length === 0) return []
  const found = await writer.selectFrom('membership_plan').select('id').where('school_id', '=', school.id).where('id', 'in', ids).execute()
  return found.length < ids.length ? [fault('plan_ids', 'invalid_reference', 'names a plan that the school does not have')] : []
}

async function authorErrors({ author_lecturer_id }: Values, { writer, school, caller }: CourseContext): Promise<ProblemDetail[]> {
  if (author_lecturer_id === undefined) return []
  const field = 'author_lecturer_id'
  const id = author_lecturer_id === null ? null : fromPublicId('lec', author_lecturer_id as string)
  if (audienceOf(caller) === 'lecturer') return id === caller.lecturerId ? [] : [fault(field, 'not_allowed', 'must be yourself')]
  if (id === null) return []
  const row = await writer
    .selectFrom('lecturer')
    .select('id')
    .where('school_id', '=', school.id)
    .where('id', '=', id as string)
    .executeTakeFirst()
  return row ? [] : [fault(field, 'invalid_reference', 'there is no such lecturer in this school')]
}

/** One after the other: two who pin at once do not both take the last place. */
async function pinErrors({ sql, school }: CourseContext): Promise<ProblemDetail[]> {
  await sql.query(`SELECT pg_advisory_xact_lock(hashtextextended('pinned posts ' || $1, 0))`, [school.id])
  const [row] = await sql.query<{ count: number }>('SELECT count(*)::int AS count FROM post WHERE school_id = $1 AND pinned', [school.id])
  return (row?.count ?? 0) >= mostPinned ? [fault('pinned', 'max', `${mostPinned} posts are pinned already`)] : []
}

/** Returns the columns of a post that follow from its fields. The author of a new post is the lecturer who creates it. */
export function postColumns(values: Values, { caller }: Pick<CourseContext, 'caller'>, { isNew = false } = {}) {
  const isLecturer = audienceOf(caller) === 'lecturer'
  const named = values.author_lecturer_id as string | null | undefined
  const author = named === undefined ? (isNew && isLecturer ? caller.lecturerId : undefined) : named && fromPublicId('lec', named)
  const text = plainText(String(values.content ?? ''), (values.content_format ?? 'markdown') as TextFormat, 'content')
  const words = text === '' ? 0 : text.split(' ').length
  return {
    ...(author !== undefined && { author_lecturer_id: author as string | null }),
    automatic_excerpt: excerptOf(text),
    reading_minutes: Math.ceil(words / wordsPerMinute),
  }
}

/** The first words of a text: as many as fit. */
function excerptOf(text: string): string {
  if (text.length <= excerptLength) return text
  const cut = text.slice(0, excerptLength)
  const end = cut.lastIndexOf(' ')
  return `${(end > excerptLength / 2 ? cut.slice(0, end) : cut).toWellFormed()}…`
}

/** The text that a post has. */
async function textOfPost(writer: Writer, schoolId: string, postId: string): Promise<{ content: string; format: TextFormat }> {
  const row = await writer
    .selectFrom('post_body')
    .select(['content', 'content_format'])
    .where('school_id', '=', schoolId)
    .where('post_id', '=', postId)
    .executeTakeFirst()
  return { content: row?.content ?? '', format: (row?.content_format ?? 'markdown') as TextFormat }
}

/** Keeps the text of a post, and the plans that open it, where they were sent. */
export async function keepPostParts({ writer, school }: CourseContext, { id }: { id: string }, sent: Values): Promise<void> {
  if ('content' in sent || 'content_format' in sent) {
    const before = await textOfPost(writer, school.id, id)
    const content = 'content' in sent ? String(sent.content ?? '') : before.content
    const format = (sent.content_format ?? before.format) as TextFormat
    const body = { content, content_format: format, content_html: htmlOf(content, format, 'content') }
    await writer
      .insertInto('post_body')
      .values({ school_id: school.id, post_id: id, ...body })
      .onConflict((conflict) => conflict.columns(['school_id', 'post_id']).doUpdateSet(body))
      .execute()
  }
  if (sent.plan_ids === undefined) return
  await writer.deleteFrom('post_plan').where('school_id', '=', school.id).where('post_id', '=', id).execute()
  const plans = [...new Set((sent.plan_ids as string[]).flatMap((plan) => fromPublicId('mpl', plan) ?? []))]
  if (plans.length === 0) return
  await writer
    .insertInto('post_plan')
    .values(plans.map((plan_id) => ({ school_id: school.id, post_id: id, plan_id })))
    .execute()
}
