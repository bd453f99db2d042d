import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../../src/base/ids.ts'
import { activityTables } from '../../../src/operate/demo/demoTables.ts'
import { makeDemoSchool } from '../../../src/operate/demo/makeDemoSchool.ts'
import { createMarks } from '../../../src/operate/demo/marks.ts'
import { refreshSchool } from '../../../src/school/analytics/rollups/refreshSchool.ts'
import { grantsAccess } from '../../../src/school/memberships/accessExpressions.ts'
import { databasesToTest, type TestDatabase } from '../../support/databases.ts'
import { noStorage } from '../../support/files.ts'

// Rules of access ask the clock of the database, so the demo counts from today as it does when it is started.
const now = new Date(new Date().setUTCHours(0, 0, 0, 0))
const schoolId = newId()
const all = await databasesToTest()
const { open } = all.at(-1) as (typeof all)[number]
let opened: TestDatabase

const grantsAccessText = (): string => grantsAccess.compile(opened.database.kysely).sql
const rows = <Row extends object>(text: string): Promise<Row[]> => opened.database.sql.query<Row>(text)

/** What does not hold, as rows: none. */
const expectNone = async (text: string): Promise<void> => expect(await rows(`${text} LIMIT 3`)).toEqual([])

const counted = async (table: string, column: string, where = 'true'): Promise<Record<string, number>> => {
  const found = await rows<{ key: string; count: number }>(
    `SELECT ${column} AS key, count(*)::int AS count FROM "${table}" WHERE ${where} GROUP BY 1`,
  )
  return Object.fromEntries(found.map(({ key, count }) => [key, count]))
}

const total = async (table: string, where = 'true'): Promise<number | undefined> =>
  (await rows<{ count: number }>(`SELECT count(*)::int AS count FROM "${table}" WHERE ${where}`))[0]?.count

beforeAll(async () => {
  opened = await open()
  await makeDemoSchool(opened.database, {
    school: { id: schoolId, slug: 'demo', issuer: 'http://127.0.0.1:3000' },
    now,
    storage: noStorage,
    hashPassword: async () => 'none',
  })
  // There is one school here: its rows are looked up without naming it.
  const lookedUp = [
    'lesson_progress (enrollment_id)',
    'enrollment (person_id)',
    'orders (person_id)',
    'order_item (order_id)',
    'rsvp (person_id)',
  ]
  for (const columns of lookedUp) await opened.database.sql.query(`CREATE INDEX ON ${columns}`)
  await opened.database.sql.query('ANALYZE')
})
afterAll(() => opened.drop())

