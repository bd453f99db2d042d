import { beforeAll, describe, expect, test } from 'vitest'
import { toPublicId } from '../../src/base/ids.ts'
import type { SendOptions } from './demoApi.ts'
import { describeDemoOn } from './describeDemo.ts'
import { learner, learningIn, lecturer, other, owner, storedId } from './learning.ts'

interface Certificate {
  number: string
  issued_at: string
  corrected_at: string | null
  holder_name: string | null
  course_title: string
  url: string
}

describeDemoOn('last', 'certificates, on $name', (api) => {
  let school: ReturnType<typeof learningIn>
  beforeAll(() => {
    school = learningIn(api)
  })

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

    test('only if the course has certificates', async () => {
      expect(await certificateOf(await completed(await school.newCourse()))).toBeNull()
    })
  })

  describe('each completion has its own certificate', () => {
    const listed = async (enrollment: { id: string }, as = owner): Promise<(Certificate & { id: string })[]> =>
      (await school.get(`certificates?enrollment_id=${enrollment.id}`, as)).json.data as (Certificate & { id: string })[]
    const latestActivity = async () => {
      const [record] = await school.rows<{ id: string }>('SELECT id FROM undo_record WHERE school_id = $1 ORDER BY id DESC LIMIT 1')
      return toPublicId('act', String(record?.id))
    }
    /** Does what an app can take back, and returns the id of the activity. */
    const done = async (path: string, options: SendOptions = { body: {} }) => {
      const { status, text } = await school.send(path, options)
      expect(status, text).toBeLessThan(300)
      return await latestActivity()
    }
    const takeBack = async (activity: string) => {
      const { status, text } = await school.send(`account/activity/${activity}/undo`, { body: {} })
      expect(status, text).toBe(200)
      return await latestActivity()
    }
    const validity = async (numbers: readonly string[]) =>
      await Promise.all(numbers.map(async (number) => (await verified(number)).valid ?? 'unknown'))

    test('a repeated course gives another one with another number and date, and the first one stays valid and as it was', async () => {
      const course = await newCourse()
      const enrollment = await completed(course)
      const first = await certificateOf(enrollment)
      const shown = await verified(first.number)
      await done(`enrollments/${enrollment.id}/reset_progress`)
      expect([await verified(first.number), await certificateOf(enrollment)]).toEqual([shown, first])
      for (const lesson of course.lessons) await school.put(enrollment, lesson, { completed: true })
      const second = await certificateOf(enrollment)
      expect(second.number).not.toBe(first.number)
      expect(Date.parse(second.issued_at)).toBeGreaterThan(Date.parse(first.issued_at))
      expect(await validity([first.number, second.number])).toEqual([true, true])
      expect(await verified(first.number)).toEqual(shown)
      for (const as of [learner, lecturer, owner])
        expect([as, (await listed(enrollment, as)).map(({ number }) => number)]).toEqual([as, [second.number, first.number]])
      expect(await listed(enrollment, other)).toEqual([])
    })

    test('a reset that is taken back restores the completion with its certificate, and a completion takes only its own with it', async () => {
      const enrollment = await completed(await newCourse())
      const { number } = await certificateOf(enrollment)
      const numbers = async () => (await listed(enrollment)).map((one) => one.number)
      const reset = await done(`enrollments/${enrollment.id}/reset_progress`)
      const again = await takeBack(reset)
      expect([await numbers(), (await school.get(`enrollments/${enrollment.id}`)).json.status]).toEqual([[number], 'completed'])
      await takeBack(again)
      const completion = await done(`enrollments/${enrollment.id}/complete`)
      const [second] = await numbers()
      expect(await numbers()).toEqual([second, number])
      const undone = await takeBack(completion)
      expect([await numbers(), await validity([number, String(second)])]).toEqual([[number], [true, 'unknown']])
      expect((await certificateOf(enrollment)).number).toBe(number)
      await takeBack(undone)
      expect([await numbers(), await validity([number, String(second)])]).toEqual([
        [second, number],
        [true, true],
      ])
    })

    test('a section whose deletion completes enrolments issues certificates, and withdraws them when it is taken back', async () => {
      const course = await newCourse()
      const section = await school.post(`courses/${course.id}/sections`, { title: 'Glazes' })
      const { id } = await school.post(`sections/${section.id}/lessons`, { title: 'Ash', kind: 'text', content: 'Wood' })
      await school.post(`lessons/${id}/publish`)
      const enrollments = [await school.enroll(course), await school.enroll(course, other)]
      for (const enrollment of enrollments)
        for (const lesson of course.lessons) await school.put(enrollment, lesson, { completed: true }, owner)
      const lists = async () => (await Promise.all(enrollments.map((one) => listed(one)))).flat().map(({ number }) => number)
      expect(await lists()).toEqual([])
      const deletion = await done(`sections/${section.id}?cascade=true`, { method: 'DELETE' })
      const issued = await lists()
      expect([issued.length, await validity(issued)]).toEqual([2, [true, true]])
      await takeBack(deletion)
      expect([await lists(), await validity(issued)]).toEqual([[], ['unknown', 'unknown']])
    })

    test('one that the staff revoke is invalid until they restore it, and nobody else can do either', async () => {
      const enrollment = await completed(await newCourse())
      const { number } = await certificateOf(enrollment)
      const id = String((await listed(enrollment))[0]?.id)
      for (const as of [learner, lecturer])
        expect([as, (await school.send(`certificates/${id}/revoke`, { as, body: {} })).status]).toEqual([as, 403])
      await done(`certificates/${id}/revoke`)
      expect([await validity([number]), await certificateOf(enrollment)]).toEqual([[false], null])
      expect((await school.send(`enrollments/${enrollment.id}/certificate`, { as: learner, body: {} })).json.error).toBe('invalid_state')
      await done(`certificates/${id}/restore`)
      expect([await validity([number]), (await certificateOf(enrollment)).number]).toEqual([[true], number])
    })
  })

  describe('next to processes of 1.0, which keep the certificate in columns of the enrolment', () => {
    const columns = async (enrollment: { id: string }) =>
      await school.rows(
        `SELECT certificate_number AS number, certificate_holder_name AS holder_name, certificate_course_title AS course_title
           FROM enrollment WHERE school_id = $1 AND id = $2`,
        [storedId(enrollment.id)],
      )

    test('they read the newest one', async () => {
      const enrollment = await completed(await newCourse())
      await school.send(`enrollments/${enrollment.id}/reset_progress`, { body: {} })
      await school.send(`enrollments/${enrollment.id}/complete`, { body: {} })
      const { number, holder_name, course_title } = await certificateOf(enrollment)
      expect(await columns(enrollment)).toEqual([{ number, holder_name, course_title }])
    })

    test('one that they issue, correct or erase is issued, corrected or erased here', async () => {
      const enrollment = await school.enroll(await newCourse())
      const number = `${'0'.repeat(8)}${String(Date.now()).slice(-8)}`
      // In the order of 1.0: the certificate is written before the completion.
      await school.set(
        enrollment,
        `certificate_number = '${number}', certificate_issued_at = date_trunc('milliseconds', now()), certificate_holder_name = 'Ada', certificate_course_title = 'Clay'`,
      )
      await school.set(enrollment, `status = 'completed', completed_at = certificate_issued_at`)
      expect(await certificateOf(enrollment)).toMatchObject({ number, holder_name: 'Ada', course_title: 'Clay', corrected_at: null })
      expect((await school.send(`enrollments/${enrollment.id}/certificate`, { body: {} })).status).toBe(200)
      await school.set(enrollment, `certificate_holder_name = 'Ada Byron', certificate_corrected_at = now()`)
      expect(await verified(number)).toMatchObject({ holder_name: 'Ada Byron', corrected_at: expect.any(String), valid: true })
      await school.set(enrollment, 'certificate_holder_name = NULL')
      expect(await verified(number)).toMatchObject({ holder_name: null, valid: true })
      // It takes back a completion that it captured before the upgrade.
      await school.set(enrollment, `certificate_number = NULL, completed_at = NULL, status = 'active'`)
      expect(await verified(number)).toMatchObject({ valid: false })
    })
  })

  test('the number is read in any case, with separators, and with letters that look like its digits', async () => {
    const enrollment = await completed(await newCourse())
    await school.rows(`UPDATE certificate SET number = '10AB10CD10EF10GH' WHERE school_id = $1 AND enrollment_id = $2`, [
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
    expect(exported.certificates).toEqual([expect.objectContaining({ number, holder_name: 'Ada Certified', enrollment_id: enrollment.id })])
    expect((await school.send(`students/${student.id}`, { method: 'DELETE' })).status).toBe(204)
    expect(await verified(number)).toMatchObject({ holder_name: null, course_title: course.title, valid: true })
    for (const [table, column] of [
      ['certificate', 'holder_name'],
      ['enrollment', 'certificate_holder_name'],
    ])
      expect(await school.rows(`SELECT id FROM ${table} WHERE school_id = $1 AND ${column} = $2`, ['Ada Certified'])).toEqual([])
  })
})
