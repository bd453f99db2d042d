import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addDays } from '../../src/base/days.ts'
import type { Database } from '../../src/database/connection/database.ts'
import { featureJobs, rollupLock } from '../../src/operate/jobs/featureJobs.ts'
import { markDays } from '../../src/school/analytics/rollups/dirtyDays.ts'
import { rebuildSchool, refreshSchool } from '../../src/school/analytics/rollups/refreshSchool.ts'
import { rollups } from '../../src/school/analytics/rollups/rollups.ts'
import { databasesToTest, openDatabaseTwice } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { type MadeRows, makeRows } from './analyticsRows.ts'
import { activityDays, countRows, type Figures, localDay, trimmed } from './analyticsSums.ts'

const zones = ['Europe/Berlin', 'America/Los_Angeles', 'Asia/Kolkata', 'UTC']
const now = new Date('2026-11-20T10:00:00Z')

describe.each(await databasesToTest())('figures on $name', ({ open }) => {
  const opened = duringTests(open)
  const sql = (text: string, values: unknown[] = []) => opened.database.sql.query<Record<string, unknown>>(text, values)

  /** The rows of the tables, in the form of the expected counts. */
  async function tables(schoolId: string): Promise<Record<string, Figures>> {
    const found: Record<string, Figures> = {}
    for (const { table, keys, measures } of rollups) {
      const lines = await sql(`SELECT *, day::text AS day FROM ${table} WHERE school_id = $1`, [schoolId])
      found[table] = Object.fromEntries(
        lines.map((line) => [
          [line.day, ...keys.map((key) => line[key])].join(' '),
          Object.fromEntries(measures.map((measure) => [measure, Number(line[measure])])),
        ]),
      )
    }
    return found
  }
  const allTrimmed = (all: Record<string, Figures>) =>
    Object.fromEntries(Object.entries(all).map(([name, figures]) => [name, trimmed(figures)]))
  const expectSums = async (made: MadeRows, at = now) =>
    expect(allTrimmed(await tables(made.schoolId))).toEqual(allTrimmed(countRows(made, at)))
  const refresh = (schoolId: string, at = now) => refreshSchool(opened.database, { schoolId, now: at })

  test("every figure is the sum over the rows of its day in the school's time zone, and a second run has no effect", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 1_000_000 }), fc.constantFrom(...zones), async (seed, timeZone) => {
        const made = await makeRows(opened.database.sql, { seed, timeZone })
        expect(await refresh(made.schoolId)).toBeGreaterThan(0)
        await expectSums(made)
        expect(await refresh(made.schoolId)).toBe(0)
        expect(await rebuildSchool(opened.database, { schoolId: made.schoolId, now })).toBe(0)
      }),
      { numRuns: 2 },
    )
  })

  test('distinct learners of 1, 7 and 28 days are counted for the school, each course and each lecturer', async () => {
    const made = await makeRows(opened.database.sql, { seed: 7, timeZone: 'Europe/Berlin' })
    await refresh(made.schoolId)
    const active = activityDays(made, now)
    const taught = new Map<unknown, unknown[]>()
    for (const { course_id, lecturer_id } of made.rows.course_lecturer ?? [])
      taught.set(lecturer_id, [...(taught.get(lecturer_id) ?? []), course_id])
    const subjects: [string, unknown, (course: unknown) => boolean][] = [
      ['school', made.schoolId, () => true],
      ...(made.rows.course ?? []).map(({ id }) => ['course', id, (course: unknown) => course === id] as [string, unknown, () => boolean]),
      ...[...taught].map(
        ([id, courses]) => ['lecturer', id, (course: unknown) => courses.includes(course)] as [string, unknown, () => boolean],
      ),
    ]
    const expected: Record<string, number[]> = {}
    for (const [type, id, isOf] of subjects) {
      const own = active.filter(({ course }) => isOf(course))
      for (const day of new Set(own.flatMap((one) => Array.from({ length: 28 }, (_, index) => addDays(one.day, index))))) {
        if (day > '2026-11-20') continue
        const within = (days: number) =>
          new Set(own.filter((one) => one.day <= day && one.day > addDays(day, -days)).map(({ person }) => person)).size
        expected[`${type} ${id} ${day}`] = [within(1), within(7), within(28)]
      }
    }
    const lines = await sql('SELECT *, day::text AS day FROM analytics_daily_active WHERE school_id = $1', [made.schoolId])
    const found = Object.fromEntries(
      lines.map((line) => [
        `${line.subject_type} ${line.subject_id} ${line.day}`,
        [line.daily_active, line.weekly_active, line.monthly_active],
      ]),
    )
    expect(found).toEqual(expected)
  })

  test('a row that moves on keeps the days on which it was touched before', async () => {
    const made = await makeRows(opened.database.sql, { seed: 11, timeZone: 'Europe/Berlin' })
    await refresh(made.schoolId)
    const before = await sql('SELECT day::text, course_id, person_id FROM person_activity_day WHERE school_id = $1', [made.schoolId])
    const at = new Date(now.getTime() + 3_600_000)
    await sql('UPDATE lesson_progress SET updated_at = $2 WHERE school_id = $1', [made.schoolId, at])
    await refresh(made.schoolId, new Date(at.getTime() + 1000))
    const after = await sql('SELECT day::text, course_id, person_id FROM person_activity_day WHERE school_id = $1', [made.schoolId])
    expect(after).toEqual(expect.arrayContaining(before))
    expect(after.length).toBeGreaterThan(before.length)
  })

  test('a refund on a later day leaves the day of the sale alone, and a late completion changes the day of the start', async () => {
    const made = await makeRows(opened.database.sql, { seed: 3, timeZone: 'Europe/Berlin' })
    await refresh(made.schoolId)
    const before = await tables(made.schoolId)
    const order = made.rows.orders?.find(({ status, currency }) => status === 'paid' && currency === 'EUR') as Record<string, unknown>
    const enrollment = made.rows.enrollment?.find((row) => row.first_opened_at && !row.completed_at && row.status === 'active') as Record<
      string,
      unknown
    >
    const at = new Date(now.getTime() + 2 * 86_400_000)
    await sql(
      `INSERT INTO refund (school_id, id, created_at, updated_at, order_id, amount, currency, reason) VALUES ($1, $2, $3, $3, $4, 100, 'EUR', 'requested')`,
      [made.schoolId, order.id, at, order.id],
    )
    await sql(
      `UPDATE enrollment SET completed_at = $3, progress_percent = 100, status = 'completed', updated_at = $3 WHERE school_id = $1 AND id = $2`,
      [made.schoolId, enrollment.id, at],
    )
    // Within the same day, so that no night has looked at everything in between.
    await sql('UPDATE analytics_state SET closed_through = $2::date WHERE school_id = $1', [made.schoolId, localDay('Europe/Berlin', at)])
    await refresh(made.schoolId, new Date(at.getTime() + 1000))
    const after = await tables(made.schoolId)
    const [paidDay, refundDay] = [localDay('Europe/Berlin', order.paid_at as Date), localDay('Europe/Berlin', at)]
    expect(after.analytics_daily_school?.[paidDay]).toEqual(before.analytics_daily_school?.[paidDay])
    expect(after.analytics_daily_school?.[refundDay]).toMatchObject({ refunds: 100, gross: 0 })
    const started = `${localDay('Europe/Berlin', enrollment.first_opened_at as Date)} ${enrollment.course_id} ${enrollment.source}`
    const completed = (all: typeof before) => all.analytics_daily_course?.[started]?.started_completed
    expect(completed(after)).toBe((completed(before) as number) + 1)
  })

  test('a day without remaining rows falls to zero: immediately if it is marked, otherwise in the night', async () => {
    const made = await makeRows(opened.database.sql, { seed: 5, timeZone: 'America/Los_Angeles' })
    await refresh(made.schoolId)
    const [one, two] = (made.rows.rsvp ?? []).filter(({ status }) => status !== 'canceled') as [
      Record<string, unknown>,
      Record<string, unknown>,
    ]
    const without = (row: Record<string, unknown>) => {
      made.rows.rsvp = made.rows.rsvp?.filter(({ id }) => id !== row.id) ?? []
      return sql('DELETE FROM rsvp WHERE school_id = $1 AND id = $2', [made.schoolId, row.id])
    }
    await without(one)
    const starts = made.rows.event?.find(({ id }) => id === one.event_id)?.starts_at
    await markDays(opened.database.sql, made.schoolId, [one.created_at as Date, starts as Date])
    expect(await refresh(made.schoolId)).toBeGreaterThan(0)
    await expectSums(made)
    await without(two)
    await refresh(made.schoolId, new Date(now.getTime() + 86_400_000))
    await expectSums(made)
  })

  test('a school that moves to another zone gets other days', async () => {
    const made = await makeRows(opened.database.sql, { seed: 13, timeZone: 'Europe/Berlin' })
    await refresh(made.schoolId)
    await sql(`UPDATE school SET time_zone = 'Pacific/Auckland' WHERE id = $1`, [made.schoolId])
    await refresh(made.schoolId)
    await expectSums({ ...made, timeZone: 'Pacific/Auckland' })
  })

  test('work that broke off goes on where it ended, and comes to the same figures', async () => {
    const made = await makeRows(opened.database.sql, { seed: 17, timeZone: 'Europe/Berlin' })
    let blocks = 0
    const breaking = refreshSchool(opened.database, {
      schoolId: made.schoolId,
      now,
      onProgress: () => {
        blocks += 1
        if (blocks === 3) throw new Error('the power went out')
      },
    })
    await expect(breaking).rejects.toThrow('the power went out')
    await refresh(made.schoolId)
    await expectSums(made)
  })

  test('when two processes run the job at the same moment, one of them works, and the figures are right', async () => {
    const made = await makeRows(opened.database.sql, { seed: 19, timeZone: 'Europe/Berlin' })
    const twice = await openDatabaseTwice(opened)
    const run = (database: Database) => database.exclusively(rollupLock, () => featureJobs[rollupLock].run({ database }))
    const done = await Promise.all([run(opened.database), run(twice.database), run(opened.database)])
    expect(done.filter((one) => one !== undefined)).toHaveLength(1)
    await twice.close()
    await refresh(made.schoolId)
    await expectSums(made)
  })
})
