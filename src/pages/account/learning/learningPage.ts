import { accountCoursePath, accountPaths, continuePath } from '../../../base/accountPaths.ts'
import { byteText } from '../../../base/text/readerFormats.ts'
import { sitePath } from '../../../engine/sitePaths.ts'
import type { Enrollment, Product, ResponseTo } from '../../../school/apiRows.ts'
import { certificatePath } from '../../../school/learning/enrollments.ts'
import { contentPart, type Texts } from '../../texts.ts'
import type { AccountItem, AccountSection } from '../accountPage.ts'
import { hasSite, type OwnPage, type OwnPageContext } from '../ownPage.ts'

type OwnEnrollment = ResponseTo<'listStudentEnrollments', { expand: 'course' }>

interface Shown {
  enrollments: readonly OwnEnrollment[]
  products: readonly Product[]
}

/** The first page of the account: the courses and the downloads of the person. */
export const learningPage: OwnPage<Shown> = {
  path: accountPaths.home,
  notices: {},
  async read(request) {
    const [enrollments, products] = await Promise.all([
      request.list('courses', 'listStudentEnrollments', { id_or_me: 'me', expand: 'course' }),
      request.list('downloads', 'listDigitalProducts', { owned: 'true' }),
    ])
    return { enrollments, products }
  },
  build(context, { enrollments, products }) {
    const { texts, schoolName } = context
    const [current, others] = [enrollments.filter(isCurrent), enrollments.filter((one) => !isCurrent(one))]
    return {
      title: 'learning.title',
      heading: texts.text('learning.heading'),
      introduction: texts.parts('learning.introduction', { school: schoolName }),
      sections: [
        {
          id: 'courses',
          heading: texts.text('learning.courses'),
          paragraphs: current.length > 0 ? [] : [texts.parts('learning.no_courses', {})],
          items: current.map((enrollment) => itemOf(enrollment, texts)),
          links: hasSite(context) ? [{ href: sitePath('courses'), label: texts.text('learning.find_courses') }] : [],
        },
        ...(others.length > 0
          ? [
              {
                id: 'completed',
                heading: texts.text('learning.former'),
                items: others.map((enrollment) => itemOf(enrollment, texts)),
              },
            ]
          : []),
        ...(products.length > 0 ? [productsSection(context, products)] : []),
      ],
    }
  },
  forms: {
    download: {
      operation: 'downloadProductFile',
      done: ({ body }) => body.url,
      problems: { download_limit_reached: 'learning.download_limit' },
    },
  },
}

const isCurrent = ({ status }: Pick<Enrollment, 'status'>): boolean => status === 'active'

/** Shows an enrolment in a list, with the link to the lesson with which the person continues. */
function itemOf({ id, course, ...enrollment }: OwnEnrollment, texts: Texts): AccountItem {
  const path = course ? accountCoursePath(course.slug) : undefined
  const isOpen = enrollment.status === 'active' || enrollment.status === 'completed'
  return {
    id,
    title: [contentPart(course?.title ?? texts.text('learning.course_gone'))],
    textLanguage: course?.language,
    href: path,
    progress: progressOf(enrollment, texts),
    lines: [...(isCurrent(enrollment) ? [] : [texts.parts(`learning.status_${enrollment.status}`, {})])],
    ...(isOpen &&
      course && {
        link: {
          href: enrollment.status === 'active' ? continuePath(course.slug) : String(path),
          label: texts.text(enrollment.status === 'active' ? 'learning.continue' : 'learning.open'),
        },
      }),
    links: enrollment.certificate
      ? [{ href: certificatePath(enrollment.certificate.number), label: texts.text('learning.certificate') }]
      : [],
  }
}

/** Returns the progress in a course, as a bar and as text. */
export const progressOf = (
  {
    status,
    progress_percent: value,
    completed_lessons_count: done,
    lessons_count: count,
  }: Pick<Enrollment, 'status' | 'progress_percent' | 'completed_lessons_count' | 'lessons_count'>,
  texts: Texts,
): AccountItem['progress'] => ({
  value,
  label:
    status === 'completed' && done < count
      ? texts.counted('learning.added', count - done)
      : texts.counted('learning.progress', count, { percent: value, done }),
})

/** Shows the digital products of the person, with a form for each file: a download is counted. */
const productsSection = ({ texts, form }: OwnPageContext, products: readonly Product[]): AccountSection => ({
  id: 'downloads',
  heading: texts.text('learning.downloads'),
  items: products.flatMap((product) =>
    product.files.map((file) => ({
      id: file.id,
      title: [contentPart(product.title)],
      lines: [[contentPart(file.title)], [contentPart(byteText(file.byte_size, texts.language))]],
      form: form('download', { hidden: { id: product.id, file: file.id }, submit: texts.text('learning.download'), describedBy: file.id }),
    })),
  ),
})
