import { Problem } from '../../../base/problem.ts'
import { escapeHtml } from '../../../base/text/escapeHtml.ts'
import { isSlug, normalizedSlug } from '../../../base/text/slugText.ts'
import { type ApiResponse, bodyOf, pageOf } from '../../../engine/call.ts'
import type { Calls } from './calls.ts'
import type { MovedItem } from './movedSite.ts'
import type { pictureMover } from './pictures.ts'

export interface Moving {
  source: string
  call: Calls
  pictures: ReturnType<typeof pictureMover>
  /** The ids of lecturers by their e-mail address. */
  lecturers: ReadonlyMap<string, string>
  isDryRun: boolean
}

export interface Placed {
  id: string
  isPublished: boolean
  isNew: boolean
}

const maxTags = 20

/**
 * Makes a post or a page of the old site, unless an earlier run made it. Dates that have passed are those of the publication, and others its
 * schedule.
 * @throws Problem if the school cannot have it
 */
export async function moveItem(item: MovedItem, { source, call, pictures, lecturers, isDryRun }: Moving): Promise<Placed> {
  const isPost = item.kind === 'post'
  const one = isPost ? 'Post' : 'Page'
  const external_id = `${source}:${item.id}`.slice(0, 120)
  const [before] = pageOf<{ id: string; status: string }>(await call(`list${one}s`, { parameters: { external_id } })).rows
  if (before) return { id: before.id, isPublished: before.status === 'published', isNew: false }
  const now = new Date()
  const isDue = item.date === undefined || item.date <= now
  const isPublished = item.status !== 'draft' && isDue
  const html = await pictures.withOurAddresses(item.html)
  const shared = { title: item.title, external_id, former_paths: item.paths.slice(0, 20) }
  const body = isPost
    ? {
        ...shared,
        ...authorOf(item, html, lecturers),
        content_format: 'html',
        excerpt: item.excerpt || null,
        tags: tagsOf(item),
        visibility: item.visibility,
        comments_enabled: item.takesComments || item.comments.length > 0,
        ...(item.cover !== undefined && { cover_image: await coverOf(item.cover, pictures) }),
        ...(isPublished && { published_at: (item.date ?? now).toISOString() }),
      }
    : {
        ...shared,
        kind: 'custom',
        visibility: item.visibility === 'public' ? 'public' : 'members',
        blocks: html.trim() === '' ? [] : [{ type: 'html', props: { html } }],
      }
  const { id } = bodyOf<{ id: string }>(await createdWithSlug((slugged) => call(`create${one}`, { body: { ...body, ...slugged } }), item))
  if (isDryRun) return { id, isPublished, isNew: true }
  if (!isPost && isPublished) await call('publishPage', { parameters: { id }, body: {} })
  if (isPost && item.status !== 'draft' && !isDue) {
    await call('publishPost', { parameters: { id }, body: { scheduled_for: item.date?.toISOString() } })
  }
  return { id, isPublished, isNew: true }
}

/** Keeps the slug of the old site if it is free, and valid here. Otherwise the slug follows from the title. */
async function createdWithSlug(
  create: (slugged: { slug?: string }) => Promise<ApiResponse>,
  { slug: old }: MovedItem,
): Promise<ApiResponse> {
  const slug = normalizedSlug(old)
  if (!isSlug(slug) || slug.length > 96) return await create({})
  try {
    return await create({ slug })
  } catch (error) {
    if (error instanceof Problem && error.details.length > 0 && error.details.every(({ field }) => field === 'slug'))
      return await create({})
    throw error
  }
}

/** Names the lecturer with the address of the author. The name of another author is the last line of the text. */
function authorOf({ author }: MovedItem, html: string, lecturers: ReadonlyMap<string, string>) {
  const lecturer = author?.email === undefined ? undefined : lecturers.get(author.email.toLowerCase())
  if (lecturer !== undefined) return { content: html, author_lecturer_id: lecturer }
  const isNamed = author !== undefined && author.name.trim() !== ''
  return { content: isNamed ? `${html}\n<p><em>— ${escapeHtml(author.name.trim())}</em></p>` : html }
}

const tagsOf = ({ tags }: MovedItem): string[] =>
  [...new Map(tags.filter((tag) => tag !== '').map((tag) => [tag.normalize('NFKC').toLowerCase(), tag])).values()].slice(0, maxTags)

async function coverOf(address: string, pictures: Moving['pictures']): Promise<{ file_id: string } | null> {
  const file = await pictures.fileAt(address)
  return file ? { file_id: file.id } : null
}
