import { Problem } from '../../base/problem.ts'
import { xmlText } from '../../base/text/xmlText.ts'
import type { Operation } from '../../engine/declare/operations.ts'
import { feedPath, sitePath } from '../../engine/sitePaths.ts'
import type { ResponseTo, SchoolRow } from '../../school/apiRows.ts'
import { schoolAbout } from '../schoolAbout.ts'
import type { SchoolFacts } from '../schoolFacts.ts'

const maxPosts = 50
const fields = 'id,title,slug,excerpt,published_at,updated_at,tags,author'

type FeedPost = ResponseTo<'listPosts', { fields: typeof fields }>

/**
 * Renders the newest posts as an Atom feed (RFC 4287), with their excerpts. A post that visitors cannot read has an excerpt only if somebody
 * wrote one. Undefined if another site shows the posts, or the school has no blog.
 */
export async function postsFeed(facts: SchoolFacts): Promise<{ text: string; changedAt: Date | undefined } | undefined> {
  const list = facts.operations.find(isPostList)
  if (!facts.hasPages || !list) return undefined
  try {
    const [about, { rows }] = await Promise.all([schoolAbout(facts), facts.view.list<FeedPost>(list, { fields }, maxPosts)])
    return feedOf(facts.issuer, about, rows)
  } catch (error) {
    if (error instanceof Problem && (error.status === 404 || error.status === 403)) return undefined
    throw error
  }
}

const isPostList = ({ kind, path, resource }: Operation): boolean => kind === 'list' && resource.name === 'posts' && !path.includes('{')

function feedOf(issuer: string, { name, tagline, locale }: SchoolRow, posts: readonly FeedPost[]) {
  const element = (tag: string, text: string): string => `<${tag}>${xmlText(text)}</${tag}>`
  const timeOf = ({ updated_at: changed, published_at: published }: FeedPost): string =>
    published !== null && published > changed ? published : changed
  const newest = posts.map(timeOf).toSorted().at(-1)
  const entries = posts.map((post) =>
    [
      '<entry>',
      element('id', `${issuer}/posts/${post.id}`),
      element('title', post.title),
      `<link rel="alternate" type="text/html" href="${xmlText(issuer + sitePath('posts', post.slug))}"/>`,
      ...(post.published_at === null ? [] : [element('published', post.published_at)]),
      element('updated', timeOf(post)),
      `<author>${element('name', post.author.display_name)}</author>`,
      ...(post.excerpt ? [element('summary', post.excerpt)] : []),
      ...post.tags.map((tag) => `<category term="${xmlText(tag)}"/>`),
      '</entry>',
    ].join('\n'),
  )
  const text = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${xmlText(locale)}">`,
    element('id', issuer + feedPath),
    element('title', name),
    ...(tagline ? [element('subtitle', tagline)] : []),
    `<link rel="self" type="application/atom+xml" href="${xmlText(issuer + feedPath)}"/>`,
    `<link rel="alternate" type="text/html" href="${xmlText(issuer + sitePath('posts'))}"/>`,
    // A feed without posts has never changed.
    element('updated', newest ?? new Date(0).toISOString()),
    `<author>${element('name', name)}</author>`,
    ...entries,
    '</feed>',
    '',
  ].join('\n')
  return { text, changedAt: newest === undefined ? undefined : new Date(newest) }
}
