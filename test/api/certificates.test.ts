import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databasesToTest } from '../support/databases.ts'
import { type DemoApi, startDemoApi } from './demoApi.ts'
import { learner, learningIn, lecturer, other, owner, storedId } from './learning.ts'

interface Certificate {
  number: string
  issued_at: string
  corrected_at: string | null
  holder_name: string | null
  course_title: string
  url: string
}

describe.each((await databasesToTest()).slice(-1))('certificates, on $name', ({ open }) => {
  let api: DemoApi
  let school: ReturnType<typeof learningIn>
  beforeAll(async () => {
    api = await startDemoApi(await open())
    school = learningIn(api)
  })
  afterAll(() => api.stop())

  const newCourse = (more: object = {}) => school.newCourse({ certificate_enabled: true, ...more })
  const verified = async (number: string) => (await api.get(`/api/v1/certificates/${encodeURIComponent(number)}`)).json
  const certificateOf = async (enrollment: { id: string }): Promise<Certificate> =>
    (await school.get(`enrollments/${enrollment.id}`)).json.certificate as Certificate
  const changesOf = async (enrollment: { id: string }) =>
    (
      await school.rows<{ action: string }>(`SELECT action FROM change_log WHERE school_id = $1 AND resource_id = $2 ORDER BY id`, [
        storedId(enrollment.id),
      ])
    ).map(({ action }) => action)
  const rename = async (email: string, name: string) => {
    const { id } = ((await school.get(`students?email=${email}`)).json.data as { id: string }[])[0] as { id: string }
    const { status } = await school.send(`students/${id}`, { method: 'PATCH', body: { name } })
    expect(status).toBe(200)
  }
  const completed = async (course: { id: string; lessons: string[] }, as = learner) => {
    const enrollment = await school.enroll(course, as)
    await school.send(`enrollments/${enrollment.id}/complete`, { body: {} })
    return enrollment
  }

  test('a certificate keeps the name, the course and the date for which it was issued', async () => {
    const course = await newCourse()
    const enrollment = await completed(course)
    const before = await certificateOf(enrollment)
    expect(before).toMatchObject({
      course_title: course.title,
      corrected_at: null,
      url: `${api.school.issuer}/certificates/${before.number}`,
    })
    const shown = await verified(before.number)
    expect(shown).toMatchObject({ number: before.number, course_title: course.title, holder_name: before.holder_name, valid: true })
    const name = String(before.holder_name)
    await rename(learner, 'Prof. Someone Else')
    await school.send(`courses/${course.id}`, { method: 'PATCH', body: { title: 'Master of Surgery' } })
    expect(await verified(before.number)).toEqual(shown)
    expect(await certificateOf(enrollment)).toEqual(before)
    await rename(learner, name)
  })

  test('a correction by the staff issues it again under its number, and the audit trail has the reason', async () => {
    const course = await newCourse()
    const enrollment = await completed(course, other)
    const issue = (as: string, body: object) => school.send(`enrollments/${enrollment.id}/certificate`, { as, body })
    const { number, issued_at, holder_name } = await certificateOf(enrollment)
    await rename(other, 'Wren Ashdown-Müller')
    expect((await issue(other, {})).json.certificate).toMatchObject({ holder_name })
    for (const as of [other, lecturer]) expect([(await issue(as, { reason: 'Married.' })).status, as]).toEqual([403, as])
    const corrected = await issue(owner, { reason: 'The name has changed.' })
    expect(corrected.status).toBe(201)
    expect(corrected.json.certificate).toMatchObject({
      number,
      issued_at,
      holder_name: 'Wren Ashdown-Müller',
      corrected_at: expect.any(String),
    })
    expect(await verified(number)).toMatchObject({ holder_name: 'Wren Ashdown-Müller', valid: true, corrected_at: expect.any(String) })
    expect((await issue(owner, { reason: 'The name has changed.' })).status).toBe(200)
    const audited = await school.rows(
      `SELECT details ->> 'reason' AS reason FROM audit_log WHERE school_id = $1 AND details -> 'resource' ->> 'id' = $2 AND details ? 'reason'`,
      [enrollment.id],
    )
    expect(audited).toEqual([{ reason: 'The name has changed.' }])
    await rename(other, String(holder_name))
  })

  describe('completion issues one certificate', () => {
    test('by the last lesson, also if several requests complete it concurrently', async () => {
      const course = await newCourse()
      const enrollment = await school.enroll(course)
      const [first, last] = course.lessons
      await school.put(enrollment, first, { completed: true })
      await Promise.all(Array.from({ length: 5 }, () => school.put(enrollment, last, { completed: true })))
      expect(await certificateOf(enrollment)).toMatchObject({ number: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{16}$/) })
      expect((await changesOf(enrollment)).filter((action) => action === 'certificate_issued')).toHaveLength(1)
    })

    test('by a passed quiz', async () => {
      const course = await school.newCourse({ certificate_enabled: true, completion_threshold_percent: 30 })
      const choices = [
        { id: 'a', text: 'Yes', correct: true },
        { id: 'b', text: 'No', correct: false },
      ]
      const quiz = { pass_percent: 60, questions: [{ id: 'one', kind: 'single', prompt: 'Clay?', choices, points: 1 }] }
      const made = await school.post(`sections/${course.section}/lessons`, { title: 'Quiz', kind: 'quiz', quiz })
      await school.post(`lessons/${made.id}/publish`)
      const enrollment = await school.enroll(course)
      const answers = [{ question_id: 'one', choice_ids: ['a'] }]
      expect((await school.send(`lessons/${made.id}/quiz_attempts`, { as: learner, body: { answers } })).status).toBe(201)
      expect(await certificateOf(enrollment)).toMatchObject({ course_title: course.title })
    })

    test('by a change of the course that completes several enrolments', async () => {
      const course = await newCourse()
      const enrollments = [await school.enroll(course), await school.enroll(course, other)]
      for (const enrollment of enrollments) await school.put(enrollment, course.lessons[0], { completed: true }, owner)
      await school.send(`courses/${course.id}`, { method: 'PATCH', body: { completion_threshold_percent: 50 } })
      const issued = await Promise.all(enrollments.map(certificateOf))
      expect(new Set(issued.map(({ number }) => number)).size).toBe(2)
      expect(issued.every(({ course_title, holder_name }) => course_title === course.title && holder_name)).toBe(true)
      for (const enrollment of enrollments) expect(await changesOf(enrollment)).toContain('certificate_issued')
    })

    test('only if the course has certificates, and none after a second completion', async () => {
      const without = await completed(await school.newCourse())
      expect(await certificateOf(without)).toBeNull()
      const enrollment = await completed(await newCourse())
      const { number } = await certificateOf(enrollment)
      await school.send(`enrollments/${enrollment.id}/reset_progress`, { body: {} })
      expect(await verified(number)).toMatchObject({ valid: false })
      await school.send(`enrollments/${enrollment.id}/complete`, { body: {} })
      expect((await certificateOf(enrollment)).number).toBe(number)
    })
  })

  test('the number is read in any case, with separators, and with letters that look like its digits', async () => {
    const enrollment = await completed(await newCourse())
    await school.rows(`UPDATE enrollment SET certificate_number = '10AB10CD10EF10GH' WHERE school_id = $1 AND id = $2`, [
      storedId(enrollment.id),
    ])
    for (const written of ['10ab10cd10ef10gh', '10AB-10CD-10EF-10GH', ' 10ab 10cd 10ef 10gh', 'ioABlOCDIoEFLOgh'])
      expect(await verified(written)).toMatchObject({ number: '10AB10CD10EF10GH', valid: true })
    for (const written of ['10AB10CD10EF10G', '10AB10CD10EF10GU', '-'.repeat(200)])
      expect([written, (await api.get(`/api/v1/certificates/${encodeURIComponent(written)}`)).status]).toEqual([written, 400])
  })

  test('erasure removes the name, and the export of a student contains it before', async () => {
    const email = 'certified@example.org'
    const student = await school.post('students', { email, name: 'Ada Certified' })
    const course = await newCourse()
    const enrollment = await completed(course, email)
    const { number } = await certificateOf(enrollment)
    const exported = (await school.get(`students/${student.id}/export`)).json
    expect(exported.enrollments).toEqual([
      expect.objectContaining({
        certificate_number: number,
        certificate_holder_name: 'Ada Certified',
        certificate_course_title: course.title,
      }),
    ])
    expect((await school.send(`students/${student.id}`, { method: 'DELETE' })).status).toBe(204)
    expect(await verified(number)).toMatchObject({ holder_name: null, course_title: course.title, valid: true })
    expect(await school.rows(`SELECT id FROM enrollment WHERE school_id = $1 AND certificate_holder_name = $2`, ['Ada Certified'])).toEqual(
      [],
    )
  })
})
