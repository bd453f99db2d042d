import { z } from 'zod'
import { archiveCourse, publishCourse, removeCourseParts, unpublishCourse } from '../domain/courseStates.ts'
import { costsAtMost, hasLecturer, hasTag, isInCatalogue, isOpenToMembers, isTaughtBy, isUnlisted, lecturersOf } from '../domain/courses.ts'
import { assignLecturers, checkCourse, checkLecturers, courseDefaults, reassignLecturers } from '../domain/courseWriting.ts'
import { type Copying, duplicateCourse } from '../domain/duplicateCourse.ts'
import { setPositions } from '../domain/positions.ts'
import { htmlOrNull, type TextFormat } from '../domain/richText.ts'
import { requireNoFaults } from '../kit/body.ts'
import { everything } from '../kit/expressions.ts'
import { externalId, metadata, money, moneyColumns, moneyOf, reference, slug, timestamp } from '../kit/fields.ts'
import { image, imageField } from '../kit/image.ts'
import { defineResource, type Resource } from '../kit/resource.ts'
import { freeSlug, reservedSlugs } from '../kit/slugs.ts'
import type { View } from '../kit/views.ts'
import { Problem } from '../lib/problem.ts'
import { curriculum } from './curriculum.ts'
import { lecturers } from './lecturers.ts'

type CountColumn =
  | 'lessons_count'
  | 'published_lessons_count'
  | 'previews_count'
  | 'published_previews_count'
  | 'duration_minutes'
  | 'published_duration_minutes'

const lecturer_ids = z
  .array(reference('lec', 'Id of a lecturer.'))
  .max(10)
  .meta({ description: 'Who teaches it, the main lecturer first.', example: [] })

