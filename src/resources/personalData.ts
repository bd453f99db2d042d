// More than 250 lines: one entry for each table with data of people.
import { z } from 'zod'
import { scopesOf } from '../domain/accounts/connectedApps.ts'
import { isUploadedBy, isUploadOf } from '../domain/files/files.ts'
import { isMyProfile } from '../domain/lecturers/lecturers.ts'
import { isMyPost } from '../domain/posts/postAccess.ts'
import type { AnyRule, Rows, TableName } from '../framework/declare/expressions.ts'
import { reference, timestamp } from '../framework/declare/fields.ts'
import type { Resource } from '../framework/declare/resource.ts'
import type { DB } from '../gen/kysely/tables.ts'
import { hashedId, toPublicId } from '../lib/ids.ts'
import type { PersonViewer } from '../policy/caller.ts'
import { comments } from './comments.ts'
import { couponRedemptions } from './couponRedemptions.ts'
import { enrollments } from './enrollments.ts'
import { files } from './files.ts'
import { formSubmissions } from './formSubmissions.ts'
import { lecturers } from './lecturers.ts'
import { lessonProgress } from './lessonProgress.ts'
import { members } from './members.ts'
import { orders } from './orders.ts'
import { posts } from './posts.ts'
import { productGrants } from './productGrants.ts'
import { quizAnswers, quizAttempts } from './quizAttempts.ts'
import { rsvps } from './rsvps.ts'
import { staff } from './staff.ts'
import { students } from './students.ts'
import { subscriptions } from './subscriptions.ts'
import { uploads } from './uploads.ts'

/** Rows of a resource, in the form of the API. */
export interface ResourceSection {
  name: string
  about: string
  resource: Resource
  mine: AnyRule
  /** Columns to add to the fields of the API, with their schemas. */
  also?: z.ZodRawShape
}

/** Rows of a table without a resource. */
export interface TableSection {
  name: string
  about: string
  table: keyof DB
  /** The fields of a row; without `present`, each is a column. */
  fields: z.ZodObject
  /** The columns that `present` reads. Default: the fields. */
  columns?: readonly string[]
  /** Columns that are unique together within the school: the order of the rows. */
  keys: readonly string[]
  /** The column that refers to the person, and to what of theirs. */
  where: { column: string; is: 'accountId' | 'personId' | 'lecturerId' }
  /** Converts a row for the export. Default: as it is stored. */
  present?(row: Readonly<Record<string, unknown>>): Record<string, unknown>
}

/** How a table is covered by the export of a person's data. */
export type Coverage = { sections: readonly (ResourceSection | TableSection)[] } | { partOf: string } | { reason: string }

type Mine<Table extends TableName> = (rows: Rows<Table>, me: PersonViewer) => ReturnType<AnyRule>

/** The rows of a resource that belong to the person. */
function rowsOf<Table extends TableName>(
  name: string,
  { resource, about, mine, also }: { table: Table; resource: Resource; about: string; mine: Mine<Table>; also?: z.ZodRawShape },
): Coverage {
  return { sections: [{ name, about, resource, mine: mine as unknown as AnyRule, ...(also && { also }) }] }
}

const tableRows = (section: TableSection): Coverage => ({ sections: [section] })

/** Selects the rows of the person in a table with the column `person_id`. */
const ofPerson = (
  rows: { (column: 'person_id', operator: '=', value: string): ReturnType<AnyRule>; lit(value: boolean): ReturnType<AnyRule> },
  me: PersonViewer,
) => (me.personId === null ? rows.lit(false) : rows('person_id', '=', me.personId))

/** The confirmed address of the account: rows with it belong to the person, as when the person is erased. */
const confirmedEmail = ({ selectFrom }: Pick<Rows<'account'>, 'selectFrom'>, { schoolId, accountId }: PersonViewer) =>
  selectFrom('account')
    .select('account.email')
    .where('account.school_id', '=', schoolId)
    .where('account.id', '=', accountId)
    .where('account.email_verified', '=', true)

const text = (description: string) => z.string().meta({ description, example: '' })
const orNone = (schema: z.ZodType, description: string) => schema.nullable().meta({ description, example: null })
const moment = (description: string) => timestamp().meta({ description, example: '2026-03-01T09:30:00.000Z' })

const publicIds =
  (prefixes: Readonly<Record<string, string>>) =>
  (row: Readonly<Record<string, unknown>>): Record<string, unknown> => ({
    ...row,
    ...Object.fromEntries(Object.entries(prefixes).map(([column, prefix]) => [column, toPublicId(prefix, String(row[column]))])),
  })

