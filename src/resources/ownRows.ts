import { z } from 'zod'
import { lessonKind } from './lessonFields.ts'

// The fields of the person's rows that the account pages show.

const text = z.string().nullable().default(null)
const money = z.object({ amount: z.number(), currency: z.string() })

const course = z.object({ id: z.string(), slug: z.string(), title: z.string(), language: z.string(), certificate_enabled: z.boolean() })

/** An enrolment of the person, with its course. */
export const ownEnrollmentRow = z.object({
  id: z.string(),
  course_id: z.string(),
  course: course.nullable().default(null),
  status: z.enum(['active', 'completed', 'expired', 'suspended', 'canceled']),
  expires_at: text,
  progress_percent: z.number(),
  completed_lessons_count: z.number(),
  lessons_count: z.number(),
  last_lesson_id: text,
  completed_at: text,
  certificate: z.object({ number: z.string(), issued_at: z.string() }).nullable().default(null),
})

/** A course, as its participants read it. */
export const ownCourseRow = course.extend({ subtitle: text, access: z.string(), enrollment_open: z.boolean() })

/** The choices of the person about e-mails. */
export const ownNotificationsRow = z.object({
  notification_preferences: z.record(z.string(), z.string()),
  membership: z.object({ student_id: text }),
})

/** The consent of the person to marketing. */
export const ownConsentRow = z.object({ marketing_consent: z.object({ granted: z.boolean() }).nullable().default(null) })

/** The sections and lessons of a course. */
export const ownCurriculumRow = z.object({
  sections: z.array(
    z.object({
      title: z.string(),
      summary: text,
      lessons: z.array(
        z.object({
          id: z.string(),
          title: z.string(),
          kind: lessonKind,
          is_preview: z.boolean(),
          locked: z.boolean(),
          lock_reason: text,
          duration_seconds: z.number().nullable().default(null),
        }),
      ),
    }),
  ),
})

/** The progress of the person in each lesson of a course. */
export const ownProgressRow = z.object({ lessons: z.array(z.object({ lesson_id: z.string(), status: z.string() })) })

const question = z.object({
  id: z.string(),
  kind: z.enum(['single', 'multiple', 'true_false', 'short_text']),
  prompt: z.string(),
  choices: z.array(z.object({ id: z.string(), text: z.string() })).default([]),
  points: z.number(),
})

/** The progress after a change: of the lesson, and of the course. */
export const changedProgressRow = z.object({ lesson: z.object({ status: z.string() }), enrollment: z.object({ status: z.string() }) })

/** A lesson, as the person reads it. */
export const ownLessonRow = z.object({
  id: z.string(),
  course_id: z.string(),
  title: z.string(),
  kind: lessonKind,
  locked: z.boolean(),
  lock_reason: text,
  unlocks_at: text,
  completed_at: text,
  content_html: text,
  media: z.object({ embed_url: text, url: text }).nullable().default(null),
  attachments: z
    .array(z.object({ filename: z.string(), byte_size: z.number(), download_url: text }))
    .nullable()
    .default([]),
  quiz: z
    .object({ pass_percent: z.number(), max_attempts: z.number().nullable().default(null), questions: z.array(question) })
    .nullable()
    .default(null),
  event_id: text,
})

/** An attempt at a quiz, with its results. */
export const ownAttemptRow = z.object({
  id: z.string(),
  lesson_id: z.string(),
  attempt_no: z.number(),
  score_percent: z.number(),
  passed: z.boolean(),
  results: z
    .array(z.object({ question_id: z.string(), correct: z.boolean(), choice_ids: z.array(z.string()).nullable().default(null), text }))
    .nullable()
    .default(null),
  explanations: z.array(z.object({ question_id: z.string(), explanation: z.string() })).default([]),
})

/** A digital product that the person owns. */
export const ownProductRow = z.object({
  id: z.string(),
  title: z.string(),
  files: z.array(z.object({ id: z.string(), title: z.string(), byte_size: z.number() })).default([]),
})

/** A subscription of the person, with its plan. */
export const ownSubscriptionRow = z.object({
  id: z.string(),
  plan_id: z.string(),
  price_id: z.string(),
  plan: z.object({ name: z.string(), slug: z.string() }).nullable().default(null),
  status: z.enum(['incomplete', 'trialing', 'active', 'past_due', 'paused', 'canceled', 'expired']),
  collection: z.enum(['automatic', 'manual', 'comped']),
  amount: money,
  current_period_end: text,
  trial_ends_at: text,
  cancel_at_period_end: z.boolean(),
  ended_at: text,
  pause: z.object({ resumes_at: text }).nullable().default(null),
  pending_change: z.object({ price_id: z.string(), effective_at: text }).nullable().default(null),
})

/** A plan to which a person can change. */
export const ownPlanRow = z.object({
  id: z.string(),
  name: z.string(),
  prices: z
    .array(
      z.object({
        id: z.string(),
        interval: z.enum(['month', 'year', 'one_time']),
        interval_count: z.number(),
        amount: money,
        active: z.boolean(),
      }),
    )
    .default([]),
})

/** An order of the person. */
export const ownOrderRow = z.object({
  id: z.string(),
  number: z.string(),
  status: z.enum(['pending', 'paid', 'partially_refunded', 'refunded', 'failed', 'canceled', 'expired']),
  placed_at: text,
  paid_at: text,
  expires_at: text,
  items: z.array(z.object({ title: z.string(), quantity: z.number() })),
  total: money,
  refunded_total: money,
  receipt_number: text,
  invoice_number: text,
  refunds: z.array(z.object({ id: z.string(), credit_note_number: text, amount: money })).default([]),
})

/** The ids under which the lists of the API know the person. */
export const ownAccountRow = z.object({ membership: z.object({ student_id: text, member_id: text }) })

export type OwnEnrollment = z.output<typeof ownEnrollmentRow>
export type OwnCurriculum = z.output<typeof ownCurriculumRow>
export type OwnLesson = z.output<typeof ownLessonRow>
export type OwnAttempt = z.output<typeof ownAttemptRow>
export type OwnProduct = z.output<typeof ownProductRow>
export type OwnSubscription = z.output<typeof ownSubscriptionRow>
export type OwnPlan = z.output<typeof ownPlanRow>
export type OwnOrder = z.output<typeof ownOrderRow>
