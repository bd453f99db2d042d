import type { ColumnName, TableName } from './columns.ts'

/**
 * Says what the columns of a table are. Copies of rows and the taking back of changes depend on it:
 *
 * - content: what people wrote or chose. A copy has it.
 * - derived: follows from the columns that are named, of the row or of its text. It is kept together with them.
 * - counter: a sum of other rows, never below zero. A copy begins with zero; taking back subtracts.
 * - identity: names the row and its parents. A copy has its own.
 * - state: where the row is in its life. A copy begins it.
 */
interface Kinds<Table extends TableName> {
  content: readonly ColumnName<Table>[]
  derived?: Readonly<Partial<Record<ColumnName<Table>, readonly string[]>>>
  counter?: readonly ColumnName<Table>[]
  identity?: readonly ColumnName<Table>[]
  state?: readonly ColumnName<Table>[]
}

/** Columns that mean the same in every table. */
type Common = 'school_id' | 'id' | 'version' | 'created_at' | 'updated_at'
type Listed<Own> = { [Kind in keyof Own]: Own[Kind] extends readonly (infer Name)[] ? Name : keyof Own[Kind] }[keyof Own]
type Unlisted<Table extends TableName, Own> = Exclude<ColumnName<Table>, Common | Listed<Own>>

/** Declares a table whose rows can be copied. A column without a kind is an error of the compiler. */
const copied = <Table extends TableName, const Own extends Kinds<Table>>(
  _table: Table,
  own: Own & ([Unlisted<Table, Own>] extends [never] ? unknown : { withoutKind: Unlisted<Table, Own> }),
): Own => own

const html = { description_html: ['description', 'description_format'] } as const
const text = { content: ['content', 'content_format'], derived: { content_html: ['content', 'content_format'] } } as const
const price = ['price_amount', 'price_currency'] as const
const compared = [...price, 'compare_at_amount', 'compare_at_currency'] as const
const cover = ['cover_image_file_id', 'cover_image_alt'] as const
const described = ['title', 'description', 'description_format', ...cover, 'metadata'] as const

