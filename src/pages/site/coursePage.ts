import { textOfHtml } from '../../lib/sanitisedHtml.ts'
import type { SiteFact, SiteItem } from '../../policy/sitePage.ts'
import { courseItemRow, courseRow, type SiteCourseItem } from '../../resources/siteRows.ts'
import type { Texts } from '../texts.ts'
import { personNode, priceNode, type SiteContext, type SiteType, schoolNode, siteLink, sitePicture } from './siteType.ts'
import { durationText, languageName, money, priceOf } from './valueTexts.ts'

/** The pages of courses. */
export const coursePages: SiteType = {
  list: { fields: 'title,slug,subtitle,level,access,price,cover_image' },
  one: { expand: 'curriculum' },
  item: (row, context) => courseItem(courseItemRow.parse(row), context),
  page(row, context) {
    const course = courseRow.parse(row)
    const { issuer, texts } = context
    const { title, seo, subtitle, lecturers, included_in_plans: plans, access } = course
    const description =
      seo?.description ||
      subtitle ||
      textOfHtml(course.description_html ?? '', 160) ||
      texts.text('site.course_description', { title, school: context.schoolName })
    const checkout = access === 'paid' && course.enrollment_open ? context.checkoutOf({ type: 'course', id: course.id }) : undefined
    const picture = sitePicture(course.cover_image, issuer)
    return {
      slug: course.slug,
      title: seo?.title || title,
      description,
      isIndexed: course.visibility === 'public' && !seo?.noindex,
      heading: title,
      lead: subtitle ?? undefined,
      picture,
      shareImage: course.cover_image?.url,
      notices: course.enrollment_open ? [] : [texts.text('site.enrollment_closed')],
      facts: [
        ...(lecturers.length > 0
          ? [
              fact(
                texts.text('site.lecturers'),
                lecturers.map(({ display_name }) => display_name).join(', '),
                lecturers.map(({ slug, display_name: label }) => siteLink('lecturers', { slug, label })),
              ),
            ]
          : []),
        fact(texts.text('site.price'), accessText(course, context)),
        ...(course.compare_at_price && access === 'paid'
          ? [fact(texts.text('site.former_price'), money(course.compare_at_price, texts))]
          : []),
        fact(texts.text('site.level'), levelText(course.level, texts)),
        fact(texts.text('site.language'), languageName(course.language, texts.language)),
        ...(course.lessons_count > 0
          ? [
              fact(
                texts.text('site.extent'),
                [texts.counted('site.lessons', course.lessons_count), durationText(course.duration_minutes, texts.language)]
                  .filter(Boolean)
                  .join(', '),
              ),
            ]
          : []),
        ...(course.access_duration_days === null
          ? []
          : [fact(texts.text('site.access_duration'), texts.counted('site.days', course.access_duration_days))]),
        ...(course.certificate_enabled ? [fact(texts.text('site.certificate'), texts.text('site.certificate_included'))] : []),
        ...(plans.length > 0
          ? [
              fact(
                texts.text('site.included_in'),
                plans.map(({ name }) => name).join(', '),
                plans.map(({ slug, name: label }) => siteLink('plans', { slug, label })),
              ),
            ]
          : []),
        ...(course.tags.length > 0 ? [fact(texts.text('site.tags'), course.tags.join(', '))] : []),
      ],
      actions: checkout === undefined ? [] : [{ href: checkout, label: texts.text('site.buy_course') }],
      sections: [
        { heading: texts.text('site.about_course'), html: course.description_html ?? undefined },
        {
          heading: texts.text('site.contents'),
          outline: (course.curriculum?.sections ?? []).map((section) => ({
            title: section.title,
            summary: section.summary,
            entries: section.lessons.map((lesson) => ({
              title: lesson.title,
              note: [
                lesson.is_preview ? texts.text('site.preview') : '',
                durationText(Math.ceil((lesson.duration_seconds ?? 0) / 60), texts.language),
              ]
                .filter(Boolean)
                .join(', '),
            })),
          })),
        },
      ],
      data: [courseNode(course, description, context)],
    }
  },
}

const fact = (label: string, value: string, links?: SiteFact['links']): SiteFact => ({ label, value, ...(links && { links }) })

/** Shows a course in a list. */
export function courseItem(course: SiteCourseItem, context: SiteContext): SiteItem {
  const { texts, issuer } = context
  return {
    link: siteLink('courses', { slug: course.slug, label: course.title }),
    line: course.subtitle ?? undefined,
    details: [levelText(course.level, texts), accessText(course, context)],
    picture: sitePicture(course.cover_image, issuer),
  }
}

function accessText({ access, price }: Pick<SiteCourseItem, 'access' | 'price'>, context: SiteContext): string {
  if (access === 'paid' && price) return priceOf(price, context)
  return context.texts.text(access === 'free' ? 'site.free' : access === 'plan_only' ? 'site.plan_only' : 'site.paid')
}

function levelText(level: string, texts: Texts): string {
  if (level === 'beginner') return texts.text('site.level_beginner')
  if (level === 'intermediate') return texts.text('site.level_intermediate')
  return texts.text(level === 'advanced' ? 'site.level_advanced' : 'site.level_all')
}

function courseNode(course: ReturnType<typeof courseRow.parse>, description: string, context: SiteContext) {
  const { issuer } = context
  const { price } = course
  const url = `${issuer}${siteLink('courses', { slug: course.slug, label: '' }).href}`
  return {
    '@type': 'Course',
    '@id': url,
    url,
    name: course.title,
    description,
    inLanguage: course.language,
    provider: schoolNode(context),
    ...(course.cover_image && { image: course.cover_image.url }),
    ...(course.level !== 'all' && { educationalLevel: course.level }),
    offers: {
      '@type': 'Offer',
      category: course.access === 'paid' ? 'Paid' : course.access === 'free' ? 'Free' : 'Subscription',
      url,
      ...(course.access === 'paid' && price && priceNode(price, context)),
    },
    hasCourseInstance: {
      '@type': 'CourseInstance',
      courseMode: 'Online',
      ...(course.duration_minutes > 0 && { courseWorkload: `PT${course.duration_minutes}M` }),
      ...(course.lecturers.length > 0 && { instructor: course.lecturers.map((one) => personNode(issuer, one)) }),
    },
  }
}
