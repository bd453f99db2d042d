import { z } from 'zod'
import { externalId, metadata, reference, timestamp } from '../../engine/declare/fields.ts'
import { typedEmail } from '../students/studentFields.ts'

const moment = (description: string) => timestamp().nullable().meta({ description, example: null })

export const enrollmentStatus = z
  .enum(['active', 'completed', 'expired', 'suspended', 'canceled'])
  .meta({ component: 'EnrollmentStatus' })
  .meta({ description: 'Current state of the enrolment.', example: 'active' })

export const enrollmentSchema = z.object({
  student_id: reference('std', 'The student.'),
  course_id: reference('crs', 'The course.'),
  status: enrollmentStatus,
  status_reason: z
    .string()
    .nullable()
    .meta({ description: 'Reason that was given with the last action on the enrolment.', example: null, view: 'staff' }),
  source: z
    .enum(['self', 'manual', 'purchase', 'plan', 'coupon', 'import'])
    .meta({ component: 'EnrollmentSource' })
    .meta({ description: 'The source of the access; the first one if several sources open it.', example: 'manual' }),
  order_id: reference('ord', 'Order that opened it.')
    .nullable()
    .meta({ description: 'Order that opened it.', example: null, idPrefix: 'ord' }),
  subscription_id: reference('sub', 'Subscription that opens it.')
    .nullable()
    .meta({ description: 'Subscription that opens it.', example: null, idPrefix: 'sub' }),
  coupon_id: reference('cpn', 'Coupon that opened it.')
    .nullable()
    .meta({ description: 'Coupon that opened it.', example: null, idPrefix: 'cpn' }),
  starts_at: timestamp().meta({ description: 'Start of the access.', example: '2026-03-01T09:30:00.000Z' }),
  expires_at: timestamp().nullable().meta({ description: 'End of the access; null without a limit.', example: '2036-03-01T09:30:00.000Z' }),
  progress_percent: z.int().meta({ description: 'Share of the published lessons that are completed, rounded down.', example: 40 }),
  completed_lessons_count: z.int().meta({ description: 'Number of completed published lessons.', example: 7 }),
  lessons_count: z.int().meta({ description: 'Number of published lessons in the course.', example: 18 }),
  last_lesson_id: reference('les', 'Lesson with the last activity.')
    .nullable()
    .meta({ description: 'Lesson with the last activity.', example: null, idPrefix: 'les' }),
  first_opened_at: moment('Time of the first activity in a lesson.'),
  last_activity_at: moment('Time of the last activity in a lesson.'),
  completed_at: moment(
    'Time of completion. Lessons that are added later do not revoke it. Staff can send a past time for a new enrolment: it is completed then.',
  ),
  canceled_at: moment('Time of cancellation.'),
  certificate: z
    .object({
      number: z
        .string()
        .meta({ description: 'Number of sixteen characters with which anyone can verify the certificate.', example: '7QW3KD9XHM2TB5ZE' }),
      issued_at: timestamp().meta({ description: 'Time of issue.', example: '2026-03-01T09:30:00.000Z' }),
      url: z
        .url()
        .meta({ description: 'Page on which anyone can verify it.', example: 'https://school.example/certificates/7QW3KD9XHM2TB5ZE' }),
      holder_name: z
        .string()
        .nullable()
        .meta({ description: 'Name on the certificate: that of the student at the time of issue.', example: 'Juno Fenwick' }),
      course_title: z
        .string()
        .nullable()
        .meta({ description: 'Title on the certificate: that of the course at the time of issue.', example: 'Clay From Scratch' }),
      corrected_at: timestamp()
        .nullable()
        .meta({ description: 'Time at which the staff last corrected the name or the title; null if they never did.', example: null }),
    })
    .nullable()
    .meta({
      description:
        'The newest valid certificate, which stays while the course is repeated; null without one. The list of certificates has all of them.',
      example: null,
    }),
  external_id: externalId(),
  metadata: metadata(),
})

const enrollmentSummary = z
  .object({
    id: reference('enr', 'Id of the enrolment.'),
    status: enrollmentStatus,
    progress_percent: enrollmentSchema.shape.progress_percent,
    completed_lessons_count: enrollmentSchema.shape.completed_lessons_count,
    lessons_count: enrollmentSchema.shape.lessons_count,
    completed_at: enrollmentSchema.shape.completed_at,
  })
  .meta({ description: 'The enrolment.', example: { status: 'active' }, component: 'EnrollmentSummary' })

export const positionSeconds = z.int().min(0).max(86_400).meta({ description: 'Position in the lesson in seconds.', example: 95 })

const lessonStatus = z
  .enum(['not_started', 'started', 'completed'])
  .meta({ component: 'LessonProgressStatus' })
  .meta({ description: 'Progress in the lesson.', example: 'started' })

const lessonState = z
  .object({
    lesson_id: reference('les', 'The lesson.'),
    status: lessonStatus,
    position_seconds: positionSeconds.nullable().meta({ description: 'Position in the lesson in seconds.', example: 95 }),
    completed_at: moment('Time of completion.'),
    attempts: z.int().meta({ description: 'Number of attempts at its quiz.', example: 0 }),
  })
  .meta({ description: 'The lesson.', example: { status: 'started' }, component: 'LessonState' })

/** The response to a change of the progress in one lesson. */
export const progressResult = z.object({ lesson: lessonState, enrollment: enrollmentSummary })

export const courseProgress = z.object({
  enrollment: enrollmentSummary,
  lessons: z.array(lessonState).meta({ description: 'All published lessons in their order.', example: [] }),
})

/** The times of an enrolment that was made before the school came here, in addition to `completed_at`. */
export const history = {
  enrolled_at: timestamp().optional().meta({
    description:
      'Only for staff: when the student was enrolled in another system. It becomes created_at, and starts_at unless that is sent.',
    example: '2019-05-04T09:30:00.000Z',
    createOnly: true,
  }),
  certificate_issued_at: timestamp().optional().meta({
    description: 'Only for staff: when the certificate was issued. Default: completed_at. Its number is new.',
    example: '2019-07-02T09:30:00.000Z',
    createOnly: true,
  }),
}

/** The inputs of a new enrolment that are not fields of it. */
export const named = {
  student_email: typedEmail().meta({
    description: 'E-mail address of the student, instead of the id.',
    example: 'learner017@example.org',
    createOnly: true,
  }),
  notify: z.boolean().default(false).meta({ description: 'True to notify the student by e-mail.', example: false, createOnly: true }),
  override: z.boolean().default(false).meta({
    description:
      'True to enrol in a course that is full, archived or a draft, which is otherwise refused with 409. Only for staff and lecturers of the course.',
    example: false,
    createOnly: true,
  }),
}
