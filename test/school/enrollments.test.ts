import { beforeAll, describe, expect, test } from 'vitest'
import type { PersonCaller } from '../../src/base/caller.ts'
import { newId } from '../../src/base/ids.ts'
import { expireEnrollments } from '../../src/school/learning/jobs/expireEnrollments.ts'
import { newCoupon } from '../support/shop.ts'
import type { Reply } from './demoApi.ts'
import { describeDemoOn } from './describeDemo.ts'
import { newPlan, newSubscription } from './learning/learning.ts'
import { learner, learningIn, lecturer, other, owner, storedId, stranger } from './learning.ts'

const choices = [
  { id: 'a', text: 'Stoneware', correct: true },
  { id: 'b', text: 'Earthenware', correct: false },
]
const quiz = {
  pass_percent: 60,
  max_attempts: 2,
  questions: [
    { id: 'one', kind: 'single', prompt: 'Hottest?', choices, points: 1, explanation: 'because zq-secret' },
    { id: 'many', kind: 'multiple', prompt: 'Which?', choices: [...choices, { id: 'c', text: 'Both', correct: true }], points: 1 },
    { id: 'word', kind: 'short_text', prompt: 'White clay?', accepted_answers: ['Kaolin zq-secret', 'kaolin'], points: 1 },
  ],
}

