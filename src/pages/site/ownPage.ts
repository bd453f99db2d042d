import { textOfHtml } from '../../lib/sanitisedHtml.ts'
import { sitePath } from '../../resources/sitePaths.ts'
import { pageItemRow, pageRow } from '../../resources/siteRows.ts'
import { type SiteType, schoolNode, siteLink } from './siteType.ts'

/** The school's own pages. */
export const ownPages: SiteType = {
  list: { fields: 'id,title,slug,kind,show_in_navigation' },
  one: { expand: 'rendered_html' },
  item(row) {
    const { slug, title: label } = pageItemRow.parse(row)
    return { link: siteLink('pages', { slug, label }), line: undefined, details: [], picture: undefined }
  },
  page(row, context) {
    const { issuer, texts, schoolName } = context
    const { slug, title, seo, blocks, rendered_html: html, visibility, kind, updated_at: changed } = pageRow.parse(row)
    const url = issuer + sitePath('pages', slug)
    const description =
      seo?.description || textOfHtml(html ?? '', 160) || texts.text('site.page_description', { title, school: schoolName })
    return {
      slug,
      title: seo?.title || title,
      description,
      isIndexed: visibility === 'public' && !seo?.noindex,
      // A hero has the heading of its page.
      heading: blocks[0]?.type === 'hero' ? undefined : title,
      sections: [{ heading: undefined, html: html ?? undefined }],
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
}
