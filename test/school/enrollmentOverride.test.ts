import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/base/ids.ts'
import { databasesToTest } from '../support/databases.ts'
import { newCoupon } from '../support/shop.ts'
import { type DemoApi, type Reply, startDemoApi } from './demoApi.ts'
import { learner, learningIn, lecturer, other, owner, storedId } from './learning.ts'

const codes = ({ json }: Reply) => ((json.details ?? []) as { code: string }[]).map(({ code }) => code)

describe.each((await databasesToTest()).slice(-1))('places of courses, on $name', ({ open }) => {
  let api: DemoApi
  let school: ReturnType<typeof learningIn>
  beforeAll(async () => {
    api = await startDemoApi(await open())
    school = learningIn(api)
  })
  afterAll(() => api.stop())

  type Course = Awaited<ReturnType<typeof school.newCourse>>
  const enroll = (course: Course, as: string, more: object = {}, email = learner): Promise<Reply> =>
    school.send('enrollments', { as, body: { course_id: course.id, student_email: email, ...more } })
  const placesTaken = async ({ id }: Course) => (await school.get(`courses/${id}`)).json.enrollments_count

  const closed: [string, string, () => Promise<Course>][] = [
    [
      'a full',
      'course_full',
      async () => {
        const course = await school.newCourse({ capacity: 1 })
        await school.enroll(course, other)
        return course
      },
    ],
    [
      'an archived',
      'course_archived',
      async () => {
        const course = await school.newCourse()
        await school.post(`courses/${course.id}/archive`)
        return course
      },
    ],
    ['a draft', 'course_draft', () => school.newCourse({ lessons: 0 })],
  ]

  test.each(closed)('%s course accepts no enrolment by staff or its lecturer unless they override that', async (_which, code, make) => {
    const course = await make()
    const before = await placesTaken(course)
    for (const as of [owner, lecturer]) {
      const refused = await enroll(course, as)
      expect([as, refused.status, refused.json.error, codes(refused)]).toEqual([as, 409, 'invalid_state', [code]])
      expect(refused.json.error_description).toMatch(/override: true/)
    }
    const items = [{ course_id: course.id, student_email: learner }]
    const bulk = (more: object) => school.send('enrollments/bulk', { body: { items, ...more } })
    const many = await bulk({})
    expect([many.status, many.json.summary]).toEqual([207, { total: 1, succeeded: 0, failed: 1 }])
    expect(many.json.results).toMatchObject([{ status: 409, error: { error: 'invalid_state', details: [{ code }] } }])
    expect((await bulk({ atomic: true })).status).toBe(409)
    expect(await placesTaken(course)).toBe(before)

    expect((await enroll(course, owner, { override: true })).status).toBe(201)
    // An enrolment that already has its place does not need a free one.
    expect((await enroll(course, owner)).status).toBe(200)
    const overridden = await school.send('enrollments/bulk', {
      body: { items: [{ ...items[0], student_email: `${newId()}@example.org` }], create_missing: true, override: true },
    })
    expect(overridden.json.results).toMatchObject([{ status: 201 }])
    expect(await placesTaken(course)).toBe(Number(before) + 2)
  })

  test('a bulk enrolment fills the remaining places, each row with its own result', async () => {
    const course = await school.newCourse({ capacity: 2 })
    const items = Array.from({ length: 4 }, () => ({ course_id: course.id, student_email: `${newId()}@example.org` }))
    const reply = await school.send('enrollments/bulk', { body: { items, create_missing: true } })
    expect((reply.json.results as { status: number }[]).map(({ status }) => status)).toEqual([201, 201, 409, 409])
    expect(await placesTaken(course)).toBe(2)
  })

  test('an enrolment that has ended is not opened again without a place, by whichever way', async () => {
    const course = await school.newCourse({ capacity: 1 })
    const enrollment = await school.enroll(course)
    await school.post(`enrollments/${enrollment.id}/cancel`)
    await school.enroll(course, other)
    expect(codes(await enroll(course, owner))).toEqual(['course_full'])
    await school.set(enrollment, `status = 'expired', starts_at = now() - interval '2 days', expires_at = now() - interval '1 day'`)
    const longer = await school.send(`enrollments/${enrollment.id}`, { method: 'PATCH', body: { expires_at: null } })
    expect([longer.status, codes(longer)]).toEqual([409, ['course_full']])
    expect((await enroll(course, owner, { override: true })).json).toMatchObject({ id: enrollment.id, status: 'active' })
    expect(await placesTaken(course)).toBe(2)
  })

  test('a coupon of the full price does not open a full course, and stays unused', async () => {
    const course = await school.newCourse({ capacity: 1 })
    await school.rows(`UPDATE course SET access = 'paid', price_amount = 900, price_currency = 'EUR' WHERE school_id = $1 AND id = $2`, [
      storedId(course.id),
    ])
    await school.enroll(course, other)
    const code = `C${newId()}`.toUpperCase().slice(0, 30)
    await newCoupon(api.database.sql, api.school.id, { code })
    const redeem = () => school.send('coupon_redemptions', { as: learner, body: { code, item: { type: 'course', id: course.id } } })
    const refused = await redeem()
    expect([refused.status, codes(refused)]).toEqual([409, ['course_full']])
    const used = () => school.rows('SELECT redemptions_count AS n FROM coupon WHERE school_id = $1 AND code = $2', [code])
    expect(await used()).toEqual([{ n: 0 }])
    await school.rows('UPDATE course SET capacity = 2 WHERE school_id = $1 AND id = $2', [storedId(course.id)])
    expect((await redeem()).status).toBe(201)
  })

  test('people who enrol themselves cannot override', async () => {
    const course = await school.newCourse({ capacity: 1 })
    const refused = await school.send('enrollments', { as: learner, body: { course_id: course.id, override: true } })
    expect([refused.status, refused.json.details]).toMatchObject([422, [{ field: 'override', code: 'not_allowed' }]])
  })

  test('the API description names override and says what it is for', async () => {
    interface Body {
      properties: Record<string, { type: string; description: string }>
    }
    const { schemas, requestBodies } = (await api.get('/openapi.json')).json.components as {
      schemas: Record<string, Body>
      requestBodies: Record<string, { content: { 'application/json': { schema: Body } } }>
    }
    for (const body of ['CreateEnrollmentBody', 'BulkEnrollmentsBody']) {
      expect(requestBodies[body]?.content['application/json'].schema.properties.override).toMatchObject({
        type: 'boolean',
        description: expect.stringMatching(/full|archived|draft/),
      })
    }
    expect(schemas.UpdateEnrollmentBody?.properties).not.toHaveProperty('override')
  })
})
