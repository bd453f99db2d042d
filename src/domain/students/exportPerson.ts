import type { Reader } from '../../store/database.ts'

/** The maximum length of a list in an export, which contains the newest rows. */
const most = 5000

type PersonTable = 'enrollment' | 'lesson_progress' | 'quiz_attempt' | 'comment' | 'rsvp' | 'subscription' | 'product_grant'

type Money = (amount: string | number) => { amount: number; currency: string }

/**
 * Reads all data that the school stores about a person, without the rows of other people and without credentials. `truncated` contains
 * the names of the lists that contain only the newest rows.
 */
export async function exportPerson(database: Reader, { schoolId, personId }: { schoolId: string; personId: string }) {
  const newestRows = async (table: PersonTable) =>
    await database
      .selectFrom(table)
      .selectAll()
      .where('school_id', '=', schoolId)
      .where('person_id', '=', personId)
      .orderBy('id', 'desc')
      .limit(most)
      .execute()
  const tags = await database
    .selectFrom('person_tag')
    .select(['kind', 'tag'])
    .where('school_id', '=', schoolId)
    .where('person_id', '=', personId)
    .orderBy('tag')
    .execute()
  const lists = {
    enrollments: await newestRows('enrollment'),
    lesson_progress: await newestRows('lesson_progress'),
    quiz_attempts: (await newestRows('quiz_attempt')).map((row) => ({
      ...row,
      score_percent: Number(row.score_bps) / 100,
      answers: textsOf(row.answers),
    })),
    orders: await ordersOf(database, schoolId, personId),
    subscriptions: (await newestRows('subscription')).map((row) => ({ ...row, amount: moneyIn(row.currency)(row.amount) })),
    product_grants: await newestRows('product_grant'),
    rsvps: await newestRows('rsvp'),
    comments: await newestRows('comment'),
    form_submissions: await submissionsOf(database, schoolId, personId),
  }
  return {
    tags: tags.filter(({ kind }) => kind === 'student_tag').map(({ tag }) => tag),
    labels: tags.filter(({ kind }) => kind === 'member_label').map(({ tag }) => tag),
    ...lists,
    truncated: Object.entries(lists).flatMap(([name, rows]) => (rows.length >= most ? [name] : [])),
  }
}

const moneyIn =
  (currency: unknown): Money =>
  (amount) => ({ amount: Number(amount), currency: String(currency) })

async function ordersOf(database: Reader, schoolId: string, personId: string) {
  const orders = await database
    .selectFrom('orders')
    .selectAll()
    .where('school_id', '=', schoolId)
    .where('person_id', '=', personId)
    .orderBy('id', 'desc')
    .limit(most)
    .execute()
  const items =
    orders.length === 0
      ? []
      : await database
          .selectFrom('order_item')
          .selectAll()
          .where('school_id', '=', schoolId)
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

/** Returns the answers of a form, each as a text. */
const textsOf = (answers: unknown): Record<string, string> =>
  Object.fromEntries(Object.entries(answers ?? {}).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]))

async function submissionsOf(database: Reader, schoolId: string, personId: string) {
  const rows = await database
    .selectFrom('form_submission')
    .selectAll()
    .where('school_id', '=', schoolId)
    .where('person_id', '=', personId)
    .orderBy('id', 'desc')
    .limit(most)
    .execute()
  return rows.map((row) => ({ ...row, answers: textsOf(row.answers) }))
}
