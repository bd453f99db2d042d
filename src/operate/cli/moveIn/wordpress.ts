import { usage } from '../failures.ts'
import { excess, pathOf, plainText, siteKey, timeIn } from './exportValues.ts'
import { type MovedComment, type MovedItem, type MovedSite, moveLimits, type Omission } from './movedSite.ts'
import { readXml, textOf, type XmlElement } from './readXml.ts'
import { wordpressHtml } from './wordpressHtml.ts'

interface Author {
  email: string | undefined
  name: string
}

const statuses: Readonly<Record<string, MovedItem['status']>> = {
  publish: 'published',
  future: 'scheduled',
  draft: 'draft',
  pending: 'draft',
  private: 'draft',
}

/**
 * Reads an export of WordPress: WXR, an extension of RSS 2.0.
 * @throws CommanderError if the file is something else
 */
export async function readWordpress(pieces: AsyncIterable<string>, path: string, from?: string): Promise<MovedSite> {
  const authors = new Map<string, Author>()
  const attachments = new Map<string, { url: string; alt: string }>()
  const found: XmlElement[] = []
  const channel = new Map<string, string>()
  let comments = 0
  await readXml(pieces, path, {
    elements: ['item', 'wp:author', 'wp:base_site_url', 'wp:base_blog_url', 'wp:wxr_version'],
    onElement(element) {
      if (element.name === 'item') {
        comments += element.children.filter(({ name }) => name === 'wp:comment').length
        if (found.length >= moveLimits.items || comments > moveLimits.comments) throw excess(path)
        if (textOf(element, 'wp:post_type') === 'attachment')
          attachments.set(textOf(element, 'wp:post_id'), {
            url: textOf(element, 'wp:attachment_url'),
            alt: metaOf(element, '_wp_attachment_image_alt'),
          })
        else found.push(element)
      } else if (element.name === 'wp:author') {
        const login = textOf(element, 'wp:author_login')
        authors.set(login, {
          email: textOf(element, 'wp:author_email') || undefined,
          name: textOf(element, 'wp:author_display_name') || login,
        })
      } else channel.set(element.name, element.text.trim())
    },
  })
  if (!channel.has('wp:wxr_version')) throw usage(`${path} is not an export of WordPress: use Tools > Export > All content there`)
  const exported = channel.get('wp:base_blog_url') || channel.get('wp:base_site_url') || ''
  const address = (from ?? exported).replace(/\/+$/, '')
  const omitted: Omission[] = []
  const items = found.flatMap((element) => itemOf(element, { authors, attachments, omitted }) ?? [])
  return {
    source: `wordpress:${siteKey(exported)}`,
    address: address || undefined,
    items,
    media: new Set([...attachments.values()].map(({ url }) => url)),
    omitted,
  }
}

interface Rest {
  authors: ReadonlyMap<string, Author>
  attachments: ReadonlyMap<string, { url: string; alt: string }>
  omitted: Omission[]
}

function itemOf(element: XmlElement, { authors, attachments, omitted }: Rest): MovedItem | undefined {
  const [id, type, status] = [textOf(element, 'wp:post_id'), textOf(element, 'wp:post_type'), textOf(element, 'wp:status')]
  const title = plainText(textOf(element, 'title'), 200) || plainText(textOf(element, 'content:encoded'), 60) || `No title (${id})`
  const kind = type === 'page' ? 'page' : 'post'
  const leaveOut = (reason: string, what: Omission['kind'] = kind, name = title) => omitted.push({ kind: what, name, reason })
  if (type !== 'post' && type !== 'page') {
    leaveOut(`it is of the type ${type || '(none)'}, not a post or a page`, 'part')
    return undefined
  }
  const mapped = statuses[status]
  if (mapped === undefined) {
    leaveOut(`its status is ${status || '(none)'}`)
    return undefined
  }
  const isProtected = textOf(element, 'wp:post_password') !== ''
  if (status === 'private') leaveOut('it was private: it is a draft here', 'part')
  if (isProtected) leaveOut('it had a password: it is a draft here', 'part')
  const { html, lost } = wordpressHtml(textOf(element, 'content:encoded'), attachments)
  for (const part of lost) leaveOut(`${part} has no equivalent here`, 'part')
  const categories = element.children.filter(({ name }) => name === 'category')
  const creator = textOf(element, 'dc:creator')
  const own = pathOf(textOf(element, 'link'))
  const slug = decoded(textOf(element, 'wp:post_name'))
  const former = own === undefined ? [] : metasOf(element, '_wp_old_slug').map((old) => own.replace(/[^/]+\/?$/, `${old}/`))
  return {
    id,
    kind,
    title,
    slug,
    paths: own === undefined ? [] : [own, ...former],
    html,
    excerpt: plainText(textOf(element, 'excerpt:encoded'), 300),
    status: isProtected ? 'draft' : mapped,
    visibility: 'public',
    date:
      timeIn(textOf(element, 'wp:post_date_gmt'), 'Z') ??
      timeIn(textOf(element, 'pubDate')) ??
      timeIn(textOf(element, 'wp:post_date'), 'Z'),
    tags: categories
      .filter(({ attributes: { domain, nicename } }) => ['category', 'post_tag'].includes(domain ?? '') && nicename !== 'uncategorized')
      .map(({ text }) => plainText(text, 40)),
    cover: attachments.get(metaOf(element, '_thumbnail_id'))?.url,
    author: creator === '' ? undefined : (authors.get(creator) ?? { email: undefined, name: creator }),
    takesComments: textOf(element, 'wp:comment_status') !== 'closed',
    comments: element.children.filter(({ name }) => name === 'wp:comment').flatMap((comment) => commentOf(comment, title, omitted)),
  }
}

function commentOf(element: XmlElement, title: string, omitted: Omission[]): MovedComment[] {
  const [id, approved] = [textOf(element, 'wp:comment_id'), textOf(element, 'wp:comment_approved')]
  const [type, parent] = [textOf(element, 'wp:comment_type'), textOf(element, 'wp:comment_parent')]
  const name = plainText(textOf(element, 'wp:comment_author'), 120)
  const leaveOut = (reason: string): MovedComment[] => {
    omitted.push({ kind: 'comment', name: `${name || id} on ${title}`, reason })
    return []
  }
  if (type !== '' && type !== 'comment') return leaveOut(`it is a ${type}`)
  if (approved !== '1' && approved !== '0') return leaveOut(`its status is ${approved || '(none)'}`)
  return [
    {
      id,
      parentId: parent === '' || parent === '0' ? undefined : parent,
      email: textOf(element, 'wp:comment_author_email'),
      name,
      date: timeIn(textOf(element, 'wp:comment_date_gmt'), 'Z') ?? timeIn(textOf(element, 'wp:comment_date'), 'Z'),
      html: textOf(element, 'wp:comment_content'),
      status: approved === '1' ? 'published' : 'pending',
    },
  ]
}

const metasOf = (element: XmlElement, key: string): string[] =>
  element.children
    .filter((one) => one.name === 'wp:postmeta' && textOf(one, 'wp:meta_key') === key)
    .map((one) => textOf(one, 'wp:meta_value'))
const metaOf = (element: XmlElement, key: string): string => metasOf(element, key)[0] ?? ''

function decoded(slug: string): string {
  try {
    return decodeURIComponent(slug)
  } catch {
    return slug
  }
}