describe('the demo school contains what its description lists', () => {
  test('910 enrolments in every state, 12 800 lessons begun, with quizzes and certificates', async () => {
    expect(await counted('enrollment', 'status')).toEqual({ active: 610, completed: 240, expired: 35, suspended: 15, canceled: 10 })
    expect(Object.keys(await counted('enrollment', 'source')).sort()).toEqual(['coupon', 'import', 'manual', 'plan', 'purchase', 'self'])
    expect(await total('lesson_progress')).toBe(12_800)
    expect(await total('quiz_attempt')).toBeGreaterThan(500)
    expect(await total('certificate')).toBeGreaterThan(50)
  })

  test('fewer people reach each next lesson of a course', async () => {
    const reached = await rows<{ opened: number }>(
      `SELECT count(p.id)::int AS opened FROM lesson l JOIN section s ON s.school_id = l.school_id AND s.id = l.section_id
         LEFT JOIN lesson_progress p ON p.school_id = l.school_id AND p.lesson_id = l.id
        WHERE l.status = 'published' AND l.course_id = (SELECT id FROM course WHERE slug = 'clay-from-scratch')
        GROUP BY l.id, s.position, l.position ORDER BY s.position, l.position`,
    )
    const numbers = reached.map((row) => row.opened)
    expect(numbers).toEqual(numbers.toSorted((one, other) => other - one))
    expect((numbers.at(-1) as number) * 1.5).toBeLessThan(numbers[0] as number)
  })

  test('four plans, six prices and 168 subscriptions in every state', async () => {
    expect(await counted('membership_plan', 'status')).toEqual({ active: 3, archived: 1 })
    expect(await total('plan_price')).toBe(6)
    expect(await counted('subscription', 'status')).toEqual({ active: 112, trialing: 14, past_due: 6, paused: 3, canceled: 33 })
  })

  test('eight digital products, one of them free and one a draft, with their files', async () => {
    expect(await counted('digital_product', 'status')).toEqual({ published: 7, draft: 1 })
    expect(await total('digital_product', `access = 'free'`)).toBe(1)
    await expectNone('SELECT id FROM digital_product d WHERE NOT EXISTS (SELECT 1 FROM product_file f WHERE f.product_id = d.id)')
    await expectNone(
      `SELECT f.id FROM product_file f WHERE NOT EXISTS (SELECT 1 FROM file_reference r
        WHERE r.file_id = f.file_id AND r.ref_type = 'digital_product' AND r.ref_id = f.product_id)`,
    )
  })

  test('twelve events, one of them full with six who wait, and 214 answers', async () => {
    const phase = `CASE WHEN status = 'canceled' THEN 'canceled' WHEN ends_at < '${now.toISOString()}' THEN 'ended' ELSE 'upcoming' END`
    expect(await counted('event', phase)).toEqual({ upcoming: 5, ended: 6, canceled: 1 })
    expect(await total('rsvp')).toBe(214)
    expect(await rows('SELECT going_count, capacity, waitlisted_count FROM event WHERE waitlisted_count > 0')).toEqual([
      { going_count: 24, capacity: 24, waitlisted_count: 6 },
    ])
  })

  test('26 posts and 180 comments, twelve of them not shown', async () => {
    expect(await counted('post', `status || ' ' || visibility`)).toEqual({
      'published public': 20,
      'published members': 1,
      'published paid': 1,
      'published plans': 1,
      'draft public': 2,
      'scheduled public': 1,
    })
    expect(await counted('comment', 'status')).toEqual({ published: 168, pending: 8, hidden: 4 })
  })

  test('nine coupons, a batch of 25, and 520 orders of every kind and state', async () => {
    expect([await total('coupon', 'batch_id IS NULL'), await total('coupon', 'batch_id IS NOT NULL')]).toEqual([9, 25])
    expect(await total('orders')).toBe(520)
    expect(Object.keys(await counted('orders', 'status')).sort()).toEqual(
      ['canceled', 'expired', 'failed', 'paid', 'partially_refunded', 'pending', 'refunded'].sort(),
    )
    expect(Object.keys(await counted('orders', 'kind')).sort()).toEqual([
      'one_time',
      'subscription_initial',
      'subscription_renewal',
      'zero_total',
    ])
    expect(Object.keys(await counted('coupon_redemption', 'status')).sort()).toEqual(['confirmed', 'released', 'reserved'])
  })

  test('four forms, and 86 things sent in', async () => {
    expect(await counted('form', 'status')).toEqual({ published: 2, closed: 1, draft: 1 })
    expect(await total('form_submission')).toBe(86)
  })
})

