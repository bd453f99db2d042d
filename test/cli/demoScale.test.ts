import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../src/store/database.ts'
import { openDatabase } from '../../src/store/openDatabase.ts'
import { availableServices, embeddedDatabase, throwawayPostgres } from '../support/databases.ts'
import { type Cli, createCli, schoolFile, writeConfig } from './cli.ts'

interface Place {
  cli: Cli
  database: Database
  drop(): Promise<void>
}

async function open(databaseUrl?: string): Promise<Omit<Place, 'drop'> & { close(): Promise<void> }> {
  const directory = await writeConfig({ 'schools/demo.yaml': schoolFile('http://127.0.0.1:3000', 'Demo School') })
  const variables = {
    CONFIG_DIR: directory,
    DATA_DIR: `${directory}/.data`,
    SECRET_KEY: 'a root secret that is long enough to be taken',
    DEMO_NOW: '2026-03-01T00:00:00.000Z',
    ...(databaseUrl && { DATABASE_URL: databaseUrl }),
  }
  const database = databaseUrl ? await openDatabase({ databaseUrl, dataDirectory: directory }) : await embeddedDatabase()
  return {
    cli: createCli({ variables, ...(databaseUrl ? {} : { database }) }),
    database,
    async close() {
      await database.close()
      await rm(directory, { recursive: true })
    },
  }
}

const places = [
  {
    name: 'the embedded database',
    largest: 100,
    open: async (): Promise<Place> => {
      const { close, ...place } = await open()
      return { ...place, drop: close }
    },
  },
  {
    name: 'PostgreSQL',
    largest: 10_000,
    open: async (): Promise<Place> => {
      const { url, drop } = await throwawayPostgres()
      const { close, ...place } = await open(url)
      return { ...place, drop: () => close().then(drop) }
    },
  },
]
const { postgresql } = await availableServices()