export const copiedTables = {
  course: copied('course', {
    content: [
      ...described,
      ...compared,
      ...(['subtitle', 'visibility', 'level', 'language', 'category', 'tags', 'trailer_url', 'access', 'seo'] as const),
      ...(['enrollment_open', 'enrollment_starts_at', 'enrollment_ends_at', 'capacity', 'access_duration_days'] as const),
      ...(['completion_threshold_percent', 'certificate_enabled', 'certificate_template'] as const),
    ],
    derived: { ...html, tag_forms: ['tags'], title_order: ['title'] },
    counter: [
      ...(['sections_count', 'lessons_count', 'published_lessons_count', 'previews_count', 'published_previews_count'] as const),
      ...(['duration_minutes', 'published_duration_minutes', 'enrollments_count'] as const),
    ],
    identity: ['slug', 'external_id'],
    state: ['status', 'position', 'tree_version', 'published_at', 'archived_at'],
  }),
  course_lecturer: copied('course_lecturer', { content: ['lecturer_id', 'position'], identity: ['course_id'] }),
  section: copied('section', { content: ['title', 'summary', 'position', 'metadata'], identity: ['course_id', 'external_id'] }),
  // Lessons are copied with their course: those that were published are part of the copy.
  lesson: copied('lesson', {
    content: [
      ...(['title', 'kind', 'status', 'is_preview', 'position', 'duration_seconds', 'media', 'attachment_file_ids', 'quiz'] as const),
      ...(['event_id', 'drip', 'comments_enabled', 'metadata'] as const),
    ],
    identity: ['course_id', 'section_id', 'external_id'],
  }),
  lesson_body: copied('lesson_body', { ...text, identity: ['lesson_id'] }),
  event: copied('event', {
    content: [
      ...described,
      ...price,
      ...(['kind', 'starts_at', 'ends_at', 'time_zone', 'location', 'join_url', 'access', 'course_id', 'capacity'] as const),
      ...(['waitlist_enabled', 'waitlist_mode', 'waitlist_offer_hours', 'reminder_hours', 'rsvp_opens_at', 'rsvp_closes_at'] as const),
    ],
    derived: html,
    counter: ['going_count', 'waitlisted_count', 'comments_count'],
    identity: ['slug', 'external_id'],
    // The recording belongs to the meeting that took place.
    state: ['status', 'recording_url', 'published_at', 'canceled_at', 'cancel_reason', 'moved_from', 'move_notice_at', 'move_activity_id'],
  }),
  event_host: copied('event_host', { content: ['lecturer_id', 'position'], identity: ['event_id'] }),
  event_plan: copied('event_plan', { content: ['plan_id'], identity: ['event_id'] }),
  post: copied('post', {
    content: [
      ...(['title', 'kind', 'visibility', 'author_lecturer_id', 'excerpt', ...cover, 'tags', 'comments_enabled', 'seo'] as const),
      'metadata',
    ],
    derived: { automatic_excerpt: text.content, reading_minutes: text.content, tag_forms: ['tags'], title_order: ['title'] },
    counter: ['comments_count'],
    identity: ['slug', 'external_id'],
    state: ['status', 'pinned', 'scheduled_for', 'published_at', 'archived_at'],
  }),
  post_body: copied('post_body', { ...text, identity: ['post_id'] }),
  post_plan: copied('post_plan', { content: ['plan_id'], identity: ['post_id'] }),
  digital_product: copied('digital_product', {
    content: [
      ...described,
      ...compared,
      ...(['subtitle', 'category', 'tags', 'kind', 'access', 'preview_file_id', 'license', 'download_limit', 'updates_note'] as const),
      'seo',
    ],
    derived: { ...html, tag_forms: ['tags'], title_order: ['title'] },
    counter: ['sales_count'],
    identity: ['slug', 'external_id'],
    state: ['status', 'position', 'published_at', 'archived_at'],
  }),
  product_file: copied('product_file', {
    content: ['file_id', 'title', 'position'],
    identity: ['product_id'],
    state: ['file_version'],
  }),
  page: copied('page', {
    content: ['kind', 'visibility', 'draft_title', 'draft_blocks', 'draft_seo', 'draft_show_in_navigation', 'metadata'],
    identity: ['slug', 'external_id'],
    derived: { title_order: ['title'] },
    state: ['status', 'title', 'live', 'published_at'],
  }),
}

export type CopiedTable = keyof typeof copiedTables

const otherTables: { readonly [Table in TableName]?: Partial<Kinds<Table>> } = {
  comment: { counter: ['replies_count', 'reactions_count'], derived: { body_html: ['body'] } },
  coupon: { counter: ['redemptions_count'] },
  enrollment: { counter: ['completed_lessons_count', 'progress_percent'] },
  form: { counter: ['submissions_count', 'unreported_count'], derived: { title_order: ['title'] } },
  lecturer: { counter: ['students_count'], derived: { bio_html: ['bio', 'bio_format'], display_name_order: ['display_name'] } },
  membership_plan: { counter: ['subscribers_count'], derived: { ...html, name_order: ['name'] } },
  person: {
    counter: ['enrollments_count', 'active_enrollments_count', 'completed_courses_count', 'comments_count', 'rsvps_count'],
    derived: { name_order: ['name'], display_name_order: ['display_name', 'name'] },
  },
  product_grant: { counter: ['downloads_count'] },
}

interface Declared {
  content?: readonly string[]
  derived?: Readonly<Record<string, readonly string[]>>
  counter?: readonly string[]
}
const tables: Readonly<Record<string, Declared>> = { ...copiedTables, ...otherTables }

/** The counters of each table. The database keeps each at zero or above. */
export const counters: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(tables).flatMap(([table, { counter = [] }]) => (counter.length === 0 ? [] : [[table, counter]])),
)

export const isCounter = (table: string, column: string): boolean => counters[table]?.includes(column) ?? false

/** Returns the columns, of the row or of its text, from which a column follows; undefined for other columns. */
export const sourcesOf = (table: string, column: string): readonly string[] | undefined => tables[table]?.derived?.[column]
