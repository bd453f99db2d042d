import { accountCoursePath, accountLessonPath, accountPaths, continuePath } from '../../../base/accountPaths.ts'
import { durationText } from '../../../base/text/readerFormats.ts'
import { sitePath } from '../../../engine/sitePaths.ts'
import type { Enrollment } from '../../../school/apiRows.ts'
import { certificatePath } from '../../../school/learning/enrollments.ts'
import { plainText } from '../../plainText.ts'
import { contentPart } from '../../texts.ts'
import type { AccountItem, AccountSection } from '../accountPage.ts'
import type { OwnPage, OwnPageContext } from '../ownPage.ts'
import { nextLesson, type OutlineLesson, type OwnCourse, readCourse } from './courseParts.ts'
import { progressOf } from './learningPage.ts'

/** The page of a course: the progress of the person, the certificate, and the lessons. */
export const coursePage: OwnPage<OwnCourse> = {
  path: `${accountPaths.courses}/:course`,
  notices: {
    open: 'course.lessons_open',
    enrolled: 'course.done_enrolled',
    completed: 'course.done_completed',
    certificate: 'course.done_certificate',
  },
  read: (request) => readCourse(request),
  build: (context, own) => ({
    title: { text: plainText(own.course.title, 160) },
    heading: plainText(own.course.title, 160),
    textLanguage: own.course.language,
    back: { href: accountPaths.home, label: context.texts.text('learning.title') },
    sections: [stateSection(context, own), ...outlineSections(context, own)],
  }),
  forms: {
    certificate: { operation: 'issueCertificate', done: 'certificate' },
  },
}

/** Shows the enrolment of the person, or how to get one. */
function stateSection({ texts, form }: OwnPageContext, own: OwnCourse): AccountSection {
  const { course, enrollment } = own
  const section = { id: 'state', heading: texts.text('course.progress'), paragraphs: [] }
  if (!enrollment) {
    const isFree = course.access === 'free' && course.enrollment_open
    return {
      ...section,
      heading: texts.text('course.enrollment'),
      paragraphs: [texts.parts(isFree ? 'course.free' : 'course.not_enrolled', {})],
      forms: isFree
        ? [
            {
              action: accountPaths.enrol,
              hidden: [{ name: 'course', value: course.id }],
              submit: texts.text('course.enroll'),
              kind: 'main',
            },
          ]
        : [],
      links: isFree ? [] : [{ href: sitePath('courses', course.slug), label: texts.text('course.about') }],
    }
  }
  const next = nextLesson(own)
  const { certificate, status } = enrollment
  return {
    ...section,
    items: [
      {
        id: 'progress',
        title: texts.parts(`learning.status_${status}`, {}),
        progress: progressOf(enrollment, texts),
        lines: enrollment.expires_at === null ? [] : [texts.parts('course.expires', { date: texts.date(new Date(enrollment.expires_at)) })],
        link: next && { href: continuePath(course.slug), label: texts.text('learning.continue') },
      },
    ],
    forms: isCertificateDue(own.course, enrollment)
      ? [form('certificate', { hidden: { id: enrollment.id }, submit: texts.text('course.get_certificate'), kind: 'main' })]
      : [],
    links: certificate ? [{ href: certificatePath(certificate.number), label: texts.text('learning.certificate') }] : [],
  }
}

/** True if the person has completed the course, or has completed it again, without a certificate for it. */
const isCertificateDue = ({ certificate_enabled }: OwnCourse['course'], { status, completed_at, certificate }: Enrollment): boolean =>
  certificate_enabled && status === 'completed' && (certificate === null || (completed_at !== null && certificate.issued_at < completed_at))

const outlineSections = (context: OwnPageContext, { course, sections, completed }: OwnCourse): AccountSection[] =>
  sections.map((section, at) => ({
    id: `section-${at + 1}`,
    heading: plainText(section.title, 160),
    isSchoolText: true,
    paragraphs: section.summary ? [[contentPart(plainText(section.summary, 500))]] : [],
    items: section.lessons.map((lesson) => lessonItem(context, lesson, { slug: course.slug, isCompleted: completed.has(lesson.id) })),
  }))

const lessonItem = (
  { texts }: OwnPageContext,
  lesson: OutlineLesson,
  { slug, isCompleted }: { slug: string; isCompleted: boolean },
): AccountItem => ({
  id: lesson.id,
  title: [contentPart(plainText(lesson.title, 160))],
  href: accountLessonPath(slug, lesson.id),
  ...((isCompleted || lesson.locked) && { mark: texts.text(isCompleted ? 'lesson.completed' : 'lesson.locked') }),
  lines: [
    [
      texts.text(`lesson.kind_${lesson.kind}`),
      durationText(Math.ceil((lesson.duration_seconds ?? 0) / 60), texts.language),
      lesson.is_preview ? texts.text('site.preview') : '',
    ]
      .filter(Boolean)
      .map((text, at) => ({ text: at === 0 ? text : ` · ${text}`, isolated: false })),
  ],
})

/** Returns where a person continues: a lesson, or the course if none is open. */
export function continueAt(own: OwnCourse): string {
  const lesson = own.enrollment && nextLesson(own)
  return lesson ? accountLessonPath(own.course.slug, lesson.id) : accountCoursePath(own.course.slug)
}
