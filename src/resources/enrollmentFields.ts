import { z } from 'zod'
import { externalId, metadata, reference, timestamp } from '../framework/declare/fields.ts'
import { typedEmail } from './emailField.ts'

const moment = (description: string) => timestamp().nullable().meta({ description, example: null })

export const enrollmentStatus = z
  .enum(['active', 'completed', 'expired', 'suspended', 'canceled'])
  .meta({ description: 'How it stands now.', example: 'active' })

/** What an enrolment is made of. */
export const enrollmentSchema = z.object({
  student_id: reference('std', 'Who takes the course.'),
  course_id: reference('crs', 'The course.'),
  status: enrollmentStatus,
  source: z
    .enum(['self', 'manual', 'purchase', 'plan', 'coupon', 'import'])
    .meta({ description: 'What opened it first, of what opens it now.', example: 'manual' }),
  order_id: reference('ord', 'Order that opened it.')
    .nullable()
    .meta({ description: 'Order that opened it.', example: null, idPrefix: 'ord' }),
  subscription_id: reference('sub', 'Subscription that opens it.')
    .nullable()
    .meta({ description: 'Subscription that opens it.', example: null, idPrefix: 'sub' }),
  coupon_id: reference('cpn', 'Coupon that opened it.')
    .nullable()
    .meta({ description: 'Coupon that opened it.', example: null, idPrefix: 'cpn' }),
  starts_at: timestamp().meta({ description: 'From when on the course is open.', example: '2026-03-01T09:30:00.000Z' }),
  expires_at: timestamp().nullable().meta({ description: 'Until when; null for ever.', example: '2036-03-01T09:30:00.000Z' }),
  progress_percent: z.int().meta({ description: 'Share of the published lessons that is done, rounded down.', example: 40 }),
  completed_lessons_count: z.int().meta({ description: 'Published lessons that are done.', example: 7 }),
  lessons_count: z.int().meta({ description: 'Published lessons of the course.', example: 18 }),
  last_lesson_id: reference('les', 'Lesson that was opened last.')
    .nullable()
    .meta({ description: 'Lesson that was worked at last.', example: null, idPrefix: 'les' }),
  first_opened_at: moment('When its person first worked at a lesson.'),
  last_activity_at: moment('When its person last worked at a lesson.'),
  completed_at: moment('When the course was completed. Later lessons do not revoke it.'),
  canceled_at: moment('When it was canceled.'),
  certificate: z
    .object({
      number: z.string().meta({ description: 'Sixteen characters, by which anybody can verify it.', example: '7QW3KD9XHM2TB5ZE' }),
      issued_at: timestamp().meta({ description: 'When it was issued.', example: '2026-03-01T09:30:00.000Z' }),
      url: z.url().meta({ description: 'Where it is verified.', example: 'https://school.example/api/v1/certificates/7QW3KD9XHM2TB5ZE' }),
    })
    .nullable()
    .meta({ description: 'The certificate; null where none was issued, or the course is not completed.', example: null }),
  external_id: externalId(),
  metadata: metadata(),
})

/** What is shown of an enrolment beside its lessons. */
export const enrollmentSummary = z
  .object({
    id: reference('enr', 'Id of the enrolment.'),
    status: enrollmentStatus,
    progress_percent: enrollmentSchema.shape.progress_percent,
    completed_lessons_count: enrollmentSchema.shape.completed_lessons_count,
    lessons_count: enrollmentSchema.shape.lessons_count,
    completed_at: enrollmentSchema.shape.completed_at,
  })
  .meta({ description: 'The enrolment.', example: { status: 'active' } })

export const positionSeconds = z.int().min(0).max(86_400).meta({ description: 'How far into the lesson.', example: 95 })

const lessonStatus = z
  .enum(['not_started', 'started', 'completed'])
  .meta({ description: 'How far the person has got.', example: 'started' })

/** How far somebody has got in one lesson. */
export const lessonState = z
  .object({
    lesson_id: reference('les', 'The lesson.'),
    status: lessonStatus,
    position_seconds: positionSeconds.nullable().meta({ description: 'How far into the lesson.', example: 95 }),
    completed_at: moment('When it was completed.'),
    attempts: z.int().meta({ description: 'How often its quiz was tried.', example: 0 }),
  })
  .meta({ description: 'The lesson.', example: { status: 'started' } })

/** What is sent with a new enrolment and is no field of it. */
export const named = {
  student_email: typedEmail().meta({
    description: 'E-mail address of the student, in place of the id.',
    example: 'learner017@example.org',
    createOnly: true,
  }),
  notify: z.boolean().default(false).meta({ description: 'Whether the student is written to.', example: false, createOnly: true }),
  override: z.boolean().default(false).meta({
    description:
      'Enrols also in a course that is full, archived or a draft, which is refused with 409 otherwise. For staff, and for the lecturers of the course.',
    example: false,
    createOnly: true,
  }),
}
