import { z } from 'zod'
import type { PersonViewer } from '../../base/caller.ts'
import type { AnyRule, Rows } from '../../engine/declare/expressions.ts'
import { reference, timestamp } from '../../engine/declare/fields.ts'
import { ownRows } from '../../engine/output/ownRows.ts'
import type { Section } from '../../engine/output/sectionsJson.ts'
import type { Reading } from '../../engine/read/reading.ts'
import type { DB } from '../../gen/kysely/tables.ts'
import { comments } from '../comments/comments.ts'
import { couponRedemptions } from '../coupons/couponRedemptions.ts'
import { rsvps } from '../events/rsvps.ts'
import { files } from '../files/files.ts'
import { uploads } from '../files/uploads.ts'
import { isUploadedBy, isUploadOf } from '../files/visibleFiles.ts'
import { formSubmissions } from '../forms/formSubmissions.ts'
import { certificates } from '../learning/certificates.ts'
import { enrollments } from '../learning/enrollments.ts'
import { lessonProgress } from '../learning/lessonProgress.ts'
import { quizAnswers, quizAttempts } from '../learning/quizAttempts.ts'
import { lecturers } from '../lecturers/lecturers.ts'
import { isMyProfile } from '../lecturers/visibleLecturers.ts'
import { members } from '../members/members.ts'
import { subscriptions } from '../memberships/subscriptions.ts'
import { orders } from '../orders/orders.ts'
import { isMyPost } from '../posts/postAccess.ts'
import { posts } from '../posts/posts.ts'
import { productGrants } from '../products/productGrants.ts'
import { staff } from '../staff/staff.ts'
import { students } from '../students/students.ts'
import {
  accountTables,
  type Coverage,
  confirmedEmail,
  moment,
  ofPerson,
  orNone,
  publicIds,
  type ResourceSection,
  rowsOf,
  type TableSection,
  tableRows,
  text,
} from './accountTables.ts'
import { type ExportedRows, exportedRows } from './exportedRows.ts'
import { tablesWithoutPeople } from './tablesWithoutPeople.ts'

/**
 * How the export of a person's data covers each table: it contains its rows, they are a part of other rows, or it does not contain them,
 * for this reason. A new table does not compile until it has a line here.
 */
