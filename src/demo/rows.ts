import { type Block, type Picture, storedBlocks } from '../domain/pages/pageBlock.ts'
import { draftColumns } from '../domain/pages/pageContent.ts'
import { htmlOf } from '../domain/richText.ts'
import type { Navigation, NavigationItem, NavigationTarget } from '../domain/school/navigation.ts'
import { themeDefaults } from '../domain/school/themes.ts'
import { elementAt } from '../lib/elementAt.ts'
import { courses } from './courses.ts'
import { curriculumRows } from './curriculumRows.ts'
import { demoFiles } from './files/demoFiles.ts'
import { fileUses } from './files/fileUses.ts'
import type { Activity } from './generate/activity.ts'
import { archivedAt, publishedAt } from './generate/published.ts'
import { demoId } from './ids.ts'
import { pages } from './pages.ts'
import { lecturers, people, schoolRow, teamCount } from './school.ts'
import { enrolledBy, taughtBy } from './tables/learning.ts'

export function demoRows(schoolId: string, now: Date, { hasFiles }: { hasFiles: boolean }) {
  const id = (kind: string, index: number): string => demoId(schoolId, kind, index)
  const daysAgo = (days: number): Date => new Date(now.getTime() - days * 86_400_000)
  // Later rows of a list are newer, as their ids are.
  const common = (kind: string, index: number) => ({
    school_id: schoolId,
    id: id(kind, index),
    created_at: daysAgo(400 - index),
    updated_at: daysAgo(400 - index),
  })
  const lecturerId = (slug: string): string =>
    id(
      'lecturer',
      lecturers.findIndex((lecturer) => lecturer.slug === slug),
    )
  const files = fileUses(schoolId, hasFiles ? demoFiles() : [])
  const curriculum = curriculumRows(schoolId, common, (index) => files.idsIn('lesson', index))

  const pageId = (slug: string): string =>
    id(
      'page',
      pages.findIndex((page) => page.slug === slug),
    )

  return {
    appearance: () => {
      const { theme, mode, colors, fonts, corner_radius } = themeDefaults('studio')
      const row = {
        ...common('appearance', 0),
        id: schoolId,
        theme,
        mode,
        colors: JSON.stringify(colors),
        fonts: JSON.stringify(fonts),
        corner_radius,
        links: JSON.stringify(demoNavigation((slug) => pageId(slug))),
        home_page_id: pageId('home'),
        announcement: JSON.stringify({
          text: 'The kiln is open to everybody on the first Friday of the month.',
          url: null,
          starts_at: null,
          ends_at: null,
        }),
      }
      const pictures = {
        ...files.columns('appearance', 0, 'logo'),
        ...files.columns('appearance', 0, 'logo_dark'),
        ...files.columns('appearance', 0, 'favicon'),
        ...files.columns('appearance', 0, 'cover'),
        ...files.columns('appearance', 0, 'social_image'),
      }
      return { row, pictures }
    },
    fileReferences: files.references,
    curriculum,
    productFiles: (product: number) => files.idsIn('digital_product', product),
    pages: () =>
      Promise.all(
        pages.map(async ({ blocks, status, ...page }, index) => {
          const content = {
            title: page.title,
            blocks: await storedBlocks(numbered(withPicture(blocks, files.pictureOf(page.slug))), async (texts) =>
              texts.map(({ text, format, field }) => htmlOf(text, format, field)),
            ),
            seo: null,
            show_in_navigation: page.kind !== 'legal',
          }
          const isPublished = status === 'published'
          return {
            ...common('page', index),
            ...page,
            ...draftColumns(content),
            status,
            live: isPublished ? JSON.stringify(content) : null,
            published_at: isPublished ? daysAgo(390 - index) : null,
          }
        }),
      ),
    pageRevisions: (rows: readonly (ReturnType<typeof draftColumns> & { id: string; created_at: Date })[]) =>
      rows.map(({ id: page_id, created_at, draft_title: title, draft_blocks, draft_show_in_navigation: show_in_navigation }) => ({
        school_id: schoolId,
        page_id,
        number: 1,
        created_at,
        event: 'created',
        account_id: id('account', 0),
        content: JSON.stringify({ title, blocks: JSON.parse(draft_blocks), seo: null, show_in_navigation }),
      })),
    accounts: (hashes: ReadonlyMap<string, string>) =>
      people.map(({ email, name }, index) => ({
        ...common('account', index),
        email,
        email_verified: true,
        name,
        given_name: elementAt(name.split(' '), 0),
        family_name: name.split(' ').slice(1).join(' '),
        locale: 'en',
        time_zone: schoolRow.time_zone,
        password_hash: hashes.get(email) ?? null,
      })),
    team: () =>
      people.slice(0, teamCount).map(({ email, name }, index) => ({
        ...common('person', index),
        account_id: id('account', index),
        email,
        name,
        is_student: false,
        is_member: false,
      })),
    lecturers: ({ enrollments }: Activity) =>
      lecturers.map((lecturer, index) => ({
        ...common('lecturer', index),
        ...lecturer,
        ...files.columns('lecturer', index, 'avatar'),
        ...files.columns('lecturer', index, 'cover_image'),
        bio_html: htmlOf(lecturer.bio, 'markdown'),
        expertise: [lecturer.headline.toLowerCase()],
        featured: index === 0,
        position: index,
        students_count: taughtBy(enrollments, lecturer.slug),
      })),
    staff: () =>
      people.flatMap(({ role, lecturer }, index) =>
        role === 'learner'
          ? []
          : [
              {
                ...common('staff', index),
                person_id: id('person', index),
                role,
                lecturer_id: lecturer === undefined ? null : lecturerId(lecturer),
                accepted_at: daysAgo(400 - index),
              },
            ],
      ),
    courses: ({ enrollments }: Activity) =>
      courses.map(({ lecturers: _lecturers, tags, ...course }, index) => ({
        ...common('course', index),
        ...course,
        ...curriculum.countsOf(course.slug),
        ...files.columns('course', index, 'cover_image'),
        description_html: htmlOf(course.description, 'markdown'),
        tags: [...tags],
        language: schoolRow.locale,
        price_currency: course.price_amount === null ? null : schoolRow.currency,
        enrollment_open: course.status === 'published',
        position: index,
        enrollments_count: enrolledBy(enrollments, index),
        published_at: course.status === 'draft' ? null : new Date(publishedAt(now.getTime(), index)),
        archived_at: course.status === 'archived' ? new Date(archivedAt(now.getTime())) : null,
      })),
    courseLecturers: () =>
      courses.flatMap((course, index) =>
        course.lecturers.map((slug, position) => ({
          school_id: schoolId,
          course_id: id('course', index),
          lecturer_id: lecturerId(slug),
          position,
        })),
      ),
  }
}

