import { accountLessonPath } from '../../base/accountPaths.ts'
import type { SiteFact, SiteItem, SiteSection } from '../../base/sitePage.ts'
import { localeOfTag } from '../../base/text/languages.ts'
import { durationText } from '../../base/text/readerFormats.ts'
import { textOfHtml } from '../../base/text/sanitisedHtml.ts'
import { lessonPath } from '../../engine/sitePaths.ts'
import type { Course } from '../../school/apiRows.ts'
import { courseOffer, readCourse, type SiteCourse } from './courseOffer.ts'
import { lecturerItem } from './lecturerItem.ts'
import { personNode, priceNode, type SiteContext, schoolNode, siteLink, sitePicture, siteType } from './siteType.ts'
import { languageName, money, priceOf, planPrices as pricesOf } from './valueTexts.ts'

type CourseItem = Pick<Course, 'title' | 'slug' | 'subtitle' | 'language' | 'level' | 'access' | 'price' | 'cover_image'>

export const coursePages = siteType({
  list: (source, parameters) =>
    source.list('listCourses', { ...parameters, fields: 'title,slug,subtitle,language,level,access,price,cover_image' }),
  published: { status: 'published', visibility: 'public,members' },
  choices: {
    level: {
      label: 'site.level',
      options: {
        '': 'site.level_all',
        beginner: 'site.level_beginner',
        intermediate: 'site.level_intermediate',
        advanced: 'site.level_advanced',
      },
    },
    access: { label: 'site.access', options: { '': 'site.any', free: 'site.free', paid: 'site.paid', plan_only: 'site.plan_only' } },
    sort: { label: 'site.sort', options: { '': 'site.sort_school', '-published_at': 'site.sort_newest', title: 'site.sort_title' } },
  },
  one: readCourse,
  item: courseItem,
  page(course, context) {
    const { issuer, texts } = context
    const { title, seo, subtitle, lecturers, access } = course
    const description =
      seo?.description ||
      subtitle ||
      textOfHtml(course.description_html ?? '', 160) ||
      texts.text('site.course_description', { title, school: context.schoolName })
    const offer = courseOffer(course, context, new Date())
    return {
      slug: course.slug,
      title: seo?.title || title,
      description,
      isIndexed: course.visibility === 'public' && !seo?.noindex,
      heading: title,
      lead: subtitle ?? undefined,
      textLanguage: course.language,
      picture: sitePicture(course.cover_image, issuer),
      shareImage: course.cover_image ?? undefined,
      ...offer,
      prices: [
        fact(texts.text('site.price'), accessText(course, context)),
        ...(course.compare_at_price && access === 'paid'
          ? [fact(texts.text('site.former_price'), money(course.compare_at_price, texts))]
          : []),
      ],
      facts: factsOf(course, context),
      sections: [
        { heading: texts.text('site.about_course'), html: course.description_html ?? undefined },
        { heading: texts.text('site.contents'), outline: outlineOf(course, context) },
        { heading: texts.text('site.lecturers'), items: lecturers.data.map((one) => lecturerItem(one, context)) },
      ],
      data: [courseNode(course, description, context)],
    }
  },
})

function factsOf(course: SiteCourse, context: SiteContext): SiteFact[] {
  const { texts } = context
  const plans = course.included_in_plans.data.map((plan) => ({ ...plan, label: [plan.name, ...pricesOf(plan, context)].join(', ') }))
  const isForeign = localeOfTag(course.language).language !== localeOfTag(context.schoolLocale).language
  return [
    ...(course.level === 'all' ? [] : [fact(texts.text('site.level'), texts.text(`site.level_${course.level}`))]),
    ...(isForeign ? [fact(texts.text('site.language'), languageName(course.language, texts.language))] : []),
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
            plans.map(({ label }) => label).join('; '),
            plans.map(({ slug, label }) => siteLink('plans', { slug, label })),
          ),
        ]
      : []),
    ...(course.tags.length > 0 ? [fact(texts.text('site.tags'), course.tags.join(', '))] : []),
  ]
}

/** Returns the sections with their lessons. Lessons that the reader can open are links. */
function outlineOf({ curriculum, my_enrollment: mine, slug }: SiteCourse, { texts }: SiteContext): SiteSection['outline'] {
  const isOpen = mine?.status === 'active' || mine?.status === 'completed'
  return (curriculum?.sections ?? []).map(({ title, summary, lessons }) => ({
    title,
    summary,
    entries: lessons
      .filter(({ status }) => status === 'published')
      .map((lesson) => ({
        title: lesson.title,
        href: isOpen ? accountLessonPath(slug, lesson.id) : lesson.is_preview ? lessonPath(slug, lesson.id) : undefined,
        note: [
          lesson.is_preview && !isOpen ? texts.text('site.preview') : '',
          durationText(Math.ceil((lesson.duration_seconds ?? 0) / 60), texts.language),
        ]
          .filter(Boolean)
          .join(', '),
      })),
  }))
}

const fact = (label: string, value: string, links?: SiteFact['links']): SiteFact => ({ label, value, ...(links && { links }) })

export function courseItem(course: CourseItem, context: SiteContext): SiteItem {
  const { texts, issuer } = context
  return {
    link: siteLink('courses', { slug: course.slug, label: course.title }),
    line: course.subtitle ?? undefined,
    textLanguage: course.language,
    details: [...(course.level === 'all' ? [] : [texts.text(`site.level_${course.level}`)]), accessText(course, context)],
    picture: sitePicture(course.cover_image, issuer),
  }
}

function accessText({ access, price }: Pick<Course, 'access' | 'price'>, context: SiteContext): string {
  if (access === 'paid' && price) return priceOf(price, context)
  return context.texts.text(`site.${access}`)
}

function courseNode(course: SiteCourse, description: string, context: SiteContext) {
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
      ...(course.lecturers.data.length > 0 && { instructor: course.lecturers.data.map((one) => personNode(issuer, one)) }),
    },
  }
}
