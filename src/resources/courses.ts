import { z } from 'zod'
import { costsAtMost, hasLecturer, hasTag, isInCatalogue, isOpenToMembers, isTaughtBy, isUnlisted, lecturersOf } from '../domain/courses.ts'
import { everything } from '../kit/expressions.ts'
import { money, moneyOf, reference, slug, timestamp } from '../kit/fields.ts'
import { defineResource } from '../kit/resource.ts'

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
    enrollment_open: z.boolean().meta({ description: 'Whether one can enrol now.', example: true }),
    lessons_count: z.int().meta({ description: 'Number of lessons.', example: 18 }),
    duration_minutes: z.int().meta({ description: 'Length of all lessons together.', example: 340 }),
    position: z.int().meta({ description: 'Place in the catalogue.', example: 3, view: 'staff' }),
    published_at: timestamp().nullable().meta({ description: 'When it was first published.', example: '2026-03-01T09:30:00.000Z' }),
    archived_at: timestamp().nullable().meta({ description: 'When it was taken out of the catalogue.', example: null }),
  }),
  derived: {
    price: { from: ['price_amount', 'price_currency'], of: ({ price_amount, price_currency }) => moneyOf(price_amount, price_currency) },
    lecturers: { select: lecturersOf },
  },
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
    'access',
    'enrollment_open',
  ],
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
  ],
  sorts: ['position', '-created_at', 'title', 'published_at', 'updated_at'],
  staffSort: '-created_at',
  visibility: {
    anonymous: isInCatalogue,
    learner: isOpenToMembers,
    lecturer: (course, me) => course.or([isOpenToMembers(course), isTaughtBy(course, me)]),
    staff: everything,
  },
  unlisted: isUnlisted,
  views: { staff: isTaughtBy },
  operations: { list: 'read', get: 'read' },
})
