import { z } from 'zod'
import { money, reference, timestamp } from '../../engine/declare/fields.ts'
import { memberSchema } from '../members/memberFields.ts'
import { studentSchema } from '../students/studentFields.ts'

const text = (description: string, example: string | null = null) => z.string().nullable().meta({ description, example })
const time = (description: string) => timestamp().nullable().meta({ description, example: '2026-03-01T09:30:00.000Z' })
const id = (prefix: string, description: string) => reference(prefix, description)
const maybe = (idPrefix: string, description: string) =>
  reference(idPrefix, description).nullable().meta({ description, idPrefix, example: null })
const sum = (description: string) => money(description).meta({ description, example: { amount: 8900, currency: 'EUR' } })
const answers = () => z.record(z.string(), z.string()).meta({ description: 'Answers by question; lists as JSON.', example: {} })
const list = (component: string, entry: z.ZodRawShape, description: string) =>
  z.array(z.object(entry).meta({ component })).meta({ description, example: [] })
const words = (description: string) => z.array(z.string()).meta({ description, example: [] })

/** The rows of a person, which both exports contain. */
const lists = {
  tags: words('Tags of the student.').meta({
    description: 'Tags of the student.',
    example: [],
    view: 'staff',
  }),
  labels: words('Labels of the member.').meta({
    description: 'Labels of the member.',
    example: [],
    view: 'staff',
  }),
  enrollments: list(
    'ExportedEnrollment',
    {
      id: id('enr', 'Id of the enrolment.'),
      course_id: id('crs', 'The course.'),
      status: text('State.', 'active'),
      source: text('Source of the access.', 'purchase'),
      starts_at: time('Start of the access.'),
      expires_at: time('End of the access.'),
      progress_percent: z.int().meta({ description: 'Progress.', example: 40 }),
      completed_at: time('Time of completion.'),
      canceled_at: time('Time of cancellation.'),
      certificate_number: text('Number of the newest certificate.'),
      certificate_holder_name: text('Name on the certificate.'),
      certificate_course_title: text('Title on the certificate.'),
    },
    'Enrolments in courses.',
  ),
  certificates: list(
    'ExportedCertificate',
    {
      id: id('cer', 'Id of the certificate.'),
      enrollment_id: id('enr', 'The enrolment.'),
      course_id: id('crs', 'The course.'),
      number: text('Number of the certificate.'),
      holder_name: text('Name on the certificate.'),
      course_title: text('Title on the certificate.'),
      completed_at: time('Time of the completion.'),
      issued_at: time('Time of issue.'),
      corrected_at: time('Time of the last correction.'),
      revoked_at: time('Time of revocation.'),
    },
    'Certificates of completed courses.',
  ),
  lesson_progress: list(
    'ExportedProgress',
    {
      lesson_id: id('les', 'The lesson.'),
      course_id: id('crs', 'Its course.'),
      status: text('State.', 'completed'),
      position_seconds: z.int().nullable().meta({ description: 'Position in seconds.', example: null }),
      completed_at: time('Time of completion.'),
      updated_at: time('Time of the last change.'),
    },
    'Progress in single lessons.',
  ),
  quiz_attempts: list(
    'ExportedAttempt',
    {
      id: id('qat', 'Id of the attempt.'),
      lesson_id: id('les', 'The lesson.'),
      attempt_no: z.int().meta({ description: 'Number of the attempt, from 1.', example: 1 }),
      score_percent: z.number().meta({ description: 'Result.', example: 80 }),
      passed: z.boolean().meta({ description: 'True if the attempt was passed.', example: true }),
      answers: answers(),
      created_at: time('Time.'),
    },
    'Attempts at quizzes.',
  ),
  orders: list(
    'ExportedOrder',
    {
      id: id('ord', 'Id of the order.'),
      number: text('Number of the order.', '2026-000512'),
      status: text('State.', 'paid'),
      buyer_name: text('Name on the order.'),
      buyer_email: text('Address on the order.'),
      billing_address: z
        .record(z.string(), z.string().nullable())
        .nullable()
        .meta({ description: 'Postal address on the invoice.', example: null }),
      tax_id: text('Tax number on the invoice.'),
      total: sum('Total.'),
      refunded: sum('Refunded amount.'),
      placed_at: time('Time of the order.'),
      paid_at: time('Time of payment.'),
      items: list(
        'ExportedItem',
        {
          product_type: text('Type of the product.', 'course'),
          title: text('Title of the product.'),
          quantity: z.int().meta({ description: 'Quantity.', example: 1 }),
          total: sum('Total.'),
        },
        'Ordered items.',
      ),
    },
    'Orders.',
  ),
  subscriptions: list(
    'ExportedSubscription',
    {
      id: id('sub', 'Id of the subscription.'),
      plan_id: id('mpl', 'The plan.'),
      status: text('State.', 'active'),
      amount: sum('Price of a period.'),
      started_at: time('Start of the subscription.'),
      current_period_end: time('End of the paid period.'),
      canceled_at: time('Time of cancellation.'),
      ended_at: time('End of the subscription.'),
      cancellation_reason: text('Reason.'),
      cancellation_comment: text('Comment on the reason.'),
    },
    'Memberships.',
  ),
  product_grants: list(
    'ExportedGrant',
    {
      id: id('dgg', 'Id of the grant.'),
      product_id: id('dgp', 'The product.'),
      source: text('Source of the access.', 'purchase'),
      downloads_count: z.int().meta({ description: 'Number of downloads.', example: 2 }),
      granted_at: time('Time.'),
      revoked_at: time('Time of revocation.'),
    },
    'Digital products.',
  ),
  coupon_redemptions: list(
    'ExportedRedemption',
    {
      id: id('crd', 'Id of the redemption.'),
      code: text('Code of the coupon.', 'SPRING'),
      order_id: maybe('ord', 'The order.'),
      amount_off: sum('Discount.'),
      status: text('State.', 'confirmed'),
      created_at: time('Time.'),
    },
    'Coupons that the person used.',
  ),
  rsvps: list(
    'ExportedRsvp',
    {
      id: id('rsv', 'Id of the RSVP.'),
      event_id: id('evt', 'The event.'),
      status: text('State.', 'going'),
      guests: z.int().meta({ description: 'Number of guests.', example: 0 }),
      note: text('Note of the person.'),
      queued_at: time('Time.'),
      offered_until: time('Until when a seat is held for the person, who pays for it.'),
    },
    'RSVPs to events.',
  ),
  comments: list(
    'ExportedComment',
    {
      id: id('cmt', 'Id of the comment.'),
      subject_type: text('Type of the subject.', 'lesson'),
      body: text('Text of the comment.'),
      status: text('State.', 'published'),
      created_at: time('Time.'),
    },
    'Comments.',
  ),
  form_submissions: list(
    'ExportedSubmission',
    {
      id: id('fsb', 'Id of the submission.'),
      form_id: id('frm', 'The form.'),
      answers: answers(),
      email: text('E-mail address in the form.'),
      name: text('Name in the form.'),
      submitted_at: time('Time.'),
    },
    'Form submissions.',
  ),
  truncated: words('Lists that contain only the newest 5,000 rows.'),
}

