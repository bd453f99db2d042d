import { textOfHtml } from '../../base/text/sanitisedHtml.ts'
import { type SiteKind, sitePath } from '../../engine/sitePaths.ts'
import { coursePages } from './coursePage.ts'
import { eventPages } from './eventPage.ts'
import { lecturerPages } from './lecturerPage.ts'
import { planPages } from './planPage.ts'
import { postPages } from './postPage.ts'
import { type SiteType, schoolNode, siteLink, siteType } from './siteType.ts'

const ownPages = siteType({
  list: (source, parameters) => source.list('listPages', { ...parameters, fields: 'title,slug' }),
  published: { status: 'published', visibility: 'public' },
  one: (source, idOrSlug) => source.get('getPage', { id_or_slug: idOrSlug, expand: 'rendered_html' }),
  item({ slug, title: label }) {
    return { link: siteLink('pages', { slug, label }), line: undefined, details: [], picture: undefined }
  },
  page(row, context) {
    const { issuer, texts, schoolName } = context
    const { slug, title, seo, blocks, rendered_html: html, visibility, kind, updated_at: changed } = row
    const url = issuer + sitePath('pages', slug)
    const description = seo?.description || textOfHtml(html, 160) || texts.text('site.page_description', { title, school: schoolName })
    return {
      slug,
      title: seo?.title || title,
      description,
      isIndexed: visibility === 'public' && !seo?.noindex,
      // A hero has the heading of its page.
      heading: blocks[0]?.type === 'hero' ? undefined : title,
      sections: [{ heading: undefined, html }],
      data: [
        {
          '@type': kind === 'about' ? 'AboutPage' : 'WebPage',
          '@id': url,
          url,
          name: title,
          description,
          dateModified: changed,
          publisher: schoolNode(context),
        },
      ],
    }
  },
})

export const siteTypes: Readonly<Record<SiteKind, SiteType>> = {
  courses: coursePages,
  events: eventPages,
  lecturers: lecturerPages,
  posts: postPages,
  plans: planPages,
  pages: ownPages,
}