describe('every figure of the demo school is the one of the rows it counts', () => {
  test('of courses, plans, products, coupons, events, posts, comments and forms', async () => {
    await expectNone(`SELECT slug FROM course c WHERE enrollments_count <>
      (SELECT count(*) FROM enrollment e WHERE e.course_id = c.id AND e.status IN ('active', 'completed', 'suspended'))`)
    await expectNone(`SELECT slug FROM membership_plan p WHERE subscribers_count <>
      (SELECT count(*) FROM subscription s WHERE s.plan_id = p.id AND s.status NOT IN ('canceled', 'expired'))`)
    await expectNone(`SELECT slug FROM digital_product d WHERE sales_count <>
      (SELECT count(*) FROM order_item i JOIN orders o ON o.id = i.order_id WHERE i.product_id = d.id AND o.status IN ('paid', 'partially_refunded'))`)
    await expectNone(`SELECT code FROM coupon c WHERE redemptions_count <>
      (SELECT count(*) FROM coupon_redemption r WHERE r.coupon_id = c.id AND r.status <> 'released') OR redemptions_count > max_redemptions`)
    await expectNone(`SELECT slug FROM event e WHERE going_count <>
      (SELECT coalesce(sum(1 + guests), 0) FROM rsvp r WHERE r.event_id = e.id AND r.status IN ('going', 'attended', 'no_show')) OR going_count > capacity`)
    await expectNone(`SELECT slug FROM event e WHERE waitlisted_count <>
      (SELECT coalesce(sum(1 + guests), 0) FROM rsvp r WHERE r.event_id = e.id AND r.status = 'waitlisted')`)
    for (const subject of ['post', 'event']) {
      await expectNone(`SELECT slug FROM ${subject} s WHERE comments_count <>
        (SELECT count(*) FROM comment c WHERE c.subject_type = '${subject}' AND c.subject_id = s.id AND c.status = 'published')`)
    }
    await expectNone(`SELECT id FROM comment c WHERE replies_count <>
      (SELECT count(*) FROM comment r WHERE r.parent_id = c.id AND r.status = 'published')`)
    await expectNone(`SELECT slug FROM form f WHERE submissions_count <> (SELECT count(*) FROM form_submission s WHERE s.form_id = f.id)
      OR last_submission_at IS DISTINCT FROM (SELECT max(submitted_at) FROM form_submission s WHERE s.form_id = f.id)`)
  })

  test('of people: what they take, spend, say and answer', async () => {
    await expectNone(`SELECT email FROM person p WHERE (enrollments_count, active_enrollments_count, completed_courses_count) IS DISTINCT FROM
      (SELECT (count(*)::int, count(*) FILTER (WHERE status = 'active')::int, count(completed_at)::int) FROM enrollment e WHERE e.person_id = p.id)`)
    await expectNone(`SELECT email FROM person p WHERE is_student AND lifetime_spend <> (SELECT coalesce(sum(total_amount - refunded_amount), 0)
      FROM orders o WHERE o.person_id = p.id AND o.status IN ('paid', 'partially_refunded', 'refunded'))`)
    await expectNone(`SELECT email FROM person p WHERE is_member AND (comments_count, rsvps_count) IS DISTINCT FROM
      ((SELECT count(*)::int FROM comment c WHERE c.person_id = p.id AND c.status = 'published'),
       (SELECT count(*)::int FROM rsvp r WHERE r.person_id = p.id))`)
  })

  test('of enrolments: as much is done as the lessons say, and who has done enough has completed', async () => {
    await expectNone(`SELECT e.id FROM enrollment e JOIN course c ON c.id = e.course_id,
      LATERAL (SELECT count(*)::int AS done FROM lesson_progress p JOIN lesson l ON l.id = p.lesson_id AND l.status = 'published'
                WHERE p.enrollment_id = e.id AND p.status = 'completed') counted
      WHERE e.completed_lessons_count <> done OR e.progress_percent <> done * 100 / c.published_lessons_count
         OR (e.progress_percent >= c.completion_threshold_percent) <> (e.completed_at IS NOT NULL)
         OR (e.status = 'completed') <> (e.completed_at IS NOT NULL)`)
    await expectNone(`SELECT p.id FROM lesson_progress p JOIN enrollment e ON e.id = p.enrollment_id JOIN lesson l ON l.id = p.lesson_id
      WHERE p.course_id <> e.course_id OR p.course_id <> l.course_id OR p.person_id <> e.person_id OR l.status <> 'published'
         OR p.created_at < e.created_at OR (p.status = 'completed') <> (p.completed_at IS NOT NULL) OR p.updated_at > coalesce(e.canceled_at, e.expired_at, now())`)
    await expectNone(`SELECT e.id FROM enrollment e WHERE (first_opened_at, last_activity_at) IS DISTINCT FROM
      (SELECT (min(created_at), max(updated_at)) FROM lesson_progress p WHERE p.enrollment_id = e.id)`)
    await expectNone(`SELECT a.id FROM quiz_attempt a JOIN lesson l ON l.id = a.lesson_id
      WHERE l.kind <> 'quiz' OR a.passed IS DISTINCT FROM (a.score_bps >= (l.quiz ->> 'pass_percent')::int * 100)`)
    await expectNone(`SELECT p.id FROM lesson_progress p JOIN lesson l ON l.id = p.lesson_id WHERE l.kind = 'quiz' AND (p.status = 'completed') <>
      EXISTS (SELECT 1 FROM quiz_attempt a WHERE a.enrollment_id = p.enrollment_id AND a.lesson_id = p.lesson_id AND a.passed)`)
    await expectNone(`SELECT n.id FROM certificate n JOIN enrollment e ON e.id = n.enrollment_id JOIN course c ON c.id = e.course_id
      WHERE e.completed_at IS DISTINCT FROM n.completed_at OR (e.course_id, e.person_id) <> (n.course_id, n.person_id)
         OR NOT c.certificate_enabled OR n.number !~ '^[0-9A-HJKMNP-TV-Z]{16}$'`)
  })

  test('of reports: the refunds of each product are those of its lines, also of orders with several lines', async () => {
    await refreshSchool(opened.database, { schoolId, now: new Date() })
    expect(await rows(`SELECT 1 FROM order_item WHERE refunded_amount > 0 AND position > 0 LIMIT 1`)).toHaveLength(1)
    await expectNone(`SELECT product_id, reported, sold FROM
      (SELECT product_id, sum(refunds) AS reported FROM analytics_daily_product GROUP BY 1) AS report
      FULL JOIN (SELECT product_id, sum(refunded_amount) AS sold FROM order_item GROUP BY 1) AS lines USING (product_id)
      WHERE coalesce(reported, 0) <> coalesce(sold, 0)`)
  })

  test('of orders: every sum is that of its lines, with the tax in it', async () => {
    await expectNone(`SELECT id FROM order_item WHERE total_amount <> unit_amount * quantity - discount_amount
      OR tax_amount <> round(total_amount * 19.0 / 119.0) OR total_amount < 0 OR refunded_amount > total_amount`)
    await expectNone(`SELECT number FROM orders o WHERE (subtotal_amount, discount_amount, tax_amount, total_amount, refunded_amount) IS DISTINCT FROM
      (SELECT (sum(unit_amount * quantity)::bigint, sum(discount_amount)::bigint, sum(tax_amount)::bigint, sum(total_amount)::bigint, sum(refunded_amount)::bigint)
         FROM order_item i WHERE i.order_id = o.id)`)
    await expectNone(`SELECT number FROM orders o WHERE refunded_amount <> (SELECT coalesce(sum(amount), 0) FROM refund r WHERE r.order_id = o.id)
      OR (status = 'refunded') <> (refunded_amount = total_amount AND total_amount > 0)
      OR (status = 'partially_refunded') <> (refunded_amount > 0 AND refunded_amount < total_amount)`)
    await expectNone(
      `SELECT number FROM orders WHERE (invoice_number IS NOT NULL) <> (paid_at IS NOT NULL AND total_amount > 0) OR (invoice_number IS NULL) <> (invoice_seller IS NULL)`,
    )
    await expectNone(`SELECT r.id FROM refund r WHERE (amount, tax_amount) IS DISTINCT FROM
      (SELECT (sum(p.amount)::bigint, sum(p.tax_amount)::bigint) FROM refund_item p WHERE p.refund_id = r.id) OR credit_note_number IS NULL`)
    await expectNone(`SELECT kind, year FROM document_counter c WHERE last_no <>
      (SELECT count(*) FROM (SELECT invoice_number AS number FROM orders UNION ALL SELECT credit_note_number FROM refund) d
        WHERE d.number LIKE (CASE kind WHEN 'invoice' THEN 'INV-' ELSE 'CN-' END) || year || '-%')`)
    await expectNone(`SELECT number FROM orders WHERE (paid_at IS NOT NULL) <> (status IN ('paid', 'partially_refunded', 'refunded'))
      OR receipt_number IS DISTINCT FROM CASE WHEN paid_at IS NOT NULL THEN number END OR (kind = 'zero_total') <> (total_amount = 0)`)
    await expectNone(`SELECT number FROM (SELECT number, row_number() OVER (PARTITION BY left(number, 4) ORDER BY id) AS place FROM orders) numbered
      WHERE right(number, 6)::int <> place`)
    await expectNone(
      `SELECT year FROM order_counter c WHERE last_no <> (SELECT count(*) FROM orders o WHERE left(o.number, 4)::int = c.year)`,
    )
  })
})

