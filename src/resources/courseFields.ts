import { z } from 'zod'
import { externalId, line, lineOrEmpty, metadata, money, reference, slug, timestamp, webUrl } from '../framework/declare/fields.ts'
import { image } from '../framework/declare/image.ts'
import { richText } from '../framework/declare/richText.ts'
import { seo } from './seo.ts'

/** Who teaches a course, as it is sent. */
export const lecturer_ids = z.array(reference('lec', 'Id of a lecturer.')).max(10).meta({
  description: 'Lecturers of the course, the main lecturer first. Only staff choose them, and a published course keeps at least one.',
  example: [],
})

/** What a course is made of. */
export const courseSchema = z.object({
  title: line(160).meta({ description: 'Name of the course.', example: 'Clay From Scratch' }),
  slug: slug().meta({ description: 'Readable key, unique in the school.', example: 'clay-from-scratch' }),
  subtitle: lineOrEmpty(200).nullable().meta({ description: 'One line below the title.', example: 'Your first ten pots' }),
  ...richText('description', { max: 20_000, description: 'What the course is about.', example: 'Wedging, centring, throwing.' }),
  status: z.enum(['draft', 'published', 'archived']).meta({ description: 'Visitors see published courses only.', example: 'published' }),
  visibility: z
    .enum(['public', 'unlisted', 'members'])
    .meta({ description: 'Who finds a published course; an unlisted one needs its address.', example: 'public' }),
  level: z.enum(['all', 'beginner', 'intermediate', 'advanced']).meta({ description: 'Whom it suits.', example: 'beginner' }),
  language: z.string().max(35).meta({ description: 'Language of the course (BCP 47).', example: 'en' }),
  category: lineOrEmpty(60).nullable().meta({ description: 'Slug of its shelf in the catalogue.', example: 'ceramics' }),
  tags: z
    .array(line(40))
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
  trailer_url: webUrl(['https']).nullable().meta({ description: 'Film about the course.', example: null }),
  enrollment_open: z.boolean().meta({ description: 'Whether one can enrol now.', example: true }),
  enrollment_starts_at: timestamp().nullable().meta({ description: 'From when on one can enrol.', example: null }),
  enrollment_ends_at: timestamp().nullable().meta({ description: 'Until when one can enrol.', example: null }),
  capacity: z.int().min(1).max(1_000_000).nullable().meta({ description: 'Number of places; null where there is no limit.', example: 24 }),
  access_duration_days: z
    .int()
    .min(1)
    .max(3650)
    .nullable()
    .meta({ description: 'How long one who enrols can open it; null for ever.', example: null }),
  completion_threshold_percent: z.int().min(1).max(100).meta({ description: 'How much of it must be done to complete it.', example: 100 }),
  certificate_enabled: z.boolean().meta({ description: 'Whether one gets a certificate.', example: false }),
  certificate_template: z.enum(['classic', 'modern', 'minimal']).meta({ description: 'Looks of the certificate.', example: 'classic' }),
  seo,
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
  enrollments_count: z
    .int()
    .nullable()
    .meta({ description: 'How many take it now; null where the school keeps its numbers to itself.', example: 120 }),
  my_enrollment: z
    .object({
      id: reference('enr', 'Id of your enrolment.'),
      status: z
        .enum(['active', 'completed', 'expired', 'suspended', 'canceled'])
        .meta({ description: 'How it stands.', example: 'active' }),
      progress_percent: z.int().meta({ description: 'How much of it you have done.', example: 40 }),
      expires_at: timestamp().nullable().meta({ description: 'Until when it is open to you.', example: null }),
    })
    .nullable()
    .meta({ description: 'Your own enrolment; null where you have none.', example: null }),
  position: z.int().meta({ description: 'Place in the catalogue.', example: 3, view: 'staff' }),
  published_at: timestamp().nullable().meta({ description: 'When it was first published.', example: '2026-03-01T09:30:00.000Z' }),
  archived_at: timestamp().nullable().meta({ description: 'When it was taken out of the catalogue.', example: null }),
  external_id: externalId(),
  metadata: metadata(),
})
