import { audienceOf, type Caller } from '../../base/caller.ts'
import type { SchoolReader } from '../../database/connection/database.ts'
import type { DB } from '../../gen/kysely/tables.ts'

type TableOfPerson = { [Table in keyof DB]: 'person_id' extends keyof DB[Table] ? Table : never }[keyof DB]

/**
 * The list of the export that contains the rows of each table, or the reason why none does. A new table with the column `person_id` does
 * not compile until it has a line here.
 */
export const exportedTables = {
  enrollment: { list: 'enrollments' },
  certificate: { list: 'certificates' },
  lesson_progress: { list: 'lesson_progress' },
  quiz_attempt: { list: 'quiz_attempts' },
  orders: { list: 'orders' },
  subscription: { list: 'subscriptions' },
  product_grant: { list: 'product_grants' },
  coupon_redemption: { list: 'coupon_redemptions' },
  rsvp: { list: 'rsvps' },
  comment: { list: 'comments' },
  form_submission: { list: 'form_submissions' },
  person_tag: { list: 'tags' },
  entitlement: { reason: 'Follows from the orders, the redeemed coupons and the grants of the person, which are in the export.' },
  staff: { reason: 'Describes the work of the person for the school: GET /school/staff.' },
  undo_image: { reason: 'Encrypted copies of rows, kept for some days to take changes back. The rows themselves are in the export.' },
  undo_capture: { reason: 'Empty outside of transactions: the rows that one of them has changed.' },
  person_activity_day: { reason: 'Repeats the days of the lesson progress. The export of the account contains it.' },
} as const satisfies Record<TableOfPerson, { list: string } | { reason: string }>

const most = 5000

type PersonTable = 'enrollment' | 'lesson_progress' | 'quiz_attempt' | 'comment' | 'rsvp' | 'subscription' | 'product_grant'

type Money = (amount: string | number) => { amount: number; currency: string }

/**
 * Reads all data that the school stores about a person, without the rows of other people and without credentials. `truncated` contains
 * the names of the lists that contain only the newest rows. Staff also get what names the address of the person, as erasing removes it.
 */
export async function exportPerson({ database, caller }: { database: SchoolReader; caller: Caller }, { id: personId }: { id: string }) {
  const person = await database.selectFrom('person').selectAll().where('id', '=', personId).executeTakeFirstOrThrow()
  const key = { personId, email: audienceOf(caller) === 'staff' ? person.email : null }
  const newestRows = async (table: PersonTable) =>
    await database.selectFrom(table).selectAll().where('person_id', '=', personId).orderBy('id', 'desc').limit(most).execute()
  const certificates = await newestCertificates(database, personId)
  const latest = new Map(certificates.toReversed().map((row) => [row.enrollment_id, row]))
  const tags = await database.selectFrom('person_tag').select(['kind', 'tag']).where('person_id', '=', personId).orderBy('tag').execute()
  const lists = {
    enrollments: (await newestRows('enrollment')).map((row) => ({
      ...row,
      certificate_number: latest.get(row.id)?.number ?? null,
      certificate_holder_name: latest.get(row.id)?.holder_name ?? null,
      certificate_course_title: latest.get(row.id)?.course_title ?? null,
    })),
    certificates,
    lesson_progress: await newestRows('lesson_progress'),
    quiz_attempts: (await newestRows('quiz_attempt')).map((row) => ({
      ...row,
      score_percent: Number(row.score_bps) / 100,
      answers: textsOf(row.answers),
    })),
    orders: await ordersOf(database, key),
    subscriptions: (await newestRows('subscription')).map((row) => ({ ...row, amount: moneyIn(row.currency)(row.amount) })),
    product_grants: await newestRows('product_grant'),
    coupon_redemptions: await redemptionsOf(database, personId),
    rsvps: await newestRows('rsvp'),
    comments: await newestRows('comment'),
    form_submissions: await submissionsOf(database, key),
  }
  return {
    student: person.is_student ? { ...person, status: person.student_status, status_reason: person.student_status_reason } : null,
    member: person.is_member
      ? {
          ...person,
          ...{ status: person.member_status, status_reason: person.member_status_reason, note: person.member_note },
          last_seen_at: person.last_active_at,
        }
      : null,
    tags: tags.filter(({ kind }) => kind === 'student_tag').map(({ tag }) => tag),
    labels: tags.filter(({ kind }) => kind === 'member_label').map(({ tag }) => tag),
    ...lists,
    truncated: Object.entries(lists).flatMap(([name, rows]) => (rows.length >= most ? [name] : [])),
  }
}

const newestCertificates = async (database: SchoolReader, personId: string) =>
  await database
    .selectFrom('certificate')
    .selectAll()
    .where('person_id', '=', personId)
    .orderBy('completed_at', 'desc')
    .orderBy('id', 'desc')
    .limit(most)
    .execute()

interface Key {
  personId: string
  /** The address whose rows belong to the person too; null for none. */
  email: string | null
}

const moneyIn =
  (currency: unknown): Money =>
  (amount) => ({ amount: Number(amount), currency: String(currency) })

async function ordersOf(database: SchoolReader, { personId, email }: Key) {
  const orders = await database
    .selectFrom('orders')
    .selectAll()
    .where((order) => order.or([order('person_id', '=', personId), order('buyer_email', '=', email)]))
    .orderBy('id', 'desc')
    .limit(most)
    .execute()
  const items =
    orders.length === 0
      ? []
      : await database
          .selectFrom('order_item')
          .selectAll()
          .where(
            'order_id',
            'in',
            orders.map(({ id }) => id),
          )
          .orderBy('position')
          .execute()
  return orders.map((order) => {
    const money = moneyIn(order.currency)
    return {
      ...order,
      total: money(order.total_amount),
      refunded: money(order.refunded_amount),
      items: items.filter(({ order_id }) => order_id === order.id).map((item) => ({ ...item, total: money(item.total_amount) })),
    }
  })
}

async function redemptionsOf(database: SchoolReader, personId: string) {
  const rows = await database
    .selectFrom('coupon_redemption as use')
    .innerJoin('coupon', 'coupon.id', 'use.coupon_id')
    .select(['use.id', 'use.order_id', 'use.status', 'use.amount_off', 'use.currency', 'use.created_at', 'coupon.code'])
    .where('use.person_id', '=', personId)
    .orderBy('use.id', 'desc')
    .limit(most)
    .execute()
  return rows.map((row) => ({ ...row, amount_off: moneyIn(row.currency)(row.amount_off) }))
}

const textsOf = (answers: unknown): Record<string, string> =>
  Object.fromEntries(Object.entries(answers ?? {}).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]))

async function submissionsOf(database: SchoolReader, { personId, email }: Key) {
  const rows = await database
    .selectFrom('form_submission')
    .selectAll()
    .where((submission) => submission.or([submission('person_id', '=', personId), submission('email', '=', email)]))
    .orderBy('id', 'desc')
    .limit(most)
    .execute()
  return rows.map((row) => ({ ...row, answers: textsOf(row.answers) }))
}