export const personalData = {
  account: { partOf: 'account' },
  person: {
    sections: [
      {
        name: 'student',
        about: 'The person as a student.',
        resource: students,
        mine: ((person: Rows<'person'>, me: PersonViewer) => isPerson(person, me)) as unknown as AnyRule,
      },
      {
        name: 'member',
        about: 'The person as a member of the community.',
        resource: members,
        mine: ((person: Rows<'person'>, me: PersonViewer) => isPerson(person, me)) as unknown as AnyRule,
      },
    ],
  },
  person_tag: tableRows({
    name: 'tags',
    about: 'Words that the school assigned to the person.',
    table: 'person_tag',
    fields: z.object({ kind: text('student_tag or member_label.'), tag: text('The word.') }),
    keys: ['kind', 'tag'],
    where: { column: 'person_id', is: 'personId' },
  }),
  staff: rowsOf('staff', { table: 'staff', resource: staff, about: 'The role of the person on the staff.', mine: ofPerson }),
  lecturer: rowsOf('lecturer', {
    ...{ table: 'lecturer', resource: lecturers, about: 'The public profile of the person as a lecturer.' },
    mine: isMyProfile,
  }),
  course_lecturer: tableRows({
    name: 'taught_courses',
    about: 'Courses that the person teaches.',
    table: 'course_lecturer',
    fields: z.object({ course_id: reference('crs', 'The course.') }),
    keys: ['course_id'],
    where: { column: 'lecturer_id', is: 'lecturerId' },
    present: publicIds({ course_id: 'crs' }),
  }),
  event_host: tableRows({
    name: 'hosted_events',
    about: 'Events that the person hosts.',
    table: 'event_host',
    fields: z.object({ event_id: reference('evt', 'The event.') }),
    keys: ['event_id'],
    where: { column: 'lecturer_id', is: 'lecturerId' },
    present: publicIds({ event_id: 'evt' }),
  }),
  orders: rowsOf('orders', {
    ...{ table: 'orders', resource: orders, about: 'Orders, payments and refunds.' },
    mine: (order, me) => order.or([ofPerson(order, me), order('orders.buyer_email', 'in', confirmedEmail(order, me))]),
  }),
  order_item: { partOf: 'orders' },
  refund: { partOf: 'orders' },
  refund_item: { partOf: 'orders' },
  subscription: rowsOf('subscriptions', {
    table: 'subscription',
    resource: subscriptions,
    about: 'Subscriptions to plans.',
    mine: ofPerson,
  }),
  coupon_redemption: rowsOf('coupon_redemptions', {
    ...{ table: 'coupon_redemption', resource: couponRedemptions, about: 'Coupons that the person used.', mine: ofPerson },
  }),
  entitlement: tableRows({
    name: 'entitlements',
    about: 'Courses and products that the person may use.',
    table: 'entitlement',
    fields: z.object({
      product_type: text('course or digital_product.'),
      product_id: text('Stored id of the product.'),
      source_type: text('order, coupon or manual.'),
      starts_at: moment('Since when.'),
      ends_at: orNone(timestamp(), 'Until when.'),
      revoked_at: orNone(timestamp(), 'When it was revoked.'),
    }),
    keys: ['id'],
    where: { column: 'person_id', is: 'personId' },
  }),
  product_grant: rowsOf('product_grants', {
    ...{ table: 'product_grant', resource: productGrants, about: 'Digital products that the person owns.', mine: ofPerson },
  }),
  enrollment: rowsOf('enrollments', { table: 'enrollment', resource: enrollments, about: 'Enrolments in courses.', mine: ofPerson }),
  certificate: rowsOf('certificates', {
    ...{ table: 'certificate', resource: certificates, about: 'Certificates of completed courses.', mine: ofPerson },
  }),
  lesson_progress: rowsOf('lesson_progress', {
    ...{ table: 'lesson_progress', resource: lessonProgress, about: 'Progress in lessons.', mine: ofPerson },
  }),
  quiz_attempt: rowsOf('quiz_attempts', {
    ...{ table: 'quiz_attempt', resource: quizAttempts, about: 'Attempts at quizzes with the answers.', mine: ofPerson },
    also: quizAnswers,
  }),
  person_activity_day: tableRows({
    name: 'activity_days',
    about: 'Days on which the person learned in a course.',
    table: 'person_activity_day',
    fields: z.object({
      day: z.iso.date().meta({ description: 'The day.', example: '2026-03-01' }),
      course_id: reference('crs', 'The course.'),
    }),
    keys: ['day', 'course_id'],
    where: { column: 'person_id', is: 'personId' },
    present: publicIds({ course_id: 'crs' }),
  }),
  rsvp: rowsOf('event_registrations', {
    table: 'rsvp',
    resource: rsvps,
    about: 'Registrations for events.',
    mine: ofPerson,
    also: { note: orNone(z.string(), 'Note on the registration.') },
  }),
  comment: rowsOf('comments', { table: 'comment', resource: comments, about: 'Comments.', mine: ofPerson }),
  form_submission: rowsOf('form_submissions', {
    ...{ table: 'form_submission', resource: formSubmissions, about: 'Submissions of forms.' },
    mine: (submission, me) =>
      submission.or([ofPerson(submission, me), submission('form_submission.email', 'in', confirmedEmail(submission, me))]),
  }),
  post: rowsOf('posts', { table: 'post', resource: posts, about: 'Posts that the person wrote.', mine: isMyPost }),
  post_body: { partOf: 'posts' },
  file: rowsOf('files', { table: 'file', resource: files, about: 'Files that the person uploaded.', mine: isUploadedBy }),
  upload: rowsOf('uploads', { table: 'upload', resource: uploads, about: 'Announced uploads of files.', mine: isUploadOf }),
  page_revision: tableRows({
    name: 'page_revisions',
    about: 'Changes of pages that the person made. Their content belongs to the school.',
    table: 'page_revision',
    fields: z.object({
      page_id: reference('pag', 'The page.'),
      number: z.int().meta({ description: 'Number of the revision.', example: 1 }),
      event: text('What was done.'),
      created_at: moment('When.'),
    }),
    keys: ['page_id', 'number'],
    where: { column: 'account_id', is: 'accountId' },
    present: publicIds({ page_id: 'pag' }),
  }),
  ...accountTables,
  ...tablesWithoutPeople,
} as const satisfies Record<keyof DB, Coverage>

export const rowSchema = (section: ResourceSection | TableSection): z.ZodObject =>
  'resource' in section ? section.resource.schema.extend(section.also ?? {}) : section.fields

export const personalSections: readonly (ResourceSection | TableSection)[] = Object.values<Coverage>(personalData).flatMap((coverage) =>
  'sections' in coverage ? coverage.sections : [],
)

function isPerson(person: Rows<'person'>, me: PersonViewer) {
  return me.personId === null ? person.lit(false) : person('person.id', '=', me.personId)
}

/** Returns every section of the caller's data. Nothing is read before its rows are. */
export function personalRowsOf({ database, school, caller, externalServices }: Reading): Section[] {
  if (caller.kind !== 'person') return []
  const context = { database, school, caller, externalServices }
  return personalSections.map((section) => {
    const { name } = section
    if ('resource' in section) return { name, rows: ownRows({ ...section, also: Object.keys(section.also ?? {}) }, context) }
    const value = caller[section.where.is]
    return { name, rows: value === null ? noRows() : exportedRows(database, { ...section, ...columnsOf(section), value }) }
  })
}

function columnsOf({ fields, columns, present = (row) => ({ ...row }) }: TableSection): Pick<ExportedRows, 'columns' | 'present'> {
  const names = Object.keys(fields.shape)
  return {
    columns: columns ?? names,
    present(row) {
      const shown = present(row)
      return Object.fromEntries(names.map((name) => [name, shown[name] ?? null]))
    },
  }
}

async function* noRows(): AsyncGenerator<Record<string, unknown>[]> {}