describeDemoOn('last', 'taking courses, on $name', (api) => {
  let school: ReturnType<typeof learningIn>
  beforeAll(() => {
    school = learningIn(api)
  })

  const self = (course: { id: string }, as = learner, more: object = {}, headers: Record<string, string> = {}): Promise<Reply> =>
    school.send('enrollments', { as, body: { course_id: course.id, ...more }, headers })
  const codes = ({ json }: Reply) => ((json.details ?? []) as { code: string }[]).map(({ code }) => code)
  const lesson = async (id: string, as: string | undefined = learner) => (await school.get(`lessons/${id}`, as)).json

  describe('enrolling', () => {
    test('a person enrols themselves in a free course once, and cannot enrol other people', async () => {
      const course = await school.newCourse()
      const made = await self(course)
      expect([made.status, made.json.source, made.json.status, made.json.lessons_count]).toEqual([201, 'self', 'active', 2])
      const again = await self(course)
      expect([again.status, again.json]).toEqual([200, made.json])
      expect((await self(course, learner, { student_email: other })).json).toMatchObject({ error: 'validation_failed' })
      expect((await self(course, learner, { expires_at: '2999-01-01T00:00:00Z' })).status).toBe(422)
      expect((await school.get(`courses/${course.id}`, learner)).json.my_enrollment).toMatchObject({ id: made.json.id, status: 'active' })
      expect((await school.get(`enrollments/${made.json.id}`, other)).status).toBe(404)
      expect((await school.get(`enrollments/${made.json.id}`, stranger)).status).toBe(404)
      expect((await school.get(`enrollments/${made.json.id}`, lecturer)).json.metadata).toEqual({})
    })

    test('a paid course leads to the checkout, a course of the own plan opens, and staff are exempt', async () => {
      const course = await school.newCourse({ access: 'plan_only' })
      const refused = await self(course, other)
      expect([refused.status, refused.json.error]).toEqual([422, 'checkout_required'])
      expect(JSON.stringify(refused.json.details)).toContain(`course/${course.id}`)
      const { personId } = (await api.caller(other)) as PersonCaller
      const planId = await newPlan(api.database.sql, api.school.id, { courseIds: [storedId(course.id)] })
      await newSubscription(api.database.sql, api.school.id, { personId: personId as string, planId })
      const opened = await self(course, other)
      expect([opened.status, opened.json.source]).toEqual([201, 'plan'])
      expect(opened.json.subscription_id).toMatch(/^sub_/)
      expect((await lesson(course.lessons[0], other)).content).toBe('Secret of the trade')
      await school.rows(
        `UPDATE subscription SET cancel_at_period_end = true, current_period_end = now() WHERE school_id = $1 AND plan_id = $2`,
        [planId],
      )
      expect(await lesson(course.lessons[0], other)).toMatchObject({ locked: true, lock_reason: 'expired' })
      expect((await school.enroll(course, learner)).source).toBe('manual')
    })

    test.each([
      ['closed', { enrollment_open: false }, 'enrollment_closed'],
      ['not begun', { enrollment_starts_at: '2998-01-01T00:00:00Z' }, 'enrollment_not_started'],
      ['over', { enrollment_ends_at: '2001-01-01T00:00:00Z' }, 'enrollment_ended'],
    ])('a course whose enrolment is %s accepts only people whom the school enrols', async (_what, fields, code) => {
      const course = await school.newCourse(fields)
      const refused = await self(course)
      expect([refused.status, codes(refused)]).toEqual([409, [code]])
      await school.enroll(course)
      expect((await self(course)).status).toBe(200)
    })

    test('lecturers enrol in what they teach, and in nothing else', async () => {
      const course = await school.newCourse()
      const body = { course_id: course.id, student_email: learner }
      expect((await school.send('enrollments', { as: stranger, body })).status).toBe(422)
      expect((await school.send('enrollments', { as: lecturer, body })).status).toBe(201)
      const unknown = { course_id: course.id, student_email: `${newId()}@example.org` }
      expect((await school.send('enrollments', { as: lecturer, body: unknown })).json.error).toBe('validation_failed')
    })

    test('the same key twenty times concurrently creates one row, and a course never exceeds its places', async () => {
      const course = await school.newCourse({ capacity: 1 })
      const key = { 'idempotency-key': newId() }
      const replies = await Promise.all(Array.from({ length: 20 }, () => self(course, learner, {}, key)))
      expect(replies.every(({ status, json }) => status === 201 || json.error === 'idempotency_in_progress')).toBe(true)
      const full = await self(course, other)
      expect([full.status, codes(full)]).toEqual([409, ['course_full']])
      const [row] = await school.rows('SELECT count(*)::int AS n FROM enrollment WHERE school_id = $1 AND course_id = $2', [
        storedId(course.id),
      ])
      expect(row).toEqual({ n: 1 })
      expect((await school.get(`courses/${course.id}`)).json.enrollments_count).toBe(1)
    })

    test('a bulk enrolment creates people on request, rejects repetitions, and sends everybody an e-mail', async () => {
      const course = await school.newCourse()
      const address = `${newId()}@example.org`
      const items = [
        { course_id: course.id, student_email: address },
        { course_id: course.id, student_email: address },
        { course_id: course.id, student_email: 'no address' },
      ]
      const body = { items, create_missing: true, notify: true }
      const reply = await school.send('enrollments/bulk', { body })
      expect([reply.status, reply.json.summary]).toEqual([207, { total: 3, succeeded: 1, failed: 2 }])
      expect((reply.json.results as { status: number }[]).map(({ status }) => status)).toEqual([201, 409, 422])
      expect((await api.messages()).filter(({ to }) => to === address)).toMatchObject([{ kind: 'enrolled' }])
      const atomic = await school.send('enrollments/bulk', { body: { items: items.slice(0, 2), atomic: true } })
      expect(atomic.status).toBe(409)
      const whole = await school.send('enrollments/bulk', { body: { items: items.slice(0, 1), atomic: true } })
      expect([whole.status, whole.json.summary]).toEqual([200, { total: 1, succeeded: 1, failed: 0 }])
    })
  })

  test('incomplete_lesson_id lists who has not completed a lesson, begun or not, for staff and for lecturers of the course', async () => {
    const course = await school.newCourse({ lessons: 2 })
    const [first, second] = course.lessons as [string, string]
    const [done, begun] = [await school.enroll(course, learner), await school.enroll(course, other)]
    const absent = await school.enroll(course, 'learner003@example.org')
    for (const [enrollment, body, as] of [
      [done, { completed: true }, learner],
      [begun, { position_seconds: 5 }, other],
    ] as const)
      expect((await school.put(enrollment, second, body, as)).status).toBe(200)
    const incomplete = async (path: string, as = owner) =>
      ((await school.get(path, as)).json.data as { id: string }[]).map(({ id }) => id).toSorted()
    const expected = [begun.id, absent.id].toSorted()
    for (const as of [owner, lecturer]) {
      expect(await incomplete(`courses/${course.id}/enrollments?incomplete_lesson_id=${second}`, as)).toEqual(expected)
      expect(await incomplete(`enrollments?incomplete_lesson_id=${second}`, as)).toEqual(expected)
    }
    expect(await incomplete(`enrollments?incomplete_lesson_id=${first},${second}`)).toHaveLength(3)
    expect(await incomplete(`enrollments?incomplete_lesson_id=${second}`, stranger)).toEqual([])
    expect(await incomplete(`enrollments?incomplete_lesson_id=${second}`, learner)).toEqual([])
    await school.post(`lessons/${second}/unpublish`)
    expect(await incomplete(`enrollments?incomplete_lesson_id=${second}`)).toEqual([])
  })

  describe('access', () => {
    test('a lesson opens by its drip and its dates, and says when; what was shown is closed when time is over', async () => {
      const course = await school.newCourse({ lessons: 3 })
      const [first, second, third] = course.lessons as [string, string, string]
      await school.send(`lessons/${second}`, { method: 'PATCH', body: { drip: { mode: 'days_after_enrollment', days: 7 } } })
      await school.send(`lessons/${third}`, { method: 'PATCH', body: { drip: { mode: 'date', at: '2001-01-01T00:00:00Z' } } })
      expect(await lesson(first)).toMatchObject({ locked: true, lock_reason: 'not_enrolled', unlocked: false, unlocks_at: null })
      const enrollment = await school.enroll(course)
      expect(await lesson(first)).toMatchObject({ locked: false, lock_reason: null, unlocked: true, content: 'Secret of the trade' })
      const waiting = await lesson(second)
      expect(waiting).toMatchObject({
        lock_reason: 'drip',
        unlocks_at: new Date(Date.parse(String(enrollment.starts_at)) + 7 * 86_400_000).toISOString(),
      })
      expect(waiting).not.toHaveProperty('content')
      expect((await lesson(third)).locked).toBe(false)
      expect((await school.put(enrollment, second, { completed: true })).json).toMatchObject({ error: 'lesson_locked' })
      await school.set(enrollment, `starts_at = now() - interval '8 days'`)
      expect((await lesson(second)).locked).toBe(false)
      await school.set(enrollment, `expires_at = now() - interval '1 second'`)
      expect(await lesson(first)).toMatchObject({ lock_reason: 'expired' })
      expect((await school.put(enrollment, first, { completed: true })).json.error).toBe('lesson_locked')
      expect((await school.get(`enrollments/${enrollment.id}/progress`, learner)).status).toBe(200)
      await school.set(enrollment, `expires_at = NULL`)
      await school.send(`enrollments/${enrollment.id}/suspend`, { body: {} })
      expect(await lesson(first)).toMatchObject({ lock_reason: 'expired' })
    })

    test('the reason why a lesson is locked invites to enrol only a person without an enrolment', async () => {
      const course = await school.newCourse({ lessons: 1 })
      const [first] = course.lessons
      const reason = async () => {
        const { lock_reason, unlocks_at, locked } = await lesson(first)
        return { lock_reason, unlocks_at, locked }
      }
      const enrollment = await school.enroll(course)
      const { student_id } = enrollment
      await school.send(`students/${student_id}/suspend`, { body: {} })
      const suspended = (await school.rows<{ lock: string }>(`SELECT student_status AS lock FROM person WHERE school_id = $1 AND id = $2`, [
        storedId(String(student_id)),
      ])) as { lock: string }[]
      expect([suspended[0]?.lock, await reason()]).toEqual(['suspended', { lock_reason: 'expired', unlocks_at: null, locked: true }])
      await school.send(`students/${student_id}/reactivate`, { body: {} })
      expect((await reason()).locked).toBe(false)
      const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
      await school.set(enrollment, `starts_at = '${tomorrow}'`)
      expect(await reason()).toEqual({ lock_reason: 'drip', unlocks_at: tomorrow, locked: true })
      await school.send(`enrollments/${enrollment.id}/cancel`, { body: {} })
      expect(await reason()).toEqual({ lock_reason: 'not_enrolled', unlocks_at: null, locked: true })
    })

    test('an archived course remains visible to its students only', async () => {
      const course = await school.newCourse()
      await school.enroll(course)
      expect((await school.send(`courses/${course.id}/unpublish`, { body: {} })).json.error).toBe('invalid_state')
      await school.post(`courses/${course.id}/archive`)
      for (const path of [`courses/${course.id}`, `courses/${course.id}/curriculum`, `lessons/${course.lessons[0]}`]) {
        expect([path, (await school.get(path, learner)).status, (await school.get(path, other)).status]).toEqual([path, 200, 404])
      }
      const mine = (await school.get('courses?enrolled=true&limit=100', learner)).json.data as { id: string }[]
      expect(mine.map(({ id }) => id)).toContain(course.id)
      expect((await self(course, other)).status).toBe(422)
    })
  })

  describe('progress', () => {
    test('a removal of lessons reports every enrolment whose progress changes, also of lessons that nobody started', async () => {
      const affected = async (path: string, method = 'DELETE', body?: object) => {
        const reply = await school.send(path, { method, ...(body && { body }) })
        return [reply.status, reply.headers.get('affected-enrollments')]
      }
      const course = await school.newCourse({ lessons: 5 })
      const [first, second, third, fourth] = course.lessons as [string, string, string, string, string]
      const [mine, theirs] = [await school.enroll(course), await school.enroll(course, other)]
      await school.put(mine, first, { completed: true })
      const percent = async () => (await school.get(`enrollments/${mine.id}`)).json.progress_percent
      expect(await percent()).toBe(20)
      expect([await affected(`lessons/${fourth}`), await percent()]).toEqual([[204, '1'], 25])
      await school.put(theirs, third, { position_seconds: 5 }, other)
      // One person loses a started lesson, the other one has a higher percentage.
      expect([await affected(`lessons/${third}`), await percent()]).toEqual([[204, '2'], 33])
      const extra = await school.post(`courses/${course.id}/sections`, { title: 'Extra' })
      const more = await school.post(`sections/${extra.id}/lessons`, { title: 'More', kind: 'text' })
      expect(await affected(`lessons/${more.id}/publish`, 'POST', {})).toEqual([200, '1'])
      expect([await affected(`sections/${extra.id}?cascade=true`), await percent()]).toEqual([[204, '1'], 33])
      await school.rows(`UPDATE lesson SET external_id = 'first' WHERE school_id = $1 AND id = $2`, [storedId(first)])
      await school.rows(`UPDATE section SET external_id = 'willow' WHERE school_id = $1 AND id = $2`, [storedId(course.section)])
      const whole = {
        mode: 'replace',
        sections: [{ external_id: 'willow', title: 'Willow', lessons: [{ external_id: 'first', title: 'First', kind: 'text' }] }],
      }
      expect([await affected(`courses/${course.id}/curriculum/import`, 'POST', whole), await percent()]).toEqual([[200, '1'], 100])
      expect(second).toBeDefined()
    })

    test('concurrent progress is counted completely, the last lesson completes the course, and later lessons revoke nothing', async () => {
      const course = await school.newCourse({ lessons: 3, completion_threshold_percent: 60, certificate_enabled: true })
      const enrollment = await school.enroll(course)
      const certificate = () => school.send(`enrollments/${enrollment.id}/certificate`, { as: learner, body: {} })
      expect((await certificate()).json.error).toBe('invalid_state')
      const [first, second] = course.lessons
      await Promise.all([first, second].map((id) => school.put(enrollment, id, { completed: true, position_seconds: 9 })))
      const done = (await school.get(`enrollments/${enrollment.id}`, learner)).json
      expect(done).toMatchObject({ status: 'completed', progress_percent: 66, completed_lessons_count: 2 })
      expect(done.last_activity_at).not.toBeNull()
      const again = await school.put(enrollment, first, { completed: true, position_seconds: 9 })
      expect(again.json).toMatchObject({ lesson: { status: 'completed', position_seconds: 9 }, enrollment: { status: 'completed' } })
      const { id } = await school.post(`sections/${course.section}/lessons`, { title: 'Late', kind: 'text' })
      const published = await school.send(`lessons/${id}/publish`, { body: {} })
      expect(published.headers.get('affected-enrollments')).toBe('1')
      expect((await school.get(`enrollments/${enrollment.id}`)).json).toMatchObject({ status: 'completed', progress_percent: 50 })
      const removed = await school.send(`lessons/${first}`, { method: 'DELETE' })
      expect([removed.status, removed.headers.get('affected-enrollments')]).toEqual([204, '1'])
      expect((await school.get(`enrollments/${enrollment.id}`)).json).toMatchObject({ completed_lessons_count: 1, progress_percent: 33 })

      const issued = await certificate()
      expect(issued.status).toBe(200)
      const { number } = issued.json.certificate as { number: string }
      const verified = await api.get(`/api/v1/certificates/${number}`)
      expect(verified.json).toMatchObject({ number, valid: true, holder_name: expect.any(String) })
      expect((await api.get(`/api/v1/certificates/${number.slice(0, 15)}`)).status).toBe(400)
      expect((await api.get('/api/v1/certificates/0000000000000000')).status).toBe(404)
      await school.send(`enrollments/${enrollment.id}/reset_progress`, { body: {} })
      expect((await api.get(`/api/v1/certificates/${number}`)).json.valid).toBe(true)
    })

    test("another person's progress is hidden, and a lesson of another course is not found", async () => {
      const [course, elsewhere] = [await school.newCourse(), await school.newCourse()]
      const enrollment = await school.enroll(course)
      expect((await school.put(enrollment, course.lessons[0], { completed: true }, other)).status).toBe(404)
      expect((await school.put(enrollment, elsewhere.lessons[0], { completed: true })).status).toBe(404)
      expect((await school.put(enrollment, course.lessons[0], { position_seconds: -1 })).status).toBe(422)
      await school.put(enrollment, course.lessons[0], { completed: true })
      const listed = async (as: string) =>
        ((await school.get(`lesson_progress?course_id=${course.id}`, as)).json.data as { lesson_id: string }[]).map(
          ({ lesson_id }) => lesson_id,
        )
      expect(await Promise.all([owner, lecturer, learner, stranger, other].map(listed))).toEqual([
        ...[[course.lessons[0]], [course.lessons[0]], [course.lessons[0]], [], []],
      ])
    })
  })

  test('a quiz is scored by the service, limits attempts also under concurrency, is completed by passing, and reveals no solution', async () => {
    const course = await school.newCourse()
    const made = await school.post(`sections/${course.section}/lessons`, { title: 'Quiz', kind: 'quiz', quiz })
    await school.post(`lessons/${made.id}/publish`)
    const attempt = (answers: object[]) => school.send(`lessons/${made.id}/quiz_attempts`, { as: learner, body: { answers } })
    expect((await attempt([])).json.error).toBe('lesson_locked')
    const enrollment = await school.enroll(course)
    expect((await school.put(enrollment, made.id, { completed: true })).json.error).toBe('invalid_state')
    const wrong = await attempt([
      { question_id: 'none' },
      { question_id: 'one', choice_ids: ['z'] },
      { question_id: 'word', choice_ids: ['a'] },
      { question_id: 'many', text: 'a' },
    ])
    expect([wrong.status, wrong.text.includes('zq-secret'), codes(wrong).length]).toEqual([422, false, 6])
    const half = await attempt([
      { question_id: 'one', choice_ids: ['a'] },
      { question_id: 'many', choice_ids: ['a', 'b', 'c'] },
    ])
    expect(half.json).toMatchObject({ attempt_no: 1, score_percent: 33.33, passed: false })
    const right = [
      { question_id: 'one', choice_ids: ['a'] },
      { question_id: 'many', choice_ids: ['c', 'a'] },
      { question_id: 'word', text: '  KAOLIN ' },
    ]
    const both = await Promise.all([attempt(right), attempt(right), attempt(right)])
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 409, 409])
    expect(both.find(({ status }) => status === 201)?.json).toMatchObject({ attempt_no: 2, score_percent: 100, passed: true })
    expect(both.find(({ status }) => status === 409)?.json.error).toBe('attempts_exhausted')
    const seen = await school.get(`lessons/${made.id}`, learner)
    expect([seen.json.completed_at === null, seen.text.includes('zq-secret'), seen.text.includes('correct')]).toEqual([false, false, false])
  })

  test('the job records each end once, also when it runs concurrently', async () => {
    const course = await school.newCourse()
    const enrollment = await school.enroll(course)
    await school.set(enrollment, `starts_at = now() - interval '2 days', expires_at = now() - interval '1 day'`)
    const noted = await Promise.all([expireEnrollments(api.database), expireEnrollments(api.database)])
    expect(noted[0] + noted[1]).toBeGreaterThanOrEqual(1)
    expect(await expireEnrollments(api.database)).toBe(0)
    const [row] = await school.rows('SELECT status, version FROM enrollment WHERE school_id = $1 AND id = $2', [storedId(enrollment.id)])
    expect(row).toEqual({ status: 'expired', version: 2 })
    expect((await school.get(`courses/${course.id}`)).json.enrollments_count).toBe(0)
  })
})

const codes = ({ json }: Reply) => ((json.details ?? []) as { code: string }[]).map(({ code }) => code)

describeDemoOn('last', 'places of courses, on $name', (api) => {
  let school: ReturnType<typeof learningIn>
  beforeAll(() => {
    school = learningIn(api)
  })

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
