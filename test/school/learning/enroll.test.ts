import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { inSchool } from '../../../src/database/school/inSchool.ts'
import type { EndedSource } from '../../../src/school/learning/activeEntitlement.ts'
import { type EnrollmentInput, enroll } from '../../../src/school/learning/enroll.ts'
import { endEnrollments } from '../../../src/school/learning/restoreEnrollments.ts'
import { databasesToTest } from '../../support/databases.ts'
import { duringTests } from '../../support/duringTests.ts'
import { newSchool } from '../../support/rows.ts'
import { newCourse, newLearner, newOrder, newPlan, newSubscription } from './learning.ts'

const day = 86_400_000
const stores = (await databasesToTest()).filter(({ name }) => name === 'postgresql')

describe.each(stores)('enrolling on $name', ({ open }) => {
  const opened = duringTests(open)
  let schoolId: string
  let personId: string
  let courseId: string
  beforeAll(async () => {
    schoolId = await newSchool(opened.database.sql)
  })
  beforeEach(async () => {
    personId = await newLearner(sql(), schoolId)
    courseId = await newCourse(sql(), schoolId)
  })

  const sql = () => opened.database.sql
  const put = (more: Partial<EnrollmentInput> = {}) =>
    opened.database.transaction((writer) =>
      enroll(inSchool(writer, schoolId), { now: new Date(), personId, courseId, source: 'manual', ...more }),
    )
  const end = (ending: EndedSource) =>
    opened.database.transaction((writer) => endEnrollments(inSchool(writer, schoolId), { schoolId, now: new Date(), ...ending }))
  const rowOf = async () => {
    const rows = await sql().query<Record<string, unknown>>(
      'SELECT * FROM enrollment WHERE school_id = $1 AND person_id = $2 AND course_id = $3',
      [...[schoolId, personId, courseId]],
    )
    expect(rows).toHaveLength(1)
    return rows[0] as Record<string, unknown>
  }
  const counts = async () => {
    const [row] = await sql().query(
      `SELECT c.enrollments_count AS course, p.enrollments_count AS everything, p.active_enrollments_count AS active,
              p.completed_courses_count AS completed, c.version AS course_version, p.version AS person_version
         FROM course c, person p WHERE c.school_id = $1 AND c.id = $2 AND p.school_id = $1 AND p.id = $3`,
      [schoolId, courseId, personId],
    )
    return row
  }
  const set = (columns: string) =>
    sql().query(`UPDATE enrollment SET ${columns} WHERE school_id = $1 AND person_id = $2 AND course_id = $3`, [
      schoolId,
      personId,
      courseId,
    ])

  test('a person has one row in a course for ever, and it is counted in course and person without a new version of either', async () => {
    const first = await put()
    expect(first.outcome).toBe('created')
    expect(await put()).toMatchObject({ outcome: 'unchanged', enrollmentId: first.enrollmentId, version: 1 })
    expect(await counts()).toEqual({ course: 1, everything: 1, active: 1, completed: 0, course_version: 1, person_version: 1 })
  })

  test('one that ended is opened again, keeps its progress, and says what opened it', async () => {
    const orderId = await newOrder(sql(), schoolId, { personId, courseId })
    const first = await put()
    await set(`status = 'expired', expires_at = now() - interval '1 day', progress_percent = 40`)
    await sql().query('UPDATE course SET enrollments_count = 0 WHERE id = $1', [courseId])
    await sql().query('UPDATE person SET active_enrollments_count = 0 WHERE id = $1', [personId])
    expect(await put({ source: 'purchase', orderId })).toMatchObject({
      outcome: 'reactivated',
      enrollmentId: first.enrollmentId,
      version: 2,
    })
    expect(await rowOf()).toMatchObject({ status: 'active', progress_percent: 40, source: 'purchase', order_id: orderId, expires_at: null })
    expect(await counts()).toMatchObject({ course: 1, everything: 1, active: 1 })
  })

  test('one past its time is opened again before a job has noted its end', async () => {
    await put({ expiresAt: new Date(Date.now() + day) })
    await set(`expires_at = now() - interval '1 second'`)
    expect((await put()).outcome).toBe('reactivated')
    expect(await counts()).toMatchObject({ course: 1, active: 1 })
  })

  test('a completed course stays completed when it is opened again', async () => {
    await put()
    await set(`status = 'canceled', completed_at = now()`)
    await put()
    expect(await rowOf()).toMatchObject({ status: 'completed' })
  })

  test('a suspended one stays suspended, whatever is paid', async () => {
    await put()
    await set(`status = 'suspended'`)
    expect((await put({ source: 'purchase' })).outcome).toBe('unchanged')
    expect(await rowOf()).toMatchObject({ status: 'suspended' })
  })

  test('it lasts as long as the course grants access, and under a plan as long as the plan', async () => {
    courseId = await newCourse(sql(), schoolId, { access_duration_days: 30 })
    const now = new Date('2026-03-01T10:00:00.000Z')
    await put({ now, source: 'self' })
    expect(await rowOf()).toMatchObject({ starts_at: now, expires_at: new Date('2026-03-31T10:00:00.000Z') })
    personId = await newLearner(sql(), schoolId)
    await put({ source: 'plan' })
    expect(await rowOf()).toMatchObject({ expires_at: null })
  })

  test.each([
    ['a shorter one after a longer one', 30, 10],
    ['a longer one after a shorter one', 10, 30],
    ['one of the same length', 20, 20],
    ['one without an end after one with an end', 10, null],
    ['one with an end after one without', null, 10],
  ])('the longer of two sources decides how long a course is open: %s', async (_order, first, second) => {
    const now = new Date()
    const inDays = (days: number | null) => (days === null ? null : new Date(now.getTime() + days * day))
    await put({ now, expiresAt: inDays(first) })
    const orderId = await newOrder(sql(), schoolId, { personId, courseId })
    await put({ now, source: 'purchase', orderId, expiresAt: inDays(second) })
    const longest = first === null || second === null ? null : Math.max(first, second)
    expect(await rowOf()).toMatchObject({ status: 'active', expires_at: inDays(longest) })
    await put({ now, expiresAt: inDays(1) })
    expect(await rowOf()).toMatchObject({ expires_at: inDays(longest) })
  })

  test('a member who is not a student becomes one, and the change feed has the new version of both', async () => {
    personId = await newLearner(sql(), schoolId, { is_student: false, is_member: true })
    await put()
    const feed = await sql().query('SELECT type, action FROM change_log WHERE resource_id = $1 ORDER BY type', [personId])
    expect(feed).toEqual([
      { type: 'member', action: 'updated' },
      { type: 'student', action: 'created' },
    ])
  })

  test('concurrent enrolments create one row, and a course never exceeds its places', async () => {
    courseId = await newCourse(sql(), schoolId, { capacity: 3 })
    const people = await Promise.all(Array.from({ length: 8 }, () => newLearner(sql(), schoolId)))
    const outcomes = await Promise.allSettled([
      ...people.map((other) => put({ personId: other, requiresPlaceFor: 'person' })),
      ...people.map((other) => put({ personId: other, requiresPlaceFor: 'person' })),
    ])
    const made = outcomes.filter((one) => one.status === 'fulfilled' && one.value.outcome === 'created')
    const [row] = await sql().query<{ count: number; rows: number }>(
      'SELECT enrollments_count AS count, (SELECT count(*)::int FROM enrollment WHERE course_id = course.id) AS rows FROM course WHERE id = $1',
      [courseId],
    )
    expect([made.length, row?.count, row?.rows]).toEqual([3, 3, 3])
    const refused = outcomes.find((one) => one.status === 'rejected')
    expect(refused?.reason).toMatchObject({ code: 'invalid_state', details: [{ code: 'course_full' }] })
    // A promised place is still granted.
    expect((await put({ source: 'purchase' })).outcome).toBe('created')
  })

  test('a course of another school is not found', async () => {
    const other = await newSchool(sql())
    courseId = await newCourse(sql(), other)
    await expect(put()).rejects.toMatchObject({ code: 'invalid_reference' })
  })

  describe('ending', () => {
    test('an order that is refunded ends what it opened, and nothing else of the person', async () => {
      const orderId = await newOrder(sql(), schoolId, { personId, courseId })
      await put({ source: 'purchase', orderId })
      const elsewhere = await newCourse(sql(), schoolId)
      await put({ courseId: elsewhere })
      expect(await end({ orderId })).toEqual({ ended: 1, kept: 0 })
      expect(await rowOf()).toMatchObject({ status: 'canceled', canceled_at: expect.any(Date) })
      expect(await counts()).toMatchObject({ course: 0, everything: 2, active: 1 })
      expect(await end({ orderId })).toEqual({ ended: 0, kept: 0 })
      expect(await counts()).toMatchObject({ course: 0, everything: 2, active: 1 })
    })

    test('a plan that opens the course too keeps it, and its end ends it', async () => {
      const orderId = await newOrder(sql(), schoolId, { personId, courseId })
      const subscriptionId = await newSubscription(sql(), schoolId, {
        personId,
        planId: await newPlan(sql(), schoolId, { courseIds: [courseId] }),
      })
      await put({ source: 'purchase', orderId })
      expect(await end({ orderId })).toEqual({ ended: 0, kept: 1 })
      expect(await rowOf()).toMatchObject({ status: 'active', source: 'plan', subscription_id: subscriptionId, order_id: null })
      await sql().query(`UPDATE orders SET status = 'refunded' WHERE id = $1`, [orderId])
      expect(await end({ subscriptionId })).toEqual({ ended: 1, kept: 0 })
    })

    test('a plan that opens another course does not keep it', async () => {
      const orderId = await newOrder(sql(), schoolId, { personId, courseId })
      const planId = await newPlan(sql(), schoolId, { courseIds: [await newCourse(sql(), schoolId)] })
      await newSubscription(sql(), schoolId, { personId, planId })
      await put({ source: 'purchase', orderId })
      expect(await end({ orderId })).toEqual({ ended: 1, kept: 0 })
      expect(await rowOf()).toMatchObject({ status: 'canceled' })
    })

    test('a plan that ends leaves what was bought, and what another plan opens', async () => {
      const plan = () => newPlan(sql(), schoolId)
      const first = await newSubscription(sql(), schoolId, { personId, planId: await plan() })
      const second = await newSubscription(sql(), schoolId, { personId, planId: await plan() })
      const elsewhere = await newPlan(sql(), schoolId, { courseIds: [] })
      await newSubscription(sql(), schoolId, { personId, planId: elsewhere })
      await put({ source: 'plan', subscriptionId: first })
      expect(await end({ subscriptionId: first })).toEqual({ ended: 0, kept: 1 })
      expect(await rowOf()).toMatchObject({ source: 'plan', subscription_id: second })
      const orderId = await newOrder(sql(), schoolId, { personId, courseId })
      await put({ source: 'purchase', orderId })
      await sql().query(`UPDATE subscription SET status = 'canceled', ended_at = now() WHERE id = ANY ($1::uuid[])`, [[first, second]])
      expect(await end({ subscriptionId: second })).toEqual({ ended: 0, kept: 1 })
      expect(await rowOf()).toMatchObject({ source: 'purchase', order_id: orderId, status: 'active' })
    })

    test('manual access outlasts a plan or an order that ends, for as long as it was given', async () => {
      const until = new Date(Date.now() + 7 * day)
      await put({ source: 'manual', expiresAt: until })
      const orderId = await newOrder(sql(), schoolId, { personId, courseId })
      await put({ source: 'purchase', orderId })
      expect(await rowOf()).toMatchObject({ source: 'purchase', expires_at: null })
      await end({ orderId })
      expect(await rowOf()).toMatchObject({ status: 'active', source: 'manual', expires_at: until })
    })

    test('manual access that is given during a plan outlasts the plan', async () => {
      const subscriptionId = await newSubscription(sql(), schoolId, { personId, planId: await newPlan(sql(), schoolId) })
      await put({ source: 'plan', subscriptionId })
      await put({ source: 'manual' })
      expect(await end({ subscriptionId })).toEqual({ ended: 0, kept: 1 })
      expect(await rowOf()).toMatchObject({ status: 'active', source: 'manual' })
    })

    test('a refunded item leaves no access', async () => {
      const first = await newOrder(sql(), schoolId, { personId, courseId })
      const second = await newOrder(sql(), schoolId, { personId, courseId, status: 'partially_refunded' })
      await sql().query('UPDATE order_item SET refunded_amount = total_amount WHERE order_id = $1', [second])
      await put({ source: 'purchase', orderId: first })
      expect(await end({ orderId: first })).toEqual({ ended: 1, kept: 0 })
    })
  })
})
