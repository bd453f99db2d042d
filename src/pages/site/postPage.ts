import type { SiteAction } from '../../base/sitePage.ts'
import { shortened, textOfHtml } from '../../base/text/sanitisedHtml.ts'
import { sitePath } from '../../engine/sitePaths.ts'
import { personNode, type SiteContext, schoolNode, signInLink, siteLink, sitePicture, siteType } from './siteType.ts'

export const postPages = siteType({
  list: (source, parameters) =>
    source.list('listPosts', { ...parameters, fields: 'title,slug,excerpt,published_at,cover_image,content_access' }),
  published: { status: 'published' },
  choices: { sort: { label: 'site.sort', options: { '': 'site.sort_newest', title: 'site.sort_title' } } },
  one: (source, idOrSlug) => source.get('getPost', { id_or_slug: idOrSlug, expand: 'author' }),
  item({ slug, title: label, excerpt, published_at: time, cover_image: cover, content_access: access }, { texts, issuer }) {
    return {
      link: siteLink('posts', { slug, label }),
      line: excerpt ?? undefined,
      details: time === null ? [] : [texts.date(new Date(time))],
      lock: access === 'full' ? undefined : texts.text('site.locked'),
      picture: sitePicture(cover, issuer),
    }
  },
  page(post, context) {
    const { issuer, texts, schoolName } = context
    const { slug, title, seo, author, published_at: time } = post
    const isLocked = post.content_access !== 'full'
    const url = issuer + sitePath('posts', slug)
    const description =
      seo?.description ||
      shortened(post.excerpt ?? '', 200) ||
      textOfHtml(post.content_html ?? '', 160) ||
      texts.text('site.post_description', { title, school: schoolName })
    return {
      slug,
      title: seo?.title || title,
      description,
      isIndexed: !seo?.noindex,
      heading: title,
      lead: isLocked ? (post.excerpt ?? undefined) : undefined,
      picture: sitePicture(post.cover_image, issuer),
      shareImage: post.cover_image ?? undefined,
      publishedAt: time ?? undefined,
      notices: isLocked ? [texts.text(post.visibility === 'members' ? 'site.for_members' : 'site.for_plans')] : [],
      actions: isLocked ? waysToRead(sitePath('posts', slug), context) : [],
      facts: [
        {
          label: texts.text('site.author'),
          value: author?.display_name ?? schoolName,
          ...(author && { links: [siteLink('lecturers', { slug: author.slug, label: author.display_name })] }),
        },
        ...(time === null ? [] : [{ label: texts.text('site.published'), value: texts.date(new Date(time)), time }]),
        ...(isLocked
          ? []
          : [{ label: texts.text('site.reading_time'), value: texts.counted('site.minutes', Math.max(1, post.reading_minutes)) }]),
        ...(post.tags.length > 0 ? [{ label: texts.text('site.tags'), value: post.tags.join(', ') }] : []),
      ],
      sections: [{ heading: undefined, html: isLocked ? undefined : (post.content_html ?? undefined) }],
      data: [
        {
          '@type': 'BlogPosting',
          '@id': url,
          url,
          mainEntityOfPage: url,
          headline: shortened(title, 110),
          description,
          ...(time !== null && { datePublished: time }),
          dateModified: post.updated_at,
          author: author ? personNode(issuer, author) : schoolNode(context),
          publisher: schoolNode(context),
          isAccessibleForFree: !isLocked,
          ...(post.cover_image && { image: post.cover_image.url }),
          ...(post.tags.length > 0 && { keywords: post.tags.join(', ') }),
        },
      ],
    }
  },
})

/** Returns the ways to a text that the reader cannot see. */
function waysToRead(page: string, { texts, viewer, hasPlans }: SiteContext): SiteAction[] {
  const signIn = viewer ? [] : [signInLink(texts, 'site.sign_in_to_read', page)]
  return hasPlans
    ? [...signIn, { href: sitePath('plans'), label: texts.text('site.see_plans'), ...(!viewer && { isSecondary: true }) }]
    : signIn
}
