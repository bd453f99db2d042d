import { z } from 'zod'
import { money, reference, timestamp } from '../framework/declare/fields.ts'
import { studentSchema } from './studentFields.ts'

const text = (description: string, example: string | null = null) => z.string().nullable().meta({ description, example })
const time = (description: string) => timestamp().nullable().meta({ description, example: '2026-03-01T09:30:00.000Z' })
const id = (prefix: string, description: string) => reference(prefix, description)
const maybe = (idPrefix: string, description: string) =>
  reference(idPrefix, description).nullable().meta({ description, idPrefix, example: null })
const sum = (description: string) => money(description).meta({ description, example: { amount: 8900, currency: 'EUR' } })
const answers = () =>
  z.record(z.string(), z.string()).meta({ description: 'What the person answered, by question; lists as JSON.', example: {} })
const list = (entry: z.ZodRawShape, description: string) => z.array(z.object(entry)).meta({ description, example: [] })
const words = (description: string) => z.array(z.string()).meta({ description, example: [] })

/** Everything that the school keeps of a person. */
export const studentExport = z.object({
  object: z.literal('student_export').meta({ description: 'What this is.' }),
  student: studentSchema
    .omit({ avatar: true, tags: true, member_id: true, has_account: true, lifetime_spend: true })
    .extend({
      id: id('std', 'Id as a student.'),
      avatar_file_id: maybe('fil', 'Picture of the person.'),
      created_at: timestamp().meta({ description: 'Since when the school knows the person.', example: '2026-03-01T09:30:00.000Z' }),
    })
    .meta({ description: 'The person as a student.', example: {} }),
  member: z
    .object({
      id: id('mbr', 'Id as a member.'),
      display_name: text('Name in the community.'),
      headline: text('Line below the name.'),
      bio: text('About the person.'),
      links: z
        .array(z.object({ label: text('Words of the link.'), url: text('Where it leads.') }))
        .meta({ description: 'Elsewhere on the web.', example: [] }),
      status: text('State as a member.', 'active'),
      tier: text('free, paid or comped.', 'free'),
      directory_visible: z.boolean().meta({ description: 'Whether the directory shows the person.', example: true }),
      joined_at: time('When the person joined.'),
    })
    .nullable()
    .meta({ description: 'The person as a member; null for who is none.', example: null }),
  tags: words('Words of the school about the student.').meta({
    description: 'Words of the school about the student.',
    example: [],
    view: 'staff',
  }),
  labels: words('Words of the school about the member.').meta({
    description: 'Words of the school about the member.',
    example: [],
    view: 'staff',
  }),
  enrollments: list(
    {
      id: id('enr', 'Id of the enrolment.'),
      course_id: id('crs', 'The course.'),
      status: text('State.', 'active'),
      source: text('What opened it.', 'purchase'),
      starts_at: time('From when on.'),
      expires_at: time('Until when.'),
      progress_percent: z.int().meta({ description: 'How far the person is.', example: 40 }),
      completed_at: time('When it was completed.'),
      canceled_at: time('When it was canceled.'),
      certificate_number: text('Number of the certificate.'),
    },
    'Courses that the person takes, or took.',
  ),
  lesson_progress: list(
    {
      lesson_id: id('les', 'The lesson.'),
      course_id: id('crs', 'Its course.'),
      status: text('State.', 'completed'),
      position_seconds: z.int().nullable().meta({ description: 'Where the person stopped.', example: null }),
      completed_at: time('When it was completed.'),
      updated_at: time('When it last changed.'),
    },
    'How far the person is with single lessons.',
  ),
  quiz_attempts: list(
    {
      id: id('qat', 'Id of the attempt.'),
      lesson_id: id('les', 'The lesson.'),
      attempt_no: z.int().meta({ description: 'Number of the attempt, from 1.', example: 1 }),
      score_percent: z.number().meta({ description: 'Result.', example: 80 }),
      passed: z.boolean().meta({ description: 'Whether that was enough.', example: true }),
      answers: answers(),
      created_at: time('When.'),
    },
    'Attempts at quizzes.',
  ),
  orders: list(
    {
      id: id('ord', 'Id of the order.'),
      number: text('Number of the order.', '2026-000512'),
      status: text('State.', 'paid'),
      buyer_name: text('Name on the order.'),
      buyer_email: text('Address on the order.'),
      total: sum('What it came to.'),
      refunded: sum('What was given back.'),
      placed_at: time('When it was placed.'),
      paid_at: time('When it was paid.'),
      items: list(
        {
          product_type: text('What kind of thing.', 'course'),
          title: text('What it is called.'),
          quantity: z.int().meta({ description: 'How many.', example: 1 }),
          total: sum('What it came to.'),
        },
        'What was ordered.',
      ),
    },
    'Orders.',
  ),
  subscriptions: list(
    {
      id: id('sub', 'Id of the subscription.'),
      plan_id: id('mpl', 'The plan.'),
      status: text('State.', 'active'),
      amount: sum('What a period costs.'),
      started_at: time('Since when.'),
      current_period_end: time('Until when it is paid.'),
      canceled_at: time('When it was canceled.'),
      ended_at: time('When it ended.'),
      cancellation_reason: text('Why.'),
      cancellation_comment: text('Why, in words.'),
    },
    'Memberships.',
  ),
  product_grants: list(
    {
      id: id('dgg', 'Id of the grant.'),
      product_id: id('dgp', 'The product.'),
      source: text('What opened it.', 'purchase'),
      downloads_count: z.int().meta({ description: 'How often it was downloaded.', example: 2 }),
      granted_at: time('When.'),
      revoked_at: time('When it was taken back.'),
    },
    'Digital products.',
  ),
  rsvps: list(
    {
      id: id('rsv', 'Id of the answer.'),
      event_id: id('evt', 'The event.'),
      status: text('State.', 'going'),
      guests: z.int().meta({ description: 'How many come along.', example: 0 }),
      note: text('What the person noted.'),
      queued_at: time('When.'),
    },
    'Answers to events.',
  ),
  comments: list(
    {
      id: id('cmt', 'Id of the comment.'),
      subject_type: text('What it is about.', 'lesson'),
      body: text('What the person wrote.'),
      status: text('State.', 'published'),
      created_at: time('When.'),
    },
    'Comments.',
  ),
  form_submissions: list(
    {
      id: id('fsb', 'Id of the submission.'),
      form_id: id('frm', 'The form.'),
      answers: answers(),
      email: text('Address that was given.'),
      name: text('Name that was given.'),
      submitted_at: time('When.'),
    },
    'What the person sent in.',
  ),
  truncated: words('Lists of which only the newest five thousand rows are here.'),
})