const notPersonal = { reason: 'Describes the school, not a person.' }
const technical = { reason: 'Technical state of the service, without data of a person.' }
const figures = { reason: 'Figures about many people together.' }

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
  oidc_grant: tableRows({
    name: 'grants',
    about: 'Everything that the person allowed to apps, also what has ended.',
    table: 'oidc_grant',
    fields: z.object({
      id: text('Id of the authorization.'),
      client_id: text('Id of the app.'),
      scopes: z.array(z.string()).meta({ description: 'Permissions.', example: ['openid'] }),
      created_at: moment('When the person granted access.'),
      last_used_at: orNone(timestamp(), 'When the app last used it.'),
      expires_at: moment('When it expires.'),
      revoked_at: orNone(timestamp(), 'When it was ended.'),
    }),
    columns: ['client_id', 'payload', 'created_at', 'last_used_at', 'expires_at', 'revoked_at'],
    keys: ['id'],
    where: { column: 'account_id', is: 'accountId' },
    present: ({ id, payload, ...row }) => ({
      id: hashedId('aut', String(id)),
      ...row,
      scopes: [...scopesOf(payload as Parameters<typeof scopesOf>[0])],
    }),
  }),
  audit_log: tableRows({
    name: 'activity',
    about: 'Sign-ins and changes of the account: the audit trail of the person.',
    table: 'audit_log',
    fields: z.object({
      at: moment('When.'),
      event: text('What happened.'),
      client_id: orNone(z.string(), 'The app that acted for the person.'),
      address: orNone(z.string(), 'Network address.'),
      details: text('Further details, as JSON.'),
    }),
    keys: ['id'],
    where: { column: 'account_id', is: 'accountId' },
    present: ({ id: _id, details, ...row }) => ({ ...row, details: JSON.stringify(details) }),
  }),
  mailed_link: tableRows({
    name: 'mailed_links',
    about: 'Links that were sent to the person.',
    table: 'mailed_link',
    fields: z.object({
      purpose: text('sign_up, password_reset or email_change.'),
      email: text('Where it was sent.'),
      created_at: moment('When it was sent.'),
      expires_at: moment('When it expired.'),
      used_at: orNone(timestamp(), 'When it was used.'),
    }),
    keys: ['id'],
    where: { column: 'account_id', is: 'accountId' },
    // The id is the hash of the secret in the link.
    present: ({ id: _id, ...row }) => row,
  }),
  passkey: tableRows({
    name: 'passkeys',
    about: 'Passkeys of the person, without the keys.',
    table: 'passkey',
    fields: z.object({
      name: text('Name that the person gave it.'),
      created_at: moment('When it was added.'),
      last_used_at: orNone(timestamp(), 'When it was last used.'),
    }),
    keys: ['id'],
    where: { column: 'account_id', is: 'accountId' },
  }),
  authenticator_app: tableRows({
    name: 'authenticator_apps',
    about: 'Authenticator apps of the person, without the secret.',
    table: 'authenticator_app',
    fields: z.object({ created_at: moment('When it was set up.') }),
    keys: ['account_id'],
    where: { column: 'account_id', is: 'accountId' },
  }),
  calendar_feed: tableRows({
    name: 'calendar_feeds',
    about: 'The secret address of the calendar, without the address.',
    table: 'calendar_feed',
    fields: z.object({ renewed_at: moment('When the address was created.') }),
    keys: ['account_id'],
    where: { column: 'account_id', is: 'accountId' },
  }),
  recovery_code: tableRows({
    name: 'recovery_codes',
    about: 'Recovery codes of the person, without the codes.',
    table: 'recovery_code',
    fields: z.object({ created_at: moment('When it was created.'), used_at: orNone(timestamp(), 'When it was used.') }),
    keys: ['hash'],
    where: { column: 'account_id', is: 'accountId' },
  }),
  outbox: { reason: 'Messages on their way, removed after they are delivered.' },
  platform_report: technical,
  used_challenge: technical,
  webhook_endpoint: notPersonal,
  job_run: technical,
  oidc_artifact: { reason: 'Hashes of tokens and sessions, deleted when they expire. The sessions and the grants are in the export.' },
  idempotency_record: { reason: 'Copies of responses, deleted after a day. The rows in them are in the export.' },
  change_log: { reason: 'Names changed rows and their versions; the rows themselves are in the export.' },
  file_reference: { reason: 'Names the rows that use a file; the rows and the files are in the export.' },
  coupon: { reason: 'An offer of the school. Its uses by the person are in the export.' },
  oidc_client: { reason: 'Describes an app. What the person allowed to it is in the export.' },
  oidc_client_tombstone: technical,
  signing_key: technical,
  file_removal: technical,
  storage_usage: technical,
  change_epoch: technical,
  order_counter: technical,
  document_counter: technical,
  analytics_state: technical,
  analytics_dirty: technical,
  school: notPersonal,
  course: notPersonal,
  section: notPersonal,
  lesson: notPersonal,
  lesson_body: notPersonal,
  appearance: notPersonal,
  page: notPersonal,
  event: notPersonal,
  event_plan: notPersonal,
  membership_plan: notPersonal,
  plan_price: notPersonal,
  plan_item: notPersonal,
  coupon_item: notPersonal,
  post_plan: notPersonal,
  digital_product: notPersonal,
  product_file: notPersonal,
  form: notPersonal,
  analytics_daily_active: figures,
  analytics_daily_school: figures,
  analytics_daily_product: figures,
  analytics_daily_order: figures,
  analytics_daily_course: figures,
  analytics_daily_pace: figures,
  analytics_daily_plan: figures,
  analytics_daily_coupon: figures,
  analytics_daily_tax: figures,
  analytics_daily_event: figures,
  analytics_lesson: figures,
  analytics_retention: figures,
} as const satisfies Record<keyof DB, Coverage>

/** Returns the schema of the rows of a section. */
export const rowSchema = (section: ResourceSection | TableSection): z.ZodObject =>
  'resource' in section ? section.resource.schema.extend(section.also ?? {}) : section.fields

/** The sections of the export in their order. */
export const personalSections: readonly (ResourceSection | TableSection)[] = Object.values<Coverage>(personalData).flatMap((coverage) =>
  'sections' in coverage ? coverage.sections : [],
)

function isPerson(person: Rows<'person'>, me: PersonViewer) {
  return me.personId === null ? person.lit(false) : person('person.id', '=', me.personId)
}
