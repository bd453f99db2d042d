import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databasesToTest } from '../support/databases.ts'
import { type DemoApi, startDemoApi } from './demoApi.ts'
import { learner, learningIn, lecturer, other, owner, storedId, stranger } from './learning.ts'

type Choice = 'a' | 'b'

/** A question with two choices, of which `correct` is the right one. */
const question = (id: string, correct: Choice, points = 1) => ({
  id,
  kind: 'single',
  prompt: `Question ${id}`,
  choices: [
    { id: 'a', text: 'Stoneware', correct: correct === 'a' },
    { id: 'b', text: 'Earthenware', correct: correct === 'b' },
  ],
  points,
})
/** A quiz with these questions and keys. */
const quizWith = (keys: Record<string, Choice>, settings: object = {}) => ({
  pass_percent: 100,
  questions: Object.entries(keys).map(([id, correct]) => question(id, correct)),
  ...settings,
})

describe.each(await databasesToTest())('quizzes that are graded again, on $name', ({ open }) => {
  let api: DemoApi
  let school: ReturnType<typeof learningIn>
  beforeAll(async () => {
    api = await startDemoApi(await open())
    school = learningIn(api)
  })
  afterAll(() => api.stop())

  /** Creates a course with certificates whose only lesson is the quiz, in which these people are enrolled. */
  async function newQuiz(quiz: object, people: readonly string[] = [learner]) {
    const course = await school.newCourse({ certificate_enabled: true })
    for (const lesson of course.lessons) await school.send(`lessons/${lesson}`, { method: 'DELETE' }).then(({ status }) => status)
    const { id } = await school.post(`sections/${course.section}/lessons`, { title: 'Quiz', kind: 'quiz', quiz })
    await school.post(`lessons/${id}/publish`)
    for (const lesson of course.lessons) await school.send(`lessons/${lesson}`, { method: 'DELETE' })
    const enrollments: string[] = []
    for (const person of people) enrollments.push((await school.enroll(course, person)).id)
    return { id, enrollments }
  }
  const attempt = (lesson: string, given: Record<string, Choice>, as = learner) =>
    school.post(
      `lessons/${lesson}/quiz_attempts`,
      { answers: Object.entries(given).map(([question_id, choice]) => ({ question_id, choice_ids: [choice] })) },
      as,
    )
  const correct = async (lesson: string, quiz: object) => {
    const { status, text } = await school.send(`lessons/${lesson}`, { method: 'PATCH', body: { quiz } })
    expect([status, text]).toEqual([200, expect.anything()])
  }
  const regrade = (lesson: string, { as = owner, headers }: { as?: string; headers?: Record<string, string> } = {}) =>
    school.send('quiz_attempts/regrade', { as, body: { lesson_id: lesson }, ...(headers && { headers }) })
  const read = async (path: string, as = owner) => (await school.get(path, as)).json
  const auditEntries = async () =>
    (await school.rows<{ count: number }>(`SELECT count(*)::int AS count FROM audit_log WHERE school_id = $1`))[0]?.count

  test('a corrected key passes a failed student, with the earlier result, the progress, the completed course and its certificate', async () => {
    const { id, enrollments } = await newQuiz(quizWith({ q1: 'a', q2: 'a' }))
    const failed = await attempt(id, { q1: 'b', q2: 'a' })
    expect(failed).toMatchObject({ score_percent: 50, passed: false, regraded: null })
    await correct(id, quizWith({ q1: 'b', q2: 'a' }))
    expect(await read(`quiz_attempts/${failed.id}`)).toMatchObject({ score_percent: 50, passed: false })
    const feed = 'changes?types=enrollment,lesson_progress,quiz_attempt&cursor='
    const { next_cursor } = (await read(`${feed}latest`)).page as { next_cursor: string }
    const { status, json } = await regrade(id)
    const change = { attempt_no: 1, previous_score_percent: 50, previous_passed: false, score_percent: 100, passed: true }
    expect([status, json]).toMatchObject([
      200,
      {
        ...{ attempts_count: 1, changed_count: 1, newly_passed_count: 1, newly_failed_count: 0 },
        attempts: [{ id: failed.id, student_id: failed.student_id, ...change }],
      },
    ])
    const regraded = { at: expect.any(String), previous_score_percent: 50, previous_passed: false }
    for (const as of [owner, lecturer, learner])
      expect(await read(`quiz_attempts/${failed.id}`, as)).toMatchObject({
        ...{ score_percent: 100, passed: true, regraded },
        results: [{ correct: true, points_awarded: 1 }, { correct: true }],
      })
    expect(await read(`enrollments/${enrollments[0]}`)).toMatchObject({
      ...{ status: 'completed', progress_percent: 100 },
      certificate: { number: expect.any(String) },
    })
    // The feed waits for older transactions of the whole database, which can be those of other tests.
    const changes = async () => (await read(`${feed}${next_cursor}`)).data as { type: string; action: string }[]
    await expect
      .poll(async () => (await changes()).map(({ type, action }) => `${type}.${action}`).sort(), { timeout: 20_000 })
      .toEqual(['enrollment.certificate_issued', 'enrollment.completed', 'lesson_progress.updated', 'quiz_attempt.updated'])
    const [entry] = await school.rows<{ details: { operation: string; resource: object } }>(
      `SELECT details FROM audit_log WHERE school_id = $1 AND details->>'operation' = 'regradeQuizAttempts'`,
    )
    expect(entry?.details.resource).toEqual({ type: 'quiz_attempt', ids: [failed.id] })
  })

  test('a dry run reports who would change and stores nothing, and a second run changes nothing', async () => {
    const { id, enrollments } = await newQuiz(quizWith({ q1: 'a' }), [learner, other])
    const passing = await attempt(id, { q1: 'a' })
    const failing = await attempt(id, { q1: 'b' }, other)
    await correct(id, quizWith({ q1: 'b' }))
    const state = async () => [
      await read(`quiz_attempts?lesson_id=${id}`),
      await read(`enrollments/${enrollments[0]}`),
      await read(`enrollments/${enrollments[1]}`),
      await auditEntries(),
    ]
    const before = await state()
    const tried = await regrade(id, { headers: { 'dry-run': 'true' } })
    expect(tried.json).toMatchObject({
      ...{ attempts_count: 2, changed_count: 2, newly_passed_count: 1, newly_failed_count: 1 },
      attempts: [
        { id: passing.id, previous_passed: true, passed: false },
        { id: failing.id, previous_passed: false, passed: true },
      ],
    })
    expect(await state()).toEqual(before)
    const { dry_run, ...result } = tried.json
    expect(dry_run).toMatchObject({ status: 200, emails: 2 })
    expect((await regrade(id)).json).toEqual(result)
    const after = await state()
    const again = await regrade(id)
    expect(again.json).toMatchObject({ attempts_count: 2, changed_count: 0, attempts: [] })
    expect(await state()).toEqual(after)
  })

  test('a result follows the key down too, and a completed lesson, enrolment and certificate stay', async () => {
    const { id, enrollments } = await newQuiz(quizWith({ q1: 'a' }))
    const passed = await attempt(id, { q1: 'a' })
    const completed = await read(`enrollments/${enrollments[0]}`)
    expect(completed).toMatchObject({ status: 'completed', progress_percent: 100 })
    await correct(id, quizWith({ q1: 'b' }))
    expect((await regrade(id)).json).toMatchObject({ newly_failed_count: 1, newly_passed_count: 0 })
    expect(await read(`quiz_attempts/${passed.id}`)).toMatchObject({ passed: false, regraded: { previous_passed: true } })
    expect(await read(`enrollments/${enrollments[0]}`)).toEqual(completed)
  })

  test('questions that were added or removed since the attempt do not count', async () => {
    const { id } = await newQuiz(quizWith({ q1: 'a', q2: 'a' }))
    const made = await attempt(id, { q1: 'a', q2: 'b' })
    await correct(id, quizWith({ q3: 'a', q1: 'a' }))
    expect((await regrade(id)).json).toMatchObject({ newly_passed_count: 1 })
    expect(await read(`quiz_attempts/${made.id}`)).toMatchObject({ score_percent: 100, passed: true, results: [{ question_id: 'q1' }] })
    await correct(id, quizWith({ q4: 'a' }))
    expect((await regrade(id)).json).toMatchObject({ attempts_count: 1, changed_count: 0 })
  })

  test('staff and the lecturers of the course can grade again, nobody else', async () => {
    const { id } = await newQuiz(quizWith({ q1: 'a' }))
    await attempt(id, { q1: 'b' })
    await correct(id, quizWith({ q1: 'b' }))
    expect([(await regrade(id, { as: learner })).status, (await regrade(id, { as: stranger })).status]).toEqual([403, 422])
    expect((await regrade(id, { as: stranger })).json).toMatchObject({ error: 'invalid_reference', details: [{ field: 'lesson_id' }] })
    expect((await regrade(id, { as: lecturer })).json).toMatchObject({ changed_count: 1 })
    const plain = (await school.newCourse()).lessons[0]
    expect((await regrade(plain)).json).toMatchObject({ error: 'invalid_state', error_description: 'The lesson has no quiz.' })
  })

  test('thousands of attempts are graded in one request, which lists the first hundred; too many are refused', async () => {
    const { id, enrollments } = await newQuiz(quizWith({ q1: 'a' }))
    await attempt(id, { q1: 'b' })
    const copy = (from: number, to: number) =>
      school.rows(
        `INSERT INTO quiz_attempt (school_id, id, enrollment_id, lesson_id, person_id, attempt_no, score_bps, passed, answers, results)
         SELECT school_id, gen_random_uuid(), enrollment_id, lesson_id, person_id, number, score_bps, passed, answers, results
           FROM quiz_attempt, generate_series($3::int, $4::int) AS number WHERE school_id = $1 AND enrollment_id = $2 AND attempt_no = 1`,
        [storedId(enrollments[0] ?? ''), from, to],
      )
    await copy(2, 1201)
    await correct(id, quizWith({ q1: 'b' }))
    const { json } = await regrade(id)
    expect(json).toMatchObject({ attempts_count: 1201, changed_count: 1201, newly_passed_count: 1201 })
    expect(json.attempts).toHaveLength(100)
    expect((await regrade(id)).json).toMatchObject({ changed_count: 0 })
    await copy(1202, 20_001)
    expect((await regrade(id)).json).toMatchObject({ error: 'invalid_state', error_description: expect.stringContaining('20000') })
  })

  test('attempts that are made while a quiz is graded again have a result by the new key, and no request fails', async () => {
    const people = [learner, other]
    const { id, enrollments } = await newQuiz(quizWith({ q1: 'a' }), people)
    for (const person of people) await attempt(id, { q1: 'b' }, person)
    await correct(id, quizWith({ q1: 'b' }))
    const replies = await Promise.all([
      ...[regrade(id), regrade(id, { as: lecturer })],
      ...people.map(async (as) => ({ status: (await attempt(id, { q1: 'b' }, as)) && 201 })),
    ])
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 201, 201])
    const attempts = (await read(`quiz_attempts?lesson_id=${id}`)).data as { passed: boolean }[]
    expect(attempts.map(({ passed }) => passed)).toEqual([true, true, true, true])
    for (const enrollment of enrollments) expect(await read(`enrollments/${enrollment}`)).toMatchObject({ status: 'completed' })
  })
})
