import { beforeAll, expect, test } from 'vitest'
import type { Reply } from './demoApi.ts'
import { describeDemo } from './describeDemo.ts'
import { learner, learningIn, lecturer, other, owner, storedId, stranger } from './learning.ts'

const third = 'learner003@example.org'

/** Question n: two choices, of which `a` is correct. */
const question = (id: string, points: number) => ({
  id,
  kind: 'single',
  prompt: `Question ${id}`,
  choices: [
    { id: 'a', text: 'Stoneware', correct: true },
    { id: 'b', text: 'Earthenware', correct: false },
  ],
  points,
  explanation: `because ${id}`,
})
const word = { id: 'word', kind: 'short_text', prompt: 'White clay?', accepted_answers: ['kaolin'], points: 1, explanation: null }
const quiz = { pass_percent: 75, questions: [question('q1', 2), question('q2', 1), word] }

/** Answers by question: `a` is correct, `b` is wrong; absent: not answered. */
type Given = Partial<Record<'q1' | 'q2', 'a' | 'b'>> & { word?: string }
const answersOf = ({ word: text, ...chosen }: Given) => [
  ...Object.entries(chosen).map(([question_id, id]) => ({ question_id, choice_ids: [id] })),
  ...(text === undefined ? [] : [{ question_id: 'word', text }]),
]