describe('what belongs together at the demo school names each other', () => {
  test('what was bought is open, and what was paid back is not', async () => {
    await expectNone(`SELECT o.number FROM orders o JOIN order_item i ON i.order_id = o.id
      LEFT JOIN entitlement e ON e.source_id = o.id AND e.product_id = i.product_id AND e.person_id = o.person_id
      WHERE i.product_type <> 'membership_plan' AND (o.paid_at IS NOT NULL) <> (e.id IS NOT NULL)`)
    await expectNone(
      `SELECT e.id FROM entitlement e JOIN orders o ON o.id = e.source_id WHERE (e.revoked_at IS NOT NULL) <> (o.status = 'refunded')`,
    )
    await expectNone(`SELECT o.number FROM orders o JOIN order_item i ON i.order_id = o.id AND i.product_type = 'digital_product'
      LEFT JOIN product_grant g ON g.order_id = o.id AND g.product_id = i.product_id AND g.person_id = o.person_id
      WHERE (o.paid_at IS NOT NULL) <> (g.id IS NOT NULL) OR (o.status = 'refunded') <> (g.revoked_at IS NOT NULL)`)
    await expectNone(`SELECT o.number FROM orders o JOIN order_item i ON i.order_id = o.id AND i.product_type = 'course'
      LEFT JOIN enrollment e ON e.course_id = i.product_id AND e.person_id = o.person_id
      WHERE o.paid_at IS NOT NULL AND (e.order_id IS DISTINCT FROM o.id OR (o.status = 'refunded') <> (e.status = 'canceled'))`)
  })

  test('an enrolment names what opened it: an order of its person, a plan that includes the course, a coupon', async () => {
    await expectNone(`SELECT e.id FROM enrollment e WHERE (source IN ('purchase', 'coupon')) <> (order_id IS NOT NULL)
      OR (source = 'plan') <> (subscription_id IS NOT NULL) OR (source = 'coupon') <> (coupon_id IS NOT NULL)`)
    await expectNone(`SELECT e.id FROM enrollment e JOIN subscription ON subscription.id = e.subscription_id JOIN membership_plan p ON p.id = subscription.plan_id
      WHERE subscription.person_id <> e.person_id OR e.created_at < subscription.started_at OR NOT ${grantsAccessText()}
         OR NOT (p.includes_all_courses OR EXISTS (SELECT 1 FROM plan_item i WHERE i.plan_id = p.id AND i.product_id = e.course_id))`)
  })

  test('a person has the tier that their subscriptions give', async () => {
    await expectNone(`SELECT email, tier FROM person WHERE is_member AND tier <> coalesce((
      SELECT CASE WHEN bool_or(collection <> 'comped') THEN 'paid' ELSE 'comped' END FROM subscription JOIN plan_price ON plan_price.id = price_id
       WHERE subscription.person_id = person.id AND plan_price.amount > 0 AND ${grantsAccessText()} HAVING count(*) > 0), 'free')`)
    expect(Object.keys(await counted('person', 'tier', 'is_member')).sort()).toEqual(['comped', 'free', 'paid'])
  })

  test('a subscription has paid for its period, and its latest order belongs to it', async () => {
    await expectNone(`SELECT s.id FROM subscription s LEFT JOIN orders o ON o.id = s.latest_order_id WHERE o.subscription_id IS DISTINCT FROM
      CASE WHEN EXISTS (SELECT 1 FROM orders x WHERE x.subscription_id = s.id) THEN s.id END`)
    await expectNone(`SELECT s.id FROM subscription s JOIN plan_price p ON p.id = s.price_id
      WHERE s.status IN ('active', 'paused') AND s.collection = 'automatic' AND p.amount > 0
        AND NOT EXISTS (SELECT 1 FROM orders o WHERE o.subscription_id = s.id AND o.status IN ('paid', 'partially_refunded') AND o.paid_at = s.current_period_start)`)
    await expectNone(`SELECT id FROM subscription WHERE status IN ('active', 'trialing') AND current_period_end <= '${now.toISOString()}'
      OR current_period_start >= current_period_end OR (status = 'past_due') <> (past_due_since IS NOT NULL) OR (status = 'canceled') <> (ended_at IS NOT NULL)`)
    await expectNone(`SELECT s.id FROM subscription s JOIN plan_price p ON p.id = s.price_id WHERE p.plan_id <> s.plan_id`)
  })

  test('a use of a coupon is that of its order, whose state it follows', async () => {
    await expectNone(`SELECT r.id FROM coupon_redemption r JOIN orders o ON o.id = r.order_id
      WHERE r.coupon_id <> o.coupon_id OR r.person_id <> o.person_id OR r.amount_off <> o.discount_amount
         OR r.status <> CASE WHEN o.paid_at IS NOT NULL THEN 'confirmed' WHEN o.status = 'pending' THEN 'reserved' ELSE 'released' END`)
    await expectNone(`SELECT o.number FROM orders o WHERE o.coupon_id IS NULL AND o.discount_amount > 0`)
  })

  test('people comment only on content that they can see, and a reply is below its question', async () => {
    await expectNone(`SELECT c.id FROM comment c JOIN comment p ON p.id = c.parent_id
      WHERE c.subject_id <> p.subject_id OR c.created_at < p.created_at OR p.parent_id IS NOT NULL OR p.status <> 'published'`)
    await expectNone(`SELECT c.id FROM comment c WHERE subject_type = 'lesson' AND author_role = 'member' AND parent_id IS NULL AND NOT EXISTS
      (SELECT 1 FROM lesson_progress p WHERE p.lesson_id = c.subject_id AND p.person_id = c.person_id AND p.created_at <= c.created_at)`)
    await expectNone(
      `SELECT c.id FROM comment c JOIN post p ON p.id = c.subject_id WHERE p.status <> 'published' OR c.created_at < p.published_at`,
    )
  })

  test('every row that a foreign key names is there', async () => {
    const keys = await rows<{ child: string; parent: string; columns: string[]; referred: string[] }>(
      `SELECT conrelid::regclass::text AS child, confrelid::regclass::text AS parent,
              ARRAY(SELECT attname::text FROM unnest(conkey) WITH ORDINALITY k (num, place) JOIN pg_attribute ON attrelid = conrelid AND attnum = num ORDER BY place) AS columns,
              ARRAY(SELECT attname::text FROM unnest(confkey) WITH ORDINALITY k (num, place) JOIN pg_attribute ON attrelid = confrelid AND attnum = num ORDER BY place) AS referred
         FROM pg_constraint WHERE contype = 'f'`,
    )
    expect(keys.length).toBeGreaterThan(40)
    for (const { child, parent, columns, referred } of keys) {
      const pairs = columns.map((column, index) => `p."${referred[index]}" = c."${column}"`).join(' AND ')
      const named = columns.map((column) => `c."${column}" IS NOT NULL`).join(' AND ')
      await expectNone(
        `SELECT '${child}' AS child FROM ${child} c WHERE ${named} AND NOT EXISTS (SELECT 1 FROM ${parent} p WHERE ${pairs})`,
      )
    }
  })
})