/** All data that the school stores about a student. */
export const studentExport = z.object({
  object: z.literal('student_export').meta({ description: 'Type of the object.' }),
  student: studentSchema
    .omit({ avatar: true, tags: true, member_id: true, has_account: true, lifetime_spend: true })
    .extend({
      id: id('std', 'Id as a student.'),
      avatar_file_id: maybe('fil', 'Picture of the person.'),
      created_at: timestamp().meta({ description: 'Time of creation.', example: '2026-03-01T09:30:00.000Z' }),
    })
    .meta({ description: 'The person as a student.', example: {} }),
  member: z
    .object({
      id: id('mbr', 'Id as a member.'),
      display_name: text('Name in the community.'),
      headline: text('Line below the name.'),
      bio: text('About the person.'),
      links: z
        .array(z.object({ label: text('Label of the link.'), url: text('URL of the link.') }))
        .meta({ description: 'Links to other websites.', example: [] }),
      status: text('State as a member.', 'active'),
      tier: text('free, paid or comped.', 'free'),
      directory_visible: z.boolean().meta({ description: 'True if the directory shows the person.', example: true }),
      joined_at: time('Time of joining.'),
    })
    .nullable()
    .meta({ description: 'The person as a member; null if the person is not a member.', example: null }),
  ...lists,
})

/** All data that the school stores about a member: about everybody who can be erased and is not a student. */
export const memberExport = z.object({
  object: z.literal('member_export').meta({ description: 'Type of the object.' }),
  member: memberSchema
    .omit({ avatar: true, plans: true, roles: true, labels: true, student_id: true })
    .extend({
      id: id('mbr', 'Id as a member.'),
      name: text('Name of the person.'),
      display_name: text('Name in the community.'),
      avatar_file_id: maybe('fil', 'Picture of the person.'),
      created_at: timestamp().meta({ description: 'Time of creation.', example: '2026-03-01T09:30:00.000Z' }),
    })
    .meta({ description: 'The person as a member.', example: {} }),
  student: studentExport.shape.student.nullable().meta({
    ...{ description: 'The person as a student; null if the person is not a student.', example: null },
  }),
  ...lists,
})