const numbered = (blocks: readonly Block[]): Block[] => blocks.map((block, index) => ({ ...block, id: `part-${index + 1}` }))

/** Adds the picture of a page after its first text, or at the end. */
function withPicture(blocks: readonly Block[], picture: Picture | undefined): readonly Block[] {
  if (!picture) return blocks
  const [first, ...others] = blocks
  if (first?.type === 'hero') return [{ ...first, props: { ...first.props, image: picture } }, ...others]
  return [...blocks, { type: 'image', props: picture }]
}

function demoNavigation(pageId: (slug: string) => string): Navigation {
  const item = (label: string, target: Partial<NavigationTarget> & Pick<NavigationTarget, 'type'>, children: NavigationItem[] = []) => ({
    label,
    target: { page_id: null, url: null, ...target },
    children,
  })
  const page = (label: string, slug: string): NavigationItem => item(label, { type: 'page', page_id: pageId(slug) })
  return {
    header: [
      item('Courses', { type: 'course_list' }),
      item('Events', { type: 'event_list' }),
      item('Notes', { type: 'post_list' }),
      item('Workshop', { type: 'page', page_id: pageId('about') }, [page('Questions', 'questions'), page('Prices', 'prices')]),
    ],
    footer: [page('Terms', 'legal/terms'), page('Privacy', 'legal/privacy'), page('Imprint', 'legal/imprint')],
  }
}