/** The catalogue. */
export const courses = defineResource({
  name: 'courses',
  object: 'course',
  idPrefix: 'crs',
  table: 'course',
  feature: 'courses',
  about: 'A course of the school: what it teaches, who teaches it, and what it costs.',
  scopes: {
    read: 'See the courses of the school',
    write: { sentence: 'Add and change courses, and publish or archive them', from: 'lecturer' },
  },
  schema: z.object({
    title: z.string().min(1).max(160).meta({ description: 'Name of the course.', example: 'Clay From Scratch' }),
    slug: slug().meta({ description: 'Readable key, unique in the school.', example: 'clay-from-scratch' }),
    subtitle: z.string().max(200).nullable().meta({ description: 'One line below the title.', example: 'Your first ten pots' }),
    description: z
      .string()
      .max(20_000)
      .nullable()
      .meta({ description: 'What the course is about.', example: 'Wedging, centring, throwing.' }),
    description_format: z
      .enum(['markdown', 'html'])
      .default('markdown')
      .meta({ description: 'How the description is written.', example: 'markdown' }),
    description_html: z
      .string()
      .nullable()
      .meta({ description: 'The description as HTML that is safe to show.', example: '<p>Wedging, centring, throwing.</p>' }),
    status: z.enum(['draft', 'published', 'archived']).meta({ description: 'Visitors see published courses only.', example: 'published' }),
    visibility: z
      .enum(['public', 'unlisted', 'members'])
      .meta({ description: 'Who finds a published course; an unlisted one needs its address.', example: 'public' }),
    level: z.enum(['all', 'beginner', 'intermediate', 'advanced']).meta({ description: 'Whom it suits.', example: 'beginner' }),
    language: z.string().max(35).meta({ description: 'Language of the course (BCP 47).', example: 'en' }),
    category: z.string().max(60).nullable().meta({ description: 'Slug of its shelf in the catalogue.', example: 'ceramics' }),
    tags: z
      .array(z.string().max(40))
      .max(20)
      .meta({ description: 'Words to find it by.', example: ['clay', 'wheel'] }),
    cover_image: image('Picture of the course.').nullable().meta({ description: 'Picture of the course.', example: null }),
    access: z.enum(['free', 'paid', 'plan_only']).meta({ description: 'How one gets in.', example: 'paid' }),
    price: money('What it costs; only of paid courses.')
      .nullable()
      .meta({ description: 'What it costs; null unless access is paid.', example: { amount: 8900, currency: 'EUR' } }),
    lecturers: z
      .array(
        z.object({
          id: reference('lec', 'Id of the lecturer.'),
          display_name: z.string().meta({ description: 'Name of the lecturer.', example: 'Marlo Quillfeather' }),
          slug: slug().meta({ description: 'Readable key of the lecturer.', example: 'marlo-quillfeather' }),
        }),
      )
      .meta({ description: 'Who teaches it, the main lecturer first.', example: [] }),
    compare_at_price: money('A former price.').nullable().meta({ description: 'A former price, above the present one.', example: null }),
    trailer_url: z
      .url({ protocol: /^https$/ })
      .max(2000)
      .nullable()
      .meta({ description: 'Film about the course.', example: null }),
    enrollment_open: z.boolean().meta({ description: 'Whether one can enrol now.', example: true }),
    enrollment_starts_at: timestamp().nullable().meta({ description: 'From when on one can enrol.', example: null }),
    enrollment_ends_at: timestamp().nullable().meta({ description: 'Until when one can enrol.', example: null }),
    capacity: z
      .int()
      .min(1)
      .max(1_000_000)
      .nullable()
      .meta({ description: 'Number of places; null where there is no limit.', example: 24 }),
    access_duration_days: z
      .int()
      .min(1)
      .max(3650)
      .nullable()
      .meta({ description: 'How long one who enrols can open it; null for ever.', example: null }),
    completion_threshold_percent: z
      .int()
      .min(1)
      .max(100)
      .meta({ description: 'How much of it must be done to complete it.', example: 100 }),
    certificate_enabled: z.boolean().meta({ description: 'Whether one gets a certificate.', example: false }),
    certificate_template: z.enum(['classic', 'modern', 'minimal']).meta({ description: 'Looks of the certificate.', example: 'classic' }),
    seo: z
      .object({
        title: z.string().max(70).nullable().default(null).meta({ description: 'Title for search engines.', example: 'Clay course' }),
        description: z.string().max(200).nullable().default(null).meta({ description: 'Text for search engines.', example: null }),
        noindex: z.boolean().default(false).meta({ description: 'Whether search engines are asked to stay away.', example: false }),
      })
      .meta({ description: 'What search engines are told.', example: { title: 'Clay course', description: null, noindex: false } }),
    included_in_plans: z
      .array(
        z.object({
          id: reference('mpl', 'Id of the plan.'),
          name: z.string().meta({ description: 'Name of the plan.', example: 'Workbench' }),
          slug: slug().meta({ description: 'Readable key of the plan.', example: 'workbench' }),
        }),
      )
      .meta({ description: 'Membership plans that open it.', example: [] }),
    sections_count: z.int().meta({ description: 'Number of sections.', example: 5 }),
    lessons_count: z.int().meta({ description: 'Number of lessons; drafts count for those who see them.', example: 18 }),
    preview_lessons_count: z.int().meta({ description: 'How many of them everybody may read.', example: 2 }),
    duration_minutes: z.int().meta({ description: 'Length of all lessons together, rounded up.', example: 340 }),
    position: z.int().meta({ description: 'Place in the catalogue.', example: 3, view: 'staff' }),
    published_at: timestamp().nullable().meta({ description: 'When it was first published.', example: '2026-03-01T09:30:00.000Z' }),
    archived_at: timestamp().nullable().meta({ description: 'When it was taken out of the catalogue.', example: null }),
    external_id: externalId(),
    metadata: metadata(),
  }),
  derived: {
    price: {
      from: ['price_amount', 'price_currency'],
      of: ({ price_amount, price_currency }) => moneyOf(price_amount, price_currency),
      write: (price) => moneyColumns('price', price),
    },
    compare_at_price: {
      from: ['compare_at_amount', 'compare_at_currency'],
      of: ({ compare_at_amount, compare_at_currency }) => moneyOf(compare_at_amount, compare_at_currency),
      write: (price) => moneyColumns('compare_at', price),
    },
    cover_image: imageField('course', 'cover_image'),
    lecturers: { select: lecturersOf },
    // Membership plans join here.
    included_in_plans: { from: [], of: () => [] },
    lessons_count: seenCount('lessons_count', 'published_lessons_count'),
    preview_lessons_count: seenCount('previews_count', 'published_previews_count'),
    duration_minutes: seenCount('duration_minutes', 'published_duration_minutes'),
  },
  inputs: z.object({ lecturer_ids }),
  writable: [
    'title',
    'slug',
    'subtitle',
    'description',
    'description_format',
    'visibility',
    'level',
    'language',
    'category',
    'tags',
    'cover_image',
    'trailer_url',
    'access',
    'price',
    'compare_at_price',
    'enrollment_open',
    'enrollment_starts_at',
    'enrollment_ends_at',
    'capacity',
    'access_duration_days',
    'completion_threshold_percent',
    'certificate_enabled',
    'certificate_template',
    'seo',
    { field: 'position', roles: ['staff'] },
    'external_id',
    'metadata',
  ],
  required: ['title'],
  slugFrom: 'title',
  filters: [
    'status',
    'visibility',
    'access',
    'level',
    'language',
    'category',
    { name: 'tag', description: 'a tag of the course', value: z.string().min(1).max(40), where: hasTag },
    { name: 'lecturer', description: 'the id of a lecturer', value: reference('lec', 'Id of a lecturer.'), where: hasLecturer },
    {
      name: 'price',
      operator: 'lte',
      description: 'the price, in the smallest unit of the currency',
      value: z.int32().min(0),
      where: costsAtMost,
    },
    'created_at',
    'updated_at',
    'published_at',
    'published_at[exists]',
    'slug[prefix]',
    'external_id',
  ],
  search: ['title', 'subtitle', 'slug'],
  sorts: ['position', '-created_at', 'title', 'published_at', 'updated_at'],
  staffSort: '-created_at',
  exports: true,
  expand: {
    lecturers: { resource: (): Resource => lecturers, ids: (row) => ((row.lecturers ?? []) as { id: string }[]).map(({ id }) => id) },
    curriculum: { resource: () => curriculum, id: ({ id }) => id },
  },
  listedUnder: [{ resource: (): Resource => lecturers, where: (course, id) => isTaughtBy(course, { lecturerId: id }) }],
  visibility: {
    anonymous: isInCatalogue,
    learner: isOpenToMembers,
    lecturer: (course, me) => course.or([isOpenToMembers(course), isTaughtBy(course, me)]),
    staff: everything,
  },
  unlisted: isUnlisted,
  views: { staff: isTaughtBy },
  operations: {
    list: 'read',
    get: 'read',
    create: {
      scope: 'write',
      check: async (values, writing) => [...(await checkCourse(values, writing)), ...(await checkLecturers(values, writing))],
      defaults: async (writing, values) => ({ ...(await courseDefaults(writing)), ...describe(values) }),
      after: async (writing, course, values) => void (await assignLecturers(writing, course, values)),
    },
    update: {
      scope: 'write',
      check: async (values, writing, course) => [
        ...(await checkCourse(values, writing, course)),
        ...(await checkLecturers(values, writing)),
      ],
      before: async (_writing, _course, values) => describe(values),
      after: reassignLecturers,
    },
    remove: { scope: 'write', from: ['draft'], before: removeCourseParts },
  },
  actions: {
    publish: {
      scope: 'write',
      summary: 'Put a course into the catalogue',
      from: ['draft', 'archived'],
      to: 'published',
      run: publishCourse((details) => new Problem('not_publishable', { details })),
    },
    unpublish: { scope: 'write', summary: 'Make a draft of a course again', from: ['published'], to: 'draft', run: unpublishCourse },
    archive: {
      scope: 'write',
      summary: 'Take a course out of the catalogue for good',
      from: ['published'],
      to: 'archived',
      run: archiveCourse,
    },
    duplicate: {
      scope: 'write',
      view: 'staff',
      summary: 'Copy a course as a draft',
      status: 201,
      input: z.object({
        title: z.string().min(1).max(160).optional().meta({ description: 'Name of the copy.', example: 'Clay From Scratch, evenings' }),
        slug: slug().optional().meta({ description: 'Readable key of the copy.', example: 'clay-evenings' }),
        include_curriculum: z.boolean().default(true).meta({ description: 'Whether sections and lessons are copied.', example: true }),
      }),
      async perform(writing, course, input): Promise<{ made: string }> {
        if (reservedSlugs.has(String(input.slug))) throw new Problem('reserved_slug')
        const free = (title: string, id: string): Promise<string> =>
          freeSlug(writing.writer, courses, { schoolId: writing.school.id, title, id })
        return { made: await duplicateCourse(writing, course, input as unknown as Copying, free) }
      },
    },
    lecturers: {
      scope: 'write',
      id: 'setCourseLecturers',
      roles: ['staff'],
      method: 'PUT',
      summary: 'Say who teaches a course',
      input: z.object({ lecturer_ids }),
      async run(writing, course, input) {
        requireNoFaults(await checkLecturers(input, writing))
        return (await assignLecturers(writing, course, input)) ? {} : undefined
      },
    },
  },
  collectionActions: {
    positions: {
      scope: 'write',
      id: 'setCoursePositions',
      roles: ['staff'],
      method: 'PUT',
      status: 204,
      summary: 'Put the courses of the catalogue into a new order',
      input: z.object({
        course_ids: z
          .array(reference('crs', 'Id of a course.'))
          .max(500)
          .meta({ description: 'Courses in their new order; the others follow in theirs.', example: [] }),
      }),
      run: (writing, { course_ids }) =>
        setPositions(writing, { table: 'course', idPrefix: 'crs', field: 'course_ids' }, course_ids as string[]),
    },
  },
})

/** The description of a course as HTML. */
const describe = ({ description, description_format }: Readonly<Record<string, unknown>>) => ({
  description_html: htmlOrNull((description ?? null) as string | null, (description_format ?? 'markdown') as TextFormat),
})

/** A number of all lessons for those who see drafts, and of the published ones for everybody else. */
function seenCount<All extends CountColumn, Published extends CountColumn>(all: All, published: Published) {
  return {
    from: [all, published],
    of: (row: Record<All | Published, number> & { seen_as: View }): number => (row.seen_as === 'staff' ? row[all] : row[published]),
  }
}