test('what is stored as JSON is a list or an object, and never a text that has to be read once more', async () => {
  const columns = await rows<{ table: string; column: string }>(
    `SELECT table_name AS table, column_name AS column FROM information_schema.columns WHERE table_schema = 'public' AND data_type = 'jsonb'`,
  )
  expect(columns.length).toBeGreaterThan(20)
  for (const { table, column } of columns) {
    await expectNone(`SELECT '${table}.${column}' AS column FROM "${table}" WHERE jsonb_typeof("${column}") NOT IN ('object', 'array')`)
  }
})

test('nothing has happened later than now, and of two rows of a kind the one with the greater id came later', async () => {
  const tables = await rows<{ table: string }>(
    `SELECT DISTINCT a.table_name AS table FROM information_schema.columns a JOIN information_schema.columns b USING (table_schema, table_name)
      WHERE table_schema = 'public' AND a.column_name = 'created_at' AND b.column_name = 'id'`,
  )
  const ofStory = [
    'enrollment',
    'lesson_progress',
    'quiz_attempt',
    'orders',
    'order_item',
    'refund',
    'entitlement',
    'subscription',
    'coupon',
  ]
  const others = [
    'coupon_redemption',
    'event',
    'rsvp',
    'post',
    'comment',
    'digital_product',
    'product_grant',
    'form',
    'form_submission',
    'person',
  ]
  for (const table of [...ofStory, ...others]) {
    expect(tables.map((row) => row.table)).toContain(table)
    await expectNone(
      `SELECT '${table}' AS table FROM "${table}" WHERE greatest(created_at, updated_at) > '${now.toISOString()}' OR updated_at < created_at`,
    )
    const people = table === 'person' ? 'WHERE is_student OR is_member' : ''
    await expectNone(
      `SELECT '${table}' AS table FROM (SELECT created_at, lag(created_at) OVER (ORDER BY id) AS before FROM "${table}" ${people}) t WHERE created_at < before`,
    )
  }
})

test.each(['2026-03-01', '2026-03-31', '2026-11-22', '2028-02-29'])(
  'on %s orders count from one in each year, as their times say',
  async (date) => {
    const marks = createMarks({ schoolId, now: new Date(`${date}T00:00:00Z`), passwordHash: 'none', timeZone: 'Europe/Berlin' })
    const orders = (await activityTables()).find(({ name }) => name === 'orders')?.lines.map((line) => JSON.parse(marks.fill(line)))
    const year = new Intl.DateTimeFormat('en', { timeZone: 'Europe/Berlin', year: 'numeric' })
    const byYear = Map.groupBy(orders as { number: string; placed_at: string }[], ({ placed_at }) => year.format(new Date(placed_at)))
    for (const [named, list] of byYear) {
      expect(list.map(({ number }) => number)).toEqual(list.map((_, index) => `${named}-${String(index + 1).padStart(6, '0')}`))
    }
    expect(marks.lastNumbers().filter(({ prefix }) => prefix === '')).toEqual(
      [...byYear].map(([named, { length }]) => ({ prefix: '', year: Number(named), last: length })),
    )
  },
)