describe.each(postgresql ? places : places.slice(0, 1))('demo load --scale on $name', ({ largest, open }) => {
  let place: Place
  beforeAll(async () => {
    place = await open()
  })
  afterAll(() => place.drop())

  const people = () => place.database.sql.query<{ id: string }>('SELECT * FROM person ORDER BY id')

  test.each(['0', '-1', 'x', '1.5', '1e3', '', ' 2', '99999999999', 'NaN', '٢'])(
    'refuses the scale %j and makes nothing',
    async (scale) => {
      const refused = await place.cli(['demo', 'load', `--scale=${scale}`])
      expect(refused).toMatchObject({ exitCode: 2, out: '', err: expect.stringContaining('--scale') })
      expect(await people()).toEqual([])
    },
  )

  test('rejects a scale that is too large for the database and shows the maximum', async () => {
    const refused = await place.cli(['demo', 'load', '--scale', String(largest + 1)])
    expect(refused).toMatchObject({ exitCode: 2, err: expect.stringContaining(`at most ${largest}`) })
    expect(await people()).toEqual([])
  })

  test('multiplies the people by the number, keeps the proportions, and adds nothing a second time', async () => {
    const loaded = await place.cli(['demo', 'load', '--scale', '3'])
    expect(loaded, loaded.err).toMatchObject({ exitCode: 0, out: expect.stringContaining('people: 840 added') })
    const [counts] = await place.database.sql.query(
      `SELECT count(*) FILTER (WHERE is_student)::int AS students, count(*) FILTER (WHERE is_member)::int AS members,
              count(*) FILTER (WHERE is_student AND is_member)::int AS both, max(created_at) < '2026-03-01' AS is_past
         FROM person`,
    )
    expect(counts).toEqual({ students: 1080, members: 900, both: 720, is_past: true })
    const made = await people()
    expect(made.length).toBe(8 + 1260)
    const byTime = await place.database.sql.query<{ id: string }>(
      'SELECT id FROM person WHERE is_student OR is_member ORDER BY created_at, id',
    )
    expect(byTime.map(({ id }) => id)).toEqual(made.slice(8).map(({ id }) => id))
    const [school] = await place.database.sql.query<{ counts: Record<string, number> }>('SELECT counts FROM school')
    // A person who has left is no longer a member.
    const [{ left } = { left: 0 }] = await place.database.sql.query<{ left: number }>(
      `SELECT count(*)::int AS left FROM person WHERE is_member AND member_status = 'left'`,
    )
    expect(school?.counts).toMatchObject({ students: 1080, members: 900 - left })

    const again = await place.cli(['demo', 'load', '--scale', '3'])
    expect(again).toMatchObject({ exitCode: 0, out: expect.stringContaining('people: 0 added') })
    expect(again.out.match(/: 0 added/g)).toHaveLength(5)
    expect(await people()).toEqual(made)
  })

  test('adds enrolments and orders in proportion, with correct figures and references to each other', async () => {
    const [counts] = await place.database.sql.query(
      `SELECT (SELECT count(*)::int FROM enrollment) AS enrollments, (SELECT count(*)::int FROM orders) AS orders,
              (SELECT count(*)::int FROM order_item i WHERE (SELECT count(*) FROM order_item o WHERE o.school_id = i.school_id AND o.order_id = i.order_id) = 0) AS lost`,
    )
    expect(counts).toEqual({ enrollments: 2730, orders: 728, lost: 0 })
    const wrong = [
      `SELECT slug FROM course c WHERE enrollments_count <>
         (SELECT count(*) FROM enrollment e WHERE e.course_id = c.id AND e.status IN ('active', 'completed', 'suspended'))`,
      `SELECT email FROM person p WHERE (enrollments_count, active_enrollments_count, completed_courses_count) IS DISTINCT FROM
         (SELECT (count(*)::int, count(*) FILTER (WHERE status = 'active')::int, count(completed_at)::int)
            FROM enrollment e WHERE e.school_id = p.school_id AND e.person_id = p.id)`,
      `SELECT email FROM person p WHERE lifetime_spend <> (SELECT coalesce(sum(total_amount - refunded_amount), 0) FROM orders o
         WHERE o.school_id = p.school_id AND o.person_id = p.id AND o.paid_at IS NOT NULL)`,
      `SELECT o.number FROM orders o JOIN order_item i ON i.school_id = o.school_id AND i.order_id = o.id AND i.product_type = 'course'
         LEFT JOIN enrollment e ON e.school_id = o.school_id AND e.course_id = i.product_id AND e.person_id = o.person_id
         LEFT JOIN entitlement t ON t.school_id = o.school_id AND t.source_id = o.id AND t.product_id = i.product_id
        WHERE o.paid_at IS NOT NULL AND (e.order_id IS DISTINCT FROM o.id OR t.person_id IS DISTINCT FROM o.person_id)`,
      `SELECT o.number FROM orders o WHERE (subtotal_amount, discount_amount, tax_amount, total_amount) IS DISTINCT FROM
         (SELECT (sum(unit_amount)::bigint, sum(discount_amount)::bigint, sum(tax_amount)::bigint, sum(total_amount)::bigint)
            FROM order_item i WHERE i.school_id = o.school_id AND i.order_id = o.id)`,
      `SELECT number FROM orders o JOIN order_counter c ON c.school_id = o.school_id AND c.year = split_part(number, '-', 1)::int
        WHERE split_part(number, '-', 2)::int > c.last_no`,
      ...['person', 'enrollment', 'orders', 'order_item', 'entitlement'].map(
        (table) => `SELECT id FROM (SELECT id, created_at, lag(created_at) OVER (ORDER BY id) AS before FROM ${table}
                      ${table === 'person' ? 'WHERE is_student OR is_member' : ''}) t WHERE created_at < before OR created_at > '2026-03-01'`,
      ),
    ]
    for (const query of wrong) expect(await place.database.sql.query(`${query} LIMIT 3`)).toEqual([])
  })

  test('completes an interrupted run, and does not change a person who already has such an address', async () => {
    // Two members without courses, so that no other row refers to them.
    await place.database.sql.query(`DELETE FROM person WHERE email IN ('learner497@example.org', 'learner504@example.org')`)
    await place.database.sql.query(`UPDATE person SET email = 'learner504@example.org' WHERE email = 'admin1@example.com'`)
    expect(await place.cli(['demo', 'load', '--scale', '3'])).toMatchObject({
      exitCode: 0,
      out: expect.stringContaining('people: 1 added'),
    })
    const names = await place.database.sql.query(`SELECT name FROM person WHERE email = 'learner504@example.org'`)
    expect(names).toEqual([{ name: 'Rowan Inkpen' }])
  })

  test("a school with one's own people keeps them when it grows, and the trail says what was done", async () => {
    const before = await people()
    expect(await place.cli(['demo', 'load', '--scale', '4'])).toMatchObject({ exitCode: 0, out: expect.stringContaining('people: 42') })
    const after = await people()
    const ids = new Map(after.map((person) => [person.id, person]))
    expect(before.map((person) => ids.get(person.id))).toEqual(before)
    const events = await place.database.sql.query<{ details: object }>(
      `SELECT details FROM audit_log WHERE event = 'operator.demo_scaled' ORDER BY id`,
    )
    expect(events.at(-1)?.details).toMatchObject({ scale: 4, operator: 'ops' })
  })

  test('the help names the option, its bounds and an example', async () => {
    const { out } = await place.cli(['demo', 'load', '--help'])
    expect(out.replace(/\s+/g, ' ')).toMatch(/--scale <n>.*10000.*100.*demo load --scale 1000/)
  })
})
