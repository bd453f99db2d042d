import { isWebUrl } from '../../base/net/webUrl.ts'
import { shortened, textOfHtml } from '../../base/text/sanitisedHtml.ts'
import { sitePath } from '../../engine/sitePaths.ts'
import { courseItem } from './coursePage.ts'
import { lecturerItem } from './lecturerItem.ts'
import { schoolNode, sitePicture, siteType } from './siteType.ts'

export const lecturerPages = siteType({
  list: (source, parameters) => source.list('listLecturers', { ...parameters, fields: 'display_name,slug,headline,avatar' }),
  published: { status: 'active' },
  one: (source, idOrSlug) => source.get('getLecturer', { id_or_slug: idOrSlug, expand: 'courses' }),
  item: lecturerItem,
  page(lecturer, context) {
    const { issuer, texts, schoolName } = context
    const { slug, display_name: name, headline, bio_html: bio, expertise } = lecturer
    const links = lecturer.links
      .filter(({ url }) => isWebUrl(url))
      .map(({ url: href, label }) => ({ href, label, rel: 'noopener noreferrer nofollow' }))
    const picture = lecturer.avatar ?? lecturer.cover_image
    const url = issuer + sitePath('lecturers', slug)
    return {
      slug,
      title: name,
      description:
        shortened(headline || textOfHtml(bio ?? '', 160), 160) || texts.text('site.lecturer_description', { name, school: schoolName }),
      isIndexed: true,
      heading: name,
      lead: headline ?? undefined,
      picture: sitePicture(picture, issuer),
      shareImage: picture ?? undefined,
      facts: expertise.length > 0 ? [{ label: texts.text('site.expertise'), value: expertise.join(', ') }] : [],
      sections: [
        { heading: texts.text('site.about_person'), html: bio ?? undefined },
        { heading: texts.text('site.courses'), items: lecturer.courses.data.map((course) => courseItem(course, context)) },
        { heading: texts.text('site.links'), links },
      ],
      data: [
        {
          '@type': 'Person',
          '@id': url,
          url,
          name,
          ...(headline && { jobTitle: headline }),
          ...(picture && { image: picture.url }),
          ...(expertise.length > 0 && { knowsAbout: expertise }),
          ...(links.length > 0 && { sameAs: links.map(({ href }) => href) }),
          worksFor: schoolNode(context),
        },
      ],
    }
  },
})
