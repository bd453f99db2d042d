import { z } from 'zod'
import { archiveCourse, publishCourse, removeCourseParts, unpublishCourse } from '../domain/courseStates.ts'
import { costsAtMost, hasLecturer, hasTag, isInCatalogue, isOpenToMembers, isTaughtBy, isUnlisted, lecturersOf } from '../domain/courses.ts'
import { assignLecturers, checkCourse, checkLecturers, courseDefaults, reassignLecturers } from '../domain/courseWriting.ts'
import { everything } from '../kit/expressions.ts'
import { externalId, metadata, money, moneyColumns, moneyOf, reference, slug, timestamp } from '../kit/fields.ts'
import { defineResource } from '../kit/resource.ts'
import { Problem } from '../lib/problem.ts'

/** The catalogue. */
export const courses = defineResource({
  name: 'courses',
  object: 'course',
  idPrefix: 'crs',
  table: 'course',
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
      .meta({ description: 'What the course is about, in Markdown.', example: 'Wedging, centring, throwing.' }),
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
    lessons_count: z.int().meta({ description: 'Number of lessons.', example: 18 }),
    duration_minutes: z.int().meta({ description: 'Length of all lessons together.', example: 340 }),
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
    lecturers: { select: lecturersOf },
  },
  inputs: z.object({
    lecturer_ids: z
      .array(reference('lec', 'Id of a lecturer.'))
      .max(10)
      .meta({ description: 'Who teaches it, the main lecturer first.', example: [] }),
  }),
  writable: [
    'title',
    'slug',
    'subtitle',
    'description',
    'visibility',
    'level',
    'language',
    'category',
    'tags',
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
      defaults: courseDefaults,
      after: assignLecturers,
    },
    update: {
      scope: 'write',
      check: async (values, writing, course) => [
        ...(await checkCourse(values, writing, course)),
        ...(await checkLecturers(values, writing)),
      ],
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
  },
})
