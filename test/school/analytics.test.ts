import { Client } from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { newId, toPublicId } from '../../src/base/ids.ts'
import { analytics } from '../../src/school/analytics/analytics.ts'
import { refreshSchool } from '../../src/school/analytics/rollups/refreshSchool.ts'
import { rollups } from '../../src/school/analytics/rollups/rollups.ts'
import { operationsIn } from '../../src/school/index.ts'
import { databasesToTest } from '../support/databases.ts'
import type { Row } from './analyticsRows.ts'
import { activityDays, countRows, trimmed } from './analyticsSums.ts'
import { startDemoApi } from './demoApi.ts'
import { describeDemo } from './describeDemo.ts'

const owner = 'owner@example.com'
const lecturer = 'lecturer1@example.com'
const base = '/api/v1/analytics'
const sources = [
  'person',
  'orders',
  'order_item',
  'refund',
  'coupon_redemption',
  'enrollment',
  'plan_price',
  'subscription',
  'event',
  'rsvp',
  'lesson_progress',
  'quiz_attempt',
]

describeDemo('figures over HTTP on $name', (api, name) => {
  const now = new Date()
  const sql = <One extends object = Row>(text: string, values: unknown[] = []) => api.database.sql.query<One>(text, values)
  const get = (path: string, as: string | undefined = owner, headers = {}) => api.get(`${base}/${path}`, { as, headers })
  const courseOf = async (isOwn: boolean): Promise<string> => {
    const [row] = await sql<{ id: string }>(
      `SELECT course.id FROM course WHERE school_id = $1 AND ${isOwn ? '' : 'NOT '}EXISTS (
         SELECT FROM course_lecturer c JOIN staff ON staff.school_id = c.school_id AND staff.lecturer_id = c.lecturer_id
           JOIN person ON person.school_id = staff.school_id AND person.id = staff.person_id
          WHERE c.school_id = course.school_id AND c.course_id = course.id AND person.email = $2) ORDER BY course.id LIMIT 1`,
      [api.school.id, lecturer],
    )
    return (row as { id: string }).id
  }
  const id = (uuid: string) => toPublicId('crs', uuid)

  beforeAll(async () => {
    // Whatever else the school has, some of each that this test can be sure of.
    const [person] = await sql<{ id: string }>('SELECT id FROM person WHERE school_id = $1 ORDER BY id DESC LIMIT 1', [api.school.id])
    for (const isOwn of [true, false]) {
      await sql(
        `INSERT INTO enrollment (school_id, id, person_id, course_id, source, created_at, first_opened_at, last_activity_at)
         VALUES ($1, $2, $3, $4, 'manual', $5, $5, $5) ON CONFLICT DO NOTHING`,
        [api.school.id, newId(), person?.id, await courseOf(isOwn), new Date(now.getTime() - 3_600_000)],
      )
    }
    await sql(
      `INSERT INTO orders (school_id, id, number, status, kind, buyer_name, buyer_email, currency, subtotal_amount, total_amount, tax_mode, placed_at, paid_at)
       VALUES ($1, $2, '=1-000001', 'paid', 'one_time', 'Pim', 'pim@example.test', 'EUR', 100, 100, 'none', $3, $3)`,
      [api.school.id, newId(), new Date(now.getTime() - 3_600_000)],
    )
    await refreshSchool(api.database, { schoolId: api.school.id, now })
  })

  test('the figures of the demo school are the sums over its rows', async () => {
    const rows = Object.fromEntries(
      await Promise.all(
        sources.map(async (table) => [table, await sql(`SELECT * FROM ${table} WHERE school_id = $1`, [api.school.id])] as const),
      ),
    )
    const [school] = await sql<{ time_zone: string }>('SELECT time_zone FROM school WHERE id = $1', [api.school.id])
    const timeZone = school?.time_zone as string
    const counted = countRows({ timeZone, rows }, now)
    for (const { table, keys, measures } of rollups) {
      const lines = await sql(`SELECT *, day::text AS day FROM ${table} WHERE school_id = $1`, [api.school.id])
      const found = Object.fromEntries(
        lines.map((line) => [
          [line.day, ...keys.map((key) => line[key])].join(' '),
          Object.fromEntries(measures.map((measure) => [measure, Number(line[measure])])),
        ]),
      )
      expect({ table, figures: trimmed(found) }).toEqual({ table, figures: trimmed(counted[table] ?? {}) })
    }
    const [active] = await sql<{ days: number }>('SELECT count(*)::int AS days FROM person_activity_day WHERE school_id = $1', [
      api.school.id,
    ])
    expect(active?.days).toBe(activityDays({ timeZone, rows }, now).length)
    expect((await get('enrollments?from=2024-11-20&to=2026-11-20')).status).toBe(200)
  })

  test.each(operationsIn([analytics]).map(({ id: name, path, roles }) => ({ name, path, roles })))(
    '$name is for whom it is for',
    async ({ path, roles }) => {
      const own = path.replace(/^.*analytics\//, '').replace('{id}', id(await courseOf(true)))
      expect((await api.get(`${base}/${own}`)).json.error).toBe('access_denied')
      expect((await get(own, 'learner001@example.org')).json.error).toBe('access_denied')
      expect((await get(own, lecturer)).status).toBe(roles.includes('lecturer') ? 200 : 403)
      for (const as of ['admin1@example.com', owner]) {
        const reply = await get(own, as)
        expect(reply).toMatchObject({ status: 200, json: { object: 'analytics.report', time_zone: 'UTC', currency: 'EUR' } })
        expect(reply.json.as_of).toBe(now.toISOString())
      }
    },
  )

  test('revenue, and courses by revenue, are none of a lecturer', async () => {
    for (const path of ['overview', 'revenue', 'orders', 'subscriptions', 'coupons', 'top_courses?metric=revenue']) {
      expect((await get(path, lecturer)).json).toMatchObject({ error: 'access_denied' })
      expect((await get(path)).status).toBe(200)
    }
  })

  test('a course of another lecturer is not there, and neither is one of another school or none', async () => {
    const [own, foreign] = [id(await courseOf(true)), id(await courseOf(false))]
    expect((await get(`courses/${own}/funnel`, lecturer)).json).toMatchObject({ course: { id: own } })
    const hidden = await get(`courses/${foreign}/funnel`, lecturer)
    const none = await get(`courses/${id(newId())}/funnel`, lecturer)
    expect([hidden.status, none.status, hidden.text.replace(/req_\w+/, '')]).toEqual([404, 404, none.text.replace(/req_\w+/, '')])
    expect((await get(`courses/${foreign}/funnel`)).status).toBe(200)
    for (const wrong of ['les_01jgwejj00e6srgkpqm2sqf05m', 'clay-from-scratch', 'a%00b']) {
      expect((await get(`courses/${wrong}/funnel`)).status).toBe(400)
    }
    const all = (await get('enrollments?group_by=course&from=2026-01-01', lecturer)).json.groups as { key: string }[]
    expect(all.some(({ key }) => key === foreign)).toBe(false)
    const totals = (await get(`enrollments?course_id=${foreign}`, lecturer)).json.totals
    expect(totals).toEqual({ new: 0, canceled: 0, expired: 0, active_at_end: 0 })
    expect((await get(`enrollments?course_id=${foreign}`)).json.totals).not.toMatchObject({ new: 0 })
    const ranked = (await get('top_courses', lecturer)).json.courses as { course: { id: string } }[]
    expect(ranked.some(({ course }) => course.id === foreign)).toBe(false)
  })

  test.each([
    ['revenue', 'from=2026-02-30', 'from'],
    ['revenue', 'from=2026-03-02&to=2026-03-01', 'from'],
    ['revenue', 'from=2020-01-01&to=2026-01-01', 'from'],
    ['revenue', 'from=0001-01-01&to=0001-01-02', 'from'],
    ['revenue', 'to=9999-12-31', 'to'],
    ['revenue', 'interval=hour', 'interval'],
    ['revenue', 'compare=never', 'compare'],
    ['revenue', 'currency=USD', 'currency'],
    ['revenue', 'group_by=buyer', 'group_by'],
    ['revenue', 'product_id=cpn_01jgwejj00e6srgkpqm2sqf05m', 'product_id'],
    ['orders', 'status=lost', 'status'],
    ['enrollments', 'course_id=clay_from_scratch', 'course_id'],
    ['enrollments', 'source=theft', 'source'],
    ['overview', 'course_id=crs_01jgwejj00e6srgkpqm2sqf05m', 'course_id'],
    ['top_courses', 'limit=51', 'limit'],
    ['top_courses', 'metric=applause', 'metric'],
    ['top_courses', 'from=2026-03-02&to=2026-03-01', 'from'],
    ['retention', 'months=25', 'months'],
    ['retention', 'from=2026-01-01', 'from'],
    ['funnels', '', undefined],
  ])('%s?%s is refused and says why', async (report, query, field) => {
    const reply = await get(`${report}?${query}`)
    if (field === undefined) expect([reply.status, reply.json.error]).toEqual([404, 'not_found'])
    else expect(reply).toMatchObject({ status: 400, json: { error: 'invalid_parameter', details: [{ field }] } })
  })

  test('a report can be downloaded as CSV: one line for each element of the series, or of the groups', async () => {
    const csv = { accept: 'text/csv' }
    const file = await get('revenue?from=2026-01-01&to=2026-01-03', owner, csv)
    expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
    const [head, ...lines] = file.text.trim().split('\r\n')
    expect(head).toBe(
      'date,gross.amount,gross.currency,discounts.amount,discounts.currency,refunds.amount,refunds.currency,tax.amount,tax.currency,net.amount,net.currency,orders,average_order.amount,average_order.currency',
    )
    expect(lines.map((line) => line.slice(0, 10))).toEqual(['2026-01-01', '2026-01-02', '2026-01-03'])
    const [course] = await sql<{ title: string }>('SELECT title FROM course WHERE school_id = $1 AND id = $2', [
      api.school.id,
      await courseOf(false),
    ])
    await sql(`UPDATE course SET title = '=HYPERLINK("x")' WHERE school_id = $1 AND id = $2`, [api.school.id, await courseOf(false)])
    const parts = await get('enrollments?group_by=course', owner, csv)
    expect(parts.text).toContain(`"'=HYPERLINK(""x"")"`)
    await sql('UPDATE course SET title = $3 WHERE school_id = $1 AND id = $2', [api.school.id, await courseOf(false), course?.title])
    expect((await get('revenue', lecturer, csv)).status).toBe(403)
    expect((await get('revenue', owner, { accept: 'application/x-ndjson' })).status).toBe(406)
  })

  test('the CSV file of a report by group has a line for each interval of each group, with the figures of the JSON response', async () => {
    const day = (ago: number) => new Date(now.getTime() - ago * 86_400_000).toISOString().slice(0, 10)
    const query = `enrollments?group_by=course&from=${day(45)}&to=${day(0)}&interval=week`
    type Line = Record<'new' | 'canceled' | 'expired' | 'active_at_end', number>
    const { groups } = (await get(query)).json as { groups: { key: string; title: string; series: (Line & { date: string })[] }[] }
    expect(groups.length).toBeGreaterThan(1)
    const [head, ...lines] = (await get(query, owner, { accept: 'text/csv' })).text.trim().split('\r\n')
    expect(head).toBe('date,key,title,new,canceled,expired,active_at_end')
    expect(lines).toEqual(
      groups.flatMap(({ key, title, series }) =>
        series.map((line) => [line.date, key, title, line.new, line.canceled, line.expired, line.active_at_end].join(',')),
      ),
    )
  })

  test.runIf(name === 'postgresql')('a report that takes longer than the limit of hard reads is refused', async () => {
    const other = new Client({ connectionString: api.url as string })
    await other.connect()
    await other.query('BEGIN; LOCK TABLE analytics_daily_school')
    const { status, json } = await get('revenue').finally(() => other.end())
    expect([status, json.error]).toEqual([422, 'query_too_expensive'])
  })

  test('learners who come back are counted from the month of their first activity', async () => {
    const { series } = (await get('retention?months=3')).json as {
      series: { cohort: string; months_since: number; learners: number; active: number }[]
    }
    expect(series.map(({ months_since }) => months_since)).toEqual([0, 1, 2, 0, 1, 0])
    for (const { months_since, learners, active } of series) expect(months_since === 0 ? active : learners).toBe(learners)
    const shown = new Set(series.map(({ cohort }) => cohort))
    const [row] = await sql<{ learners: number }>(
      `SELECT count(*)::int AS learners FROM (SELECT min(day) AS first FROM person_activity_day WHERE school_id = $1 GROUP BY person_id) AS firsts
        WHERE date_trunc('month', first)::date = ANY ($2::date[])`,
      [api.school.id, [...shown]],
    )
    expect(series.filter(({ months_since }) => months_since === 0).reduce((sum, { learners }) => sum + learners, 0)).toBe(row?.learners)
  })

  test('the funnel of a course counts each lesson in its order', async () => {
    const course = await courseOf(true)
    const { lessons } = (await get(`courses/${id(course)}/funnel`)).json as { lessons: { opened: number; completed: number }[] }
    const rows = await sql<{ opened: number; completed: number }>(
      `SELECT (SELECT count(*)::int FROM lesson_progress p WHERE p.school_id = lesson.school_id AND p.lesson_id = lesson.id) AS opened,
              (SELECT count(completed_at)::int FROM lesson_progress p WHERE p.school_id = lesson.school_id AND p.lesson_id = lesson.id) AS completed
         FROM lesson JOIN section ON section.school_id = lesson.school_id AND section.id = lesson.section_id
        WHERE lesson.school_id = $1 AND lesson.course_id = $2 AND lesson.status = 'published' ORDER BY section.position, lesson.position`,
      [api.school.id, course],
    )
    expect(lessons.map(({ opened, completed }) => ({ opened, completed }))).toEqual(rows)
    expect(rows.length).toBeGreaterThan(0)
  })
})

test('figures of a school that was never counted are nothing, and say so', async () => {
  const [kind] = await databasesToTest()
  const api = await startDemoApi(await (kind as NonNullable<typeof kind>).open())
  const { json } = await api.get(`${base}/overview`, { as: owner })
  expect(json).toMatchObject({ as_of: null, complete_through: null, totals: { orders: 0, revenue_net: { amount: 0, currency: 'EUR' } } })
  await api.stop()
})
