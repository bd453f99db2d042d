import { audienceOf } from '../../base/caller.ts'
import { fromPublicId, uuidOf } from '../../base/ids.ts'
import { fieldError, type ProblemDetail } from '../../base/problem.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { lockByName } from '../../database/connection/lockByName.ts'
import type { RenderingContext } from '../changeContext.ts'
import type { WriteContext } from '../courses/courseWriting.ts'
import { saveFormerPaths } from '../formerPaths.ts'
import { pastTimeErrors } from '../pastTimes.ts'
import type { TextFormat } from '../richText.ts'

/** The fields of a post as a request sends them, over those that are stored. */
type PostValues = Readonly<{
  visibility?: string
  plan_ids?: readonly string[]
  author_lecturer_id?: string | null
  pinned?: boolean
  content?: string | null
  content_format?: TextFormat
  published_at?: string | null
  former_paths?: readonly string[]
}>

const maxPinned = 3
const excerptLength = 200
const wordsPerMinute = 200

export async function checkPost(
  values: PostValues,
  context: WriteContext,
  before?: { id: string; pinned: boolean },
): Promise<ProblemDetail[]> {
  const plans = values.plan_ids ?? []
  const fieldErrors: ProblemDetail[] = []
  if (values.visibility === 'plans' && plans.length === 0)
    fieldErrors.push(fieldError('plan_ids', 'required', 'must name at least one plan for visibility plans'))
  if (values.visibility !== 'plans' && plans.length > 0) {
    fieldErrors.push(fieldError('plan_ids', 'not_allowed', 'must be empty unless visibility is plans'))
  }
  return [
    ...fieldErrors,
    ...(await planErrors(plans, context)),
    ...(await authorErrors(values, context)),
    ...(before === undefined ? pastTimeErrors('published_at', values.published_at, context.now) : []),
    ...(values.pinned === true && !before?.pinned ? await pinErrors(context) : []),
  ]
}

async function planErrors(plans: readonly string[], { writer }: WriteContext): Promise<ProblemDetail[]> {
  const ids = [...new Set(plans.flatMap((id) => fromPublicId('mpl', id) ?? []))]
  if (ids.length === 0) return []
  const found = await writer.selectFrom('membership_plan').select('id').where('id', 'in', ids).execute()
  return found.length < ids.length ? [fieldError('plan_ids', 'invalid_reference', 'must name plans of this school')] : []
}

/** Returns errors if a lecturer names another author than themselves, or former paths. */
export function checkPostCaller(
  { author_lecturer_id, former_paths }: PostValues,
  { caller }: Pick<WriteContext, 'caller'>,
): ProblemDetail[] {
  if (audienceOf(caller) !== 'lecturer') return []
  const isOwn = author_lecturer_id === undefined || (author_lecturer_id && uuidOf('lec', author_lecturer_id)) === caller.lecturerId
  return [
    ...(isOwn ? [] : [fieldError('author_lecturer_id', 'not_allowed', 'must be your own profile')]),
    ...(former_paths === undefined ? [] : [fieldError('former_paths', 'not_allowed', 'can be sent by staff only')]),
  ]
}

async function authorErrors({ author_lecturer_id }: PostValues, { writer }: WriteContext): Promise<ProblemDetail[]> {
  if (typeof author_lecturer_id !== 'string') return []
  const row = await writer.selectFrom('lecturer').select('id').where('id', '=', uuidOf('lec', author_lecturer_id)).executeTakeFirst()
  return row ? [] : [fieldError('author_lecturer_id', 'invalid_reference', 'must name a lecturer of this school')]
}

/** Checks the number of pinned posts under a lock, so that two concurrent requests cannot both pin the last one. */
async function pinErrors({ writer }: WriteContext): Promise<ProblemDetail[]> {
  await lockByName(writer, `pinned posts ${writer.schoolId}`)
  const { count } = await writer
    .selectFrom('post')
    .select((post) => post.fn.countAll<string>().as('count'))
    .where('pinned', '=', true)
    .executeTakeFirstOrThrow()
  return Number(count) >= maxPinned
    ? [fieldError('pinned', 'max', `must be false: ${maxPinned} posts are already pinned. Unpin one of them first`)]
    : []
}

/** Returns the columns of a post that follow from its fields. The author of a new post is the lecturer who creates it. */
export async function postColumns(
  values: PostValues,
  { caller, externalServices }: Pick<WriteContext, 'caller'> & RenderingContext,
  { isNew = false } = {},
) {
  const isLecturer = audienceOf(caller) === 'lecturer'
  const named = values.author_lecturer_id
  const author = named === undefined ? (isNew && isLecturer ? caller.lecturerId : undefined) : named && uuidOf('lec', named)
  const sent = { text: values.content ?? '', format: values.content_format ?? 'markdown', field: 'content' } as const
  const [text = ''] = await externalServices.markup.words([sent])
  const words = text === '' ? 0 : text.split(' ').length
  return {
    ...(author !== undefined && { author_lecturer_id: author }),
    automatic_excerpt: excerptOf(text),
    reading_minutes: Math.ceil(words / wordsPerMinute),
    ...(isNew && values.published_at && { status: 'published' }),
  }
}

function excerptOf(text: string): string {
  if (text.length <= excerptLength) return text
  const cut = text.slice(0, excerptLength)
  const end = cut.lastIndexOf(' ')
  return `${(end > excerptLength / 2 ? cut.slice(0, end) : cut).toWellFormed()}…`
}

async function textOfPost(writer: SchoolWriter, postId: string): Promise<{ content: string; format: TextFormat }> {
  const row = await writer
    .selectFrom('post_body')
    .select(['content', 'content_format'])
    .where('post_id', '=', postId)
    .$narrowType<{ content_format: TextFormat }>()
    .executeTakeFirst()
  return { content: row?.content ?? '', format: row?.content_format ?? 'markdown' }
}

export async function savePostParts(
  { writer, externalServices }: WriteContext & RenderingContext,
  { id }: { id: string },
  sent: PostValues,
): Promise<void> {
  if ('content' in sent || 'content_format' in sent) {
    const before = await textOfPost(writer, id)
    const content = 'content' in sent ? (sent.content ?? '') : before.content
    const format = sent.content_format ?? before.format
    const [content_html = ''] = await externalServices.markup.html([{ text: content, format, field: 'content' }])
    const body = { content, content_format: format, content_html }
    await writer
      .insertInto('post_body')
      .values({ school_id: writer.schoolId, post_id: id, ...body })
      .onConflict((conflict) => conflict.columns(['school_id', 'post_id']).doUpdateSet(body))
      .execute()
  }
  await saveFormerPaths(writer, { type: 'post', id }, sent.former_paths)
  if (sent.plan_ids === undefined) return
  await writer.deleteFrom('post_plan').where('post_id', '=', id).execute()
  const plans = [...new Set(sent.plan_ids.flatMap((plan) => fromPublicId('mpl', plan) ?? []))]
  if (plans.length === 0) return
  await writer
    .insertInto('post_plan')
    .values(plans.map((plan_id) => ({ school_id: writer.schoolId, post_id: id, plan_id })))
    .execute()
}