describeDemo('the results of quizzes, on $name', (api) => {
  let school: ReturnType<typeof learningIn>
  beforeAll(() => {
    school = learningIn(api)
  })

  /** Creates a course with a quiz, in which these people are enrolled. */
  async function newQuiz(settings: object = {}, people: readonly string[] = [learner]) {
    const course = await school.newCourse()
    const { id } = await school.post(`sections/${course.section}/lessons`, { title: 'Quiz', kind: 'quiz', quiz: { ...quiz, ...settings } })
    await school.post(`lessons/${id}/publish`)
    const enrollments = []
    for (const person of people) enrollments.push(await school.enroll(course, person))
    return { id, course, enrollments }
  }
  const attempt = async (id: string, given: Given, as = learner): Promise<{ id: string; results: object[] }> => {
    const { status, json } = await school.send(`lessons/${id}/quiz_attempts`, { as, body: { answers: answersOf(given) } })
    expect(status).toBe(201)
    return json as { id: string; results: object[] }
  }
  const data = (reply: Reply) => reply.json.data as { id: string; student_id: string; attempt_no: number; results: object[] }[]
  const explained = async (id: string, as = learner) => (await school.get(`quiz_attempts/${id}?expand=explanations`, as)).json.explanations

  test('each attempt has the result of each question with the answer, and none of the solutions', async () => {
    const { id } = await newQuiz()
    const made = await attempt(id, { q1: 'a', q2: 'b' })
    const results = [
      { question_id: 'q1', correct: true, points: 2, points_awarded: 2, choice_ids: ['a'], text: null },
      { question_id: 'q2', correct: false, points: 1, points_awarded: 0, choice_ids: ['b'], text: null },
      { question_id: 'word', correct: false, points: 1, points_awarded: 0, choice_ids: null, text: null },
    ]
    expect(made).toMatchObject({ attempt_no: 1, score_percent: 50, passed: false, results })
    const read = await school.get(`quiz_attempts/${made.id}`, learner)
    expect(read.json.results).toEqual(results)
    const all = await school.get(`quiz_attempts?lesson_id=${id}`, learner)
    for (const { text } of [read, all]) expect(text).not.toMatch(/because|kaolin|accepted/)
    expect((await school.get(`lessons/${id}`, learner)).json.quiz).toMatchObject({ show_explanations: 'never' })
  })

  test('an answer that a phone or a word processor has spelled is as correct as a plain one, and accents count', async () => {
    const typed = ['don\u2019t', '\u201cdon\u2019t\u201d', 'Well\u2011Known', ' well \u00a0known', 'STRASSE', 'Stra\u00dfe\u200b', 'strase']
    const accepted = ["don't", `"don't"`, 'well-known', 'well known', 'Straße', 'strasse', 'straße']
    const questions = accepted.map((answer, index) => ({ ...word, id: `w${index}`, accepted_answers: [answer] }))
    const { id } = await newQuiz({ questions })
    const answers = typed.map((text, index) => ({ question_id: `w${index}`, text }))
    const { json } = await school.send(`lessons/${id}/quiz_attempts`, { as: learner, body: { answers } })
    expect((json.results as { correct: boolean; text: string }[]).map(({ correct, text }) => [text, correct])).toEqual(
      typed.map((text, index) => [text, index < 6]),
    )
  })

  test('students see their own attempts, lecturers those of their courses, staff all', async () => {
    const { id, enrollments } = await newQuiz({}, [learner, other])
    const student = enrollments[1]?.student_id
    const mine = await attempt(id, { q1: 'a' })
    const theirs = await attempt(id, { q2: 'a' }, other)
    const seen = async (as: string) => data(await school.get(`quiz_attempts?lesson_id=${id}`, as)).map((one) => one.id)
    expect(await Promise.all([learner, other, lecturer, owner, stranger, third].map(seen))).toEqual([
      ...[[mine.id], [theirs.id], [theirs.id, mine.id], [theirs.id, mine.id], [], []],
    ])
    const statuses = async (path: string, people: (string | undefined)[]) =>
      await Promise.all(people.map(async (as) => (await api.get(`/api/v1/${path}`, as === undefined ? {} : { as })).status))
    expect(await statuses(`quiz_attempts/${theirs.id}`, [learner, other, lecturer, owner, stranger])).toEqual([404, 200, 200, 200, 404])
    expect(await statuses(`lessons/${id}/quiz_analysis`, [learner, lecturer, owner, stranger])).toEqual([403, 200, 200, 403])
    expect((await api.get(`/api/v1/quiz_attempts?lesson_id=${id}`)).status).toBe(403)
    const [row, ...more] = data(await school.get(`quiz_attempts?lesson_id=${id}&student_id=${student}`))
    expect([row?.id, more]).toEqual([theirs.id, []])
  })

  test('explanations appear never, after an attempt, or after passing, as the quiz says, and not once access has ended', async () => {
    const both = [
      { question_id: 'q1', explanation: 'because q1' },
      { question_id: 'q2', explanation: 'because q2' },
    ]
    const passing: Given = { q1: 'a', q2: 'a' }
    const never = await newQuiz()
    expect(await explained((await attempt(never.id, passing)).id)).toEqual([])
    const after = await newQuiz({ show_explanations: 'after_attempt' })
    const failed = await attempt(after.id, {})
    expect(await explained(failed.id)).toEqual(both)
    const passed = await newQuiz({ show_explanations: 'after_passing' }, [learner, other])
    const first = await attempt(passed.id, { q1: 'b' })
    await attempt(passed.id, passing, other)
    expect(await explained(first.id)).toEqual([])
    await attempt(passed.id, passing)
    expect(await explained(first.id)).toEqual(both)
    await school.post(`enrollments/${after.enrollments[0]?.id}/suspend`)
    expect(await explained(failed.id)).toEqual([])
    expect(await explained(failed.id, lecturer)).toEqual(both)
  })

  test('a changed quiz changes no score and no result of an earlier attempt', async () => {
    const { id } = await newQuiz()
    const made = await attempt(id, { q1: 'a', q2: 'a' })
    const before = (await school.get(`quiz_attempts/${made.id}`)).json
    const changed = { ...quiz, pass_percent: 100, questions: [question('q2', 50), question('q3', 1)] }
    const { status } = await school.send(`lessons/${id}`, { method: 'PATCH', as: lecturer, body: { quiz: changed } })
    expect(status).toBe(200)
    expect((await school.get(`quiz_attempts/${made.id}`)).json).toEqual(before)
    expect(before).toMatchObject({ score_percent: 75, passed: true })
    const { questions } = (await school.get(`lessons/${id}/quiz_analysis`)).json as { questions: object[] }
    expect(questions).toMatchObject([
      { question_id: 'q2', points: 50, attempts_count: 1, correct_count: 1 },
      { question_id: 'q3', attempts_count: 0, correct_count: 0, correct_percent: null, discrimination: null },
    ])
  })

  test('the analysis has the figures of the attempts and of each question', async () => {
    const people = [learner, other, third]
    const { id } = await newQuiz({}, people)
    expect((await school.get(`lessons/${id}/quiz_analysis`)).json).toMatchObject({ attempts_count: 0, average_score_percent: null })
    const given: [string, Given][] = [
      [learner, { q1: 'b', q2: 'a' }],
      [learner, { q1: 'a', q2: 'a', word: ' KAOLIN' }],
      [other, { q1: 'a', q2: 'b' }],
      [third, { q1: 'b', q2: 'b', word: 'chalk' }],
    ]
    for (const [as, answers] of given) await attempt(id, answers, as)
    const scores = given.map(([, { q1, q2, word: text }]) => (q1 === 'a' ? 2 : 0) + (q2 === 'a' ? 1 : 0) + (text === ' KAOLIN' ? 1 : 0))
    const figures = (isCorrect: (one: Given) => boolean) => ({
      attempts_count: 4,
      correct_count: given.filter(([, one]) => isCorrect(one)).length,
      correct_percent: given.filter(([, one]) => isCorrect(one)).length * 25,
      discrimination: correlation(
        given.map(([, one]) => Number(isCorrect(one))),
        scores,
      ),
    })
    const chosen = (q: 'q1' | 'q2') =>
      (['a', 'b'] as const).map((choice) => ({ choice_id: choice, chosen_count: given.filter(([, one]) => one[q] === choice).length }))
    expect((await school.get(`lessons/${id}/quiz_analysis`, lecturer)).json).toMatchObject({
      attempts_count: 4,
      students_count: 3,
      passed_students_count: 1,
      average_score_percent: (scores.reduce((sum, score) => sum + score, 0) / 16) * 100,
      questions: [
        { question_id: 'q1', ...figures(({ q1 }) => q1 === 'a'), choices: chosen('q1') },
        { question_id: 'q2', ...figures(({ q2 }) => q2 === 'a'), choices: chosen('q2') },
        { question_id: 'word', ...figures(({ word: text }) => text === ' KAOLIN'), choices: [] },
      ],
    })
    expect((await school.get(`lessons/${(await school.newCourse()).lessons[0]}/quiz_analysis`)).json).toMatchObject({ questions: [] })
  })

  test('results are exported as CSV with the points of each question in a column', async () => {
    const { id } = await newQuiz({}, [learner, other])
    await attempt(id, { q1: 'a' })
    await attempt(id, { q2: 'a', word: 'kaolin' }, other)
    const csv = async (query: string) =>
      (
        await api.get(`/api/v1/quiz_attempts?sort=created_at&fields=attempt_no,score_percent,passed,results${query}`, {
          as: owner,
          headers: { accept: 'text/csv' },
        })
      ).text.split('\r\n')
    const [columns, ...rows] = (await csv(`&lesson_id=${id}`)).map((line) => line.split(',').slice(2))
    expect(columns).toEqual(['attempt_no', 'score_percent', 'passed', 'results.q1', 'results.q2', 'results.word'])
    expect(rows.filter((cells) => cells.length > 0)).toEqual([
      ['1', '50', 'false', '2', '0', '0'],
      ['1', '50', 'false', '0', '1', '1'],
    ])
    expect((await csv(''))[0]?.split(',')).toContain('results')
  })
})

/** Returns Pearson's correlation, rounded to two decimal places. */
function correlation(left: readonly number[], right: readonly number[]): number {
  const mean = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0) / numbers.length
  const [meanLeft, meanRight] = [mean(left), mean(right)]
  const covariance = mean(left.map((one, index) => (one - meanLeft) * ((right[index] ?? 0) - meanRight)))
  const deviation = (numbers: readonly number[], middle: number): number => Math.sqrt(mean(numbers.map((one) => (one - middle) ** 2)))
  return Math.round((covariance / (deviation(left, meanLeft) * deviation(right, meanRight))) * 100) / 100
}

type Choice = 'a' | 'b'

/** A question with two choices, of which `correct` is the right one. */
const weightedQuestion = (id: string, correct: Choice, points = 1) => ({
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
  questions: Object.entries(keys).map(([id, correct]) => weightedQuestion(id, correct)),
  ...settings,
})

describeDemo('quizzes that are graded again, on $name', (api) => {
  let school: ReturnType<typeof learningIn>
  beforeAll(() => {
    school = learningIn(api)
  })

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
      .poll(async () => (await changes()).map(({ type, action }) => `${type}.${action}`).sort())
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
