import { z } from 'zod'
import { failure, usage } from '../failures.ts'
import { excess, isNestedDeeper, plainText, timeIn } from './exportValues.ts'
import { ghostHtml } from './ghostHtml.ts'
import { type MovedItem, type MovedSite, moveLimits, type Omission } from './movedSite.ts'

const id = z.union([z.string(), z.number()]).transform(String)
const text = z.string().nullish()
const flag = z.union([z.boolean(), z.number()]).nullish()
const time = z.union([z.string(), z.number()]).nullish()

const post = z.object({
  id,
  title: text,
  slug: text,
  html: text,
  lexical: text,
  mobiledoc: text,
  markdown: text,
  plaintext: text,
  feature_image: text,
  image: text,
  custom_excerpt: text,
  status: text,
  type: text,
  page: flag,
  visibility: text,
  published_at: time,
  created_at: time,
  author_id: id.nullish(),
})
const tag = z.object({ id, name: text, slug: text, visibility: text })
const user = z.object({ id, name: text, email: text })
const order = z.number().nullish()
const tagged = z.object({ post_id: id, tag_id: id, sort_order: order })
const written = z.object({ post_id: id, author_id: id, sort_order: order })
const list = <Row extends z.ZodType>(row: Row) => z.array(row).nullish()
const data = z.object({
  posts: z.array(post),
  tags: list(tag),
  users: list(user),
  posts_tags: list(tagged),
  posts_authors: list(written),
})
const content = z.object({ data })
const exported = z.union([z.object({ db: z.array(content).min(1) }).transform(({ db }) => db[0]), content])

type Data = z.infer<typeof data>
type Post = z.infer<typeof post>

/**
 * Reads an export of Ghost: JSON, with the tables of its database. Comments and members are not in it.
 * @throws CommanderError if the file is something else
 */
export async function readGhost(pieces: AsyncIterable<string>, path: string, address: string | undefined): Promise<MovedSite> {
  const found = exported.safeParse(parsed((await Array.fromAsync(pieces)).join(''), path))
  if (!found.success || found.data === undefined) {
    const [issue] = found.error?.issues ?? []
    throw usage(
      `${path} is not an export of Ghost: use Settings > Import/Export > Export there${issue ? ` (${issue.path.join('.')})` : ''}`,
    )
  }
  const { data: tables } = found.data
  if (tables.posts.length > moveLimits.items) throw excess(path)
  const omitted: Omission[] = []
  const site = address?.replace(/\/+$/, '')
  return {
    source: 'ghost',
    address: site,
    items: itemsOf(tables, { omitted, address: site }),
    media: new Set(),
    omitted,
  }
}

function parsed(json: string, path: string): unknown {
  if (isNestedDeeper(json, moveLimits.depth))
    throw failure(`${path} cannot be read: it is nested more than ${moveLimits.depth} levels deep. Nothing was imported`)
  try {
    return JSON.parse(json)
  } catch {
    throw failure(`${path} is not complete JSON. Nothing was imported: export the file again`)
  }
}

const statuses: Readonly<Record<string, MovedItem['status']>> = { published: 'published', scheduled: 'scheduled', draft: 'draft' }
const visibilities: Readonly<Record<string, MovedItem['visibility']>> = { public: 'public', members: 'members', paid: 'paid' }

function itemsOf(tables: Data, { omitted, address }: { omitted: Omission[]; address: string | undefined }): MovedItem[] {
  const tags = new Map((tables.tags ?? []).map((one) => [one.id, one]))
  const users = new Map((tables.users ?? []).map((one) => [one.id, one]))
  const inOrder = <Row extends { post_id: string; sort_order?: number | null | undefined }>(rows: readonly Row[] | null | undefined) =>
    Map.groupBy(
      [...(rows ?? [])].toSorted((one, other) => (one.sort_order ?? 0) - (other.sort_order ?? 0)),
      ({ post_id }) => post_id,
    )
  const [tagsOf, authorsOf] = [inOrder(tables.posts_tags), inOrder(tables.posts_authors)]
  const addressed = (one: string): string => one.replaceAll('__GHOST_URL__', address ?? '')
  return tables.posts.flatMap((row): MovedItem[] => {
    const kind = row.type === 'page' || ((row.page ?? false) !== false && row.page !== 0) ? 'page' : 'post'
    const { html, lost } = ghostHtml(row)
    const title = plainText(row.title ?? '', 200) || plainText(html, 60) || `No title (${row.id})`
    const leaveOut = (reason: string, what: Omission['kind'] = kind) => omitted.push({ kind: what, name: title, reason })
    const status = statuses[row.status ?? '']
    if (status === undefined) {
      leaveOut(row.status === 'sent' ? 'it was an e-mail only' : `its status is ${row.status ?? '(none)'}`)
      return []
    }
    const visibility = visibilities[row.visibility ?? 'public']
    if (visibility === undefined) leaveOut(`it was for ${row.visibility}: here it is for everybody with a paid plan`, 'part')
    for (const part of lost) leaveOut(`${part} has no equivalent here`, 'part')
    const authorIds = [...(authorsOf.get(row.id) ?? []).map((one) => one.author_id), ...(row.author_id ? [row.author_id] : [])]
    const author = authorIds.map((one) => users.get(one)).find((one) => one !== undefined)
    const cover = row.feature_image || row.image
    return [
      {
        id: row.id,
        kind,
        title,
        slug: row.slug ?? '',
        paths: row.slug ? [`/${row.slug}/`] : [],
        html: addressed(html),
        excerpt: plainText(row.custom_excerpt ?? '', 300),
        status,
        visibility: visibility ?? 'paid',
        date: dateOf(row),
        tags: (tagsOf.get(row.id) ?? [])
          .flatMap(({ tag_id }) => tags.get(tag_id) ?? [])
          .filter(({ visibility: seen, name }) => seen !== 'internal' && !name?.startsWith('#'))
          .map(({ name }) => plainText(name ?? '', 40)),
        cover: cover ? addressed(cover) : undefined,
        author: author && { email: author.email ?? undefined, name: author.name ?? '' },
        takesComments: true,
        comments: [],
      },
    ]
  })
}

const dateOf = ({ published_at, created_at }: Post): Date | undefined => timeIn(published_at) ?? timeIn(created_at)
