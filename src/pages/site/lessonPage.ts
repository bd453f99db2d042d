import type { SiteContent, SiteSection } from '../../base/sitePage.ts'
import { durationText } from '../../base/text/readerFormats.ts'
import { textOfHtml } from '../../base/text/sanitisedHtml.ts'
import { lessonPath, sitePath } from '../../engine/sitePaths.ts'
import type { Lesson } from '../../school/apiRows.ts'
import { courseOffer, type SiteCourse } from './courseOffer.ts'
import { type SiteContext, siteLink } from './siteType.ts'

type LessonPage = Pick<SiteContent, 'path' | 'title' | 'description' | 'isIndexed' | 'heading' | 'breadcrumbs' | 'data'> &
  Partial<Pick<SiteContent, 'textLanguage' | 'facts' | 'notices' | 'prices' | 'actions' | 'sections'>>

/** Builds the page of a lesson that everybody can read; undefined if this reader cannot read it. */
export function lessonPage(owner: SiteCourse, lesson: Lesson, context: SiteContext): LessonPage | undefined {
  if (lesson.course_id !== owner.id || !lesson.unlocked || lesson.status !== 'published') return undefined
  const { texts, schoolName } = context
  const { title, content_html: html, media, attachments = [] } = lesson
  const files = attachments.flatMap(({ filename, download_url: href }) => (href === null ? [] : [{ href, label: filename }]))
  return {
    path: lessonPath(owner.slug, lesson.id),
    title: `${title} · ${owner.title}`,
    description: textOfHtml(html ?? '', 160) || texts.text('site.lesson_description', { title, course: owner.title }),
    isIndexed: owner.visibility === 'public' && lesson.is_preview,
    heading: title,
    textLanguage: owner.language,
    facts: [
      { label: texts.text('site.course'), value: owner.title, links: [siteLink('courses', { slug: owner.slug, label: owner.title })] },
      ...(lesson.duration_seconds
        ? [{ label: texts.text('site.extent'), value: durationText(Math.ceil(lesson.duration_seconds / 60), texts.language) }]
        : []),
    ],
    ...courseOffer(owner, context, new Date()),
    sections: [
      mediaSection(media, context),
      { heading: undefined, html: html ?? undefined },
      { heading: texts.text('site.files'), links: files },
    ],
    breadcrumbs: [
      { href: '/', label: schoolName },
      { href: sitePath('courses'), label: texts.text('site.courses') },
      siteLink('courses', { slug: owner.slug, label: owner.title }),
    ],
    data: [],
  }
}

/** Shows the player of a video, or a link to an uploaded file. */
function mediaSection(media: Lesson['media'], { texts }: SiteContext): SiteSection {
  if (media?.embed_url) return { heading: undefined, player: { src: media.embed_url, title: texts.text('site.player') } }
  return { heading: undefined, links: media?.url ? [{ href: media.url, label: texts.text('site.open_media') }] : [] }
}
