import { z } from 'zod'
import { externalId, image, line, lineOrEmpty, metadata, money, reference, slug, timestamp, webUrl } from '../../engine/declare/fields.ts'
import { richText } from '../../engine/declare/richText.ts'
import { languageTag } from '../../engine/declare/typedTexts.ts'
import { seo } from '../settings/seo.ts'

export const lecturer_ids = z.array(reference('lec', 'Id of a lecturer.')).max(10).meta({
  description: 'Lecturers of the course, the main lecturer first. Only staff can set them. A published course needs at least one.',
  example: [],
})

export const courseSchema = z.object({
  title: line(160).meta({ description: 'Name of the course.', example: 'Clay From Scratch' }),
  slug: slug().meta({ description: 'Readable key, unique in the school.', example: 'clay-from-scratch' }),
  subtitle: lineOrEmpty(200).nullable().meta({ description: 'One line below the title.', example: 'Your first ten pots' }),
  ...richText('description', { max: 20_000, description: 'Description of the course.', example: 'Wedging, centring, throwing.' }),
  status: z
    .enum(['draft', 'published', 'archived'])
    .meta({ component: 'CourseStatus' })
    .meta({ description: 'State of the course. Visitors see only published courses.', example: 'published' }),
  visibility: z
    .enum(['public', 'unlisted', 'members'])
    .meta({ component: 'CourseVisibility' })
    .meta({ description: 'Who can find a published course. An unlisted course can be opened only with its URL.', example: 'public' }),
  level: z
    .enum(['all', 'beginner', 'intermediate', 'advanced'])
    .meta({ component: 'CourseLevel' })
    .meta({ description: 'Level of the course.', example: 'beginner' }),
  language: languageTag().meta({ description: 'Language of the course (BCP 47).', example: 'en' }),
  category: lineOrEmpty(60).nullable().meta({ description: 'Slug of its category in the catalogue.', example: 'ceramics' }),
  tags: z
    .array(line(40))
    .max(20)
    .meta({ description: 'Tags for search and filters.', example: ['clay', 'wheel'] }),
  cover_image: image('Picture of the course.').nullable().meta({ description: 'Picture of the course.', example: null }),
  access: z
    .enum(['free', 'paid', 'plan_only'])
    .meta({ component: 'CourseAccess' })
    .meta({ description: 'How students get access: free, by purchase, or only through a plan.', example: 'paid' }),
  price: money('Price of a paid course.')
    .nullable()
    .meta({ description: 'Price; null unless access is paid.', example: { amount: 8900, currency: 'EUR' } }),
  lecturers: z
    .array(
      z
        .object({
          id: reference('lec', 'Id of the lecturer.'),
          display_name: z.string().meta({ description: 'Name of the lecturer.', example: 'Marlo Quillfeather' }),
          slug: slug().meta({ description: 'Readable key of the lecturer.', example: 'marlo-quillfeather' }),
        })
        .meta({ component: 'LecturerSummary' }),
    )
    .meta({ description: 'Lecturers, the main lecturer first.', example: [] }),
  compare_at_price: money('Former price.').nullable().meta({ description: 'Former price, higher than the current one.', example: null }),
  trailer_url: webUrl(['https']).nullable().meta({ description: 'URL of a trailer.', example: null }),
  enrollment_open: z.boolean().meta({ description: 'True if enrolment is open.', example: true }),
  enrollment_starts_at: timestamp().nullable().meta({ description: 'Start of enrolment; null if it has no start.', example: null }),
  enrollment_ends_at: timestamp().nullable().meta({ description: 'End of enrolment; null if it has no end.', example: null }),
  capacity: z.int().min(1).max(1_000_000).nullable().meta({ description: 'Number of places; null without a limit.', example: 24 }),
  access_duration_days: z
    .int()
    .min(1)
    .max(3650)
    .nullable()
    .meta({ description: 'Days of access after enrolment; null without a limit.', example: null }),
  completion_threshold_percent: z
    .int()
    .min(1)
    .max(100)
    .meta({ description: 'Share of the published lessons that completes the course.', example: 100 }),
  certificate_enabled: z.boolean().meta({ description: 'True if students receive a certificate.', example: false }),
  certificate_template: z
    .enum(['classic', 'modern', 'minimal'])
    .meta({ component: 'CertificateTemplate' })
    .meta({ description: 'Design of the certificate.', example: 'classic' }),
  seo,
  included_in_plans: z
    .array(
      z.object({
        id: reference('mpl', 'Id of the plan.'),
        name: z.string().meta({ description: 'Name of the plan.', example: 'Workbench' }),
        slug: slug().meta({ description: 'Readable key of the plan.', example: 'workbench' }),
      }),
    )
    .meta({ description: 'Membership plans that include the course.', example: [] }),
  sections_count: z.int().meta({ description: 'Number of sections.', example: 5 }),
  lessons_count: z.int().meta({ description: 'Number of lessons; includes drafts for callers who can see them.', example: 18 }),
  preview_lessons_count: z.int().meta({ description: 'Number of lessons that everybody can read.', example: 2 }),
  duration_minutes: z.int().meta({ description: 'Total length of the lessons, rounded up.', example: 340 }),
  enrollments_count: z
    .int()
    .nullable()
    .meta({ description: 'Number of current enrolments; null if the school does not publish its counts.', example: 120 }),
  my_enrollment: z
    .object({
      id: reference('enr', 'Id of your enrolment.'),
      status: z
        .enum(['active', 'completed', 'expired', 'suspended', 'canceled'])
        .meta({ component: 'EnrollmentStatus' })
        .meta({ description: 'State of the enrolment.', example: 'active' }),
      progress_percent: z.int().meta({ description: 'Your progress.', example: 40 }),
      expires_at: timestamp().nullable().meta({ description: 'End of your access; null without a limit.', example: null }),
    })
    .nullable()
    .meta({ description: 'Your enrolment; null if you are not enrolled.', example: null }),
  position: z.int().meta({ description: 'Position in the catalogue.', example: 3, view: 'staff' }),
  published_at: timestamp().nullable().meta({ description: 'Time of the first publication.', example: '2026-03-01T09:30:00.000Z' }),
  archived_at: timestamp().nullable().meta({ description: 'Time at which it was archived.', example: null }),
  external_id: externalId(),
  metadata: metadata(),
})

export const courseCopy = z.object({
  title: line(160).optional().meta({ description: 'Title of the copy.', example: 'Clay From Scratch, evenings' }),
  slug: slug().optional().meta({ description: 'Readable key of the copy.', example: 'clay-evenings' }),
  include_curriculum: z.boolean().default(true).meta({ description: 'True to copy sections and lessons.', example: true }),
})

export const courseOrder = z.object({
  course_ids: z
    .array(reference('crs', 'Id of a course.'))
    .max(500)
    .meta({ description: 'Courses in their new order. The other courses follow in their current order.', example: [] }),
})
