import { afterAll, beforeAll, expect, test } from 'vitest'
import { daysBetween } from '../../src/base/days.ts'
import type { Database } from '../../src/database/connection/database.ts'
import type { Sql } from '../../src/database/connection/sql.ts'
import { ensureSchool } from '../../src/database/tables/schools.ts'
import { subscriptions } from '../../src/school/analytics/reports/subscriptions.ts'
import { refreshSchool } from '../../src/school/analytics/rollups/refreshSchool.ts'
import { embeddedDatabase } from '../support/databases.ts'

let database: Database
beforeAll(async () => {
  database = await embeddedDatabase()
})
afterAll(() => database.close())

const now = new Date('2026-11-20T10:00:00Z')
const day = /^\d{4}-\d\d-\d\d$/

test('figures that are overdue for months hold the only session of the embedded database for a short piece of work at a time', async () => {
  const school = { slug: 'school', name: 'School', locale: 'en', time_zone: 'Europe/Berlin', currency: 'EUR' }
  const schoolId = await ensureSchool(database.kysely, school)
  await database.sql.query(
    `INSERT INTO person (school_id, id, name, email, is_student, created_at)
     SELECT $1, gen_random_uuid(), 'Student', n || '@example.org', true, $2::timestamptz - make_interval(days => n) FROM generate_series(1, 200) AS n`,
    [schoolId, now],
  )
  const pieces: { statements: number; days: number }[] = []
  const counting = (sql: Sql, piece: { statements: number; days: number }): Sql => ({
    query(text, values = [], name) {
      piece.statements += 1
      const [first, last] = values.filter((value) => typeof value === 'string' && day.test(value)) as string[]
      if (/INSERT INTO analytics_daily/.test(text) && first && last) piece.days = Math.max(piece.days, daysBetween(first, last) + 1)
      return sql.query(text, values, name)
    },
  })
  const begin = () => {
    const piece = { statements: 0, days: 0 }
    pieces.push(piece)
    return piece
  }
  // Every single statement and every transaction is a piece of work that blocks other callers.
  const watched: Database = {
    ...database,
    sql: { query: (text, values, name) => counting(database.sql, begin()).query(text, values, name) },
    transaction: (work) => database.transaction((writer, sql) => work(writer, counting(sql, begin()))),
  }
  let isDone = false
  const refreshing = refreshSchool(watched, { schoolId, now }).finally(() => (isDone = true))
  const waits: number[] = []
  while (!isDone) {
    const before = pieces.length
    await database.sql.query('SELECT 1')
    waits.push(pieces.length - before)
  }
  expect(await refreshing).toBeGreaterThan(0)

  expect(pieces.length).toBeGreaterThan(60)
  expect(Math.max(...pieces.map(({ statements }) => statements))).toBeLessThanOrEqual(3)
  expect(Math.max(...pieces.map(({ days }) => days))).toBeLessThanOrEqual(31)
  // A read waits for the piece that runs, and for no more than the next one.
  expect(Math.max(...waits)).toBeLessThanOrEqual(2)
  expect(waits.length).toBeGreaterThan(pieces.length / 3)
})

const churn = (line: { ended: number; active_before: number; active_change: number }): unknown =>
  subscriptions.show(line as never, ((amount: number) => ({ amount, currency: 'EUR' })) as never).churn_rate_percent

test('the churn rate is the share of ended subscriptions in the average of those at the beginning and at the end', () => {
  expect(churn({ ended: 10, active_before: 100, active_change: 100 })).toBe(10)
  expect(churn({ ended: 41, active_before: 2, active_change: 80 })).toBe(100)
  // A school that grows from few subscriptions has no rate of thousands of percent.
  expect(churn({ ended: 41, active_before: 2, active_change: 408 })).toBe(20)
  expect(churn({ ended: 0, active_before: 0, active_change: 0 })).toBe(0)
})
