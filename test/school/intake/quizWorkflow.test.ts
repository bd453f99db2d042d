import { beforeAll, describe, expect, test } from 'vitest'
import { databasesToTest } from '../../support/databases.ts'
import { duringTests } from '../../support/duringTests.ts'
import { startSales } from '../../support/sales.ts'

const points = { q1: 2, q2: 1, q3: 4 } as const
type Key = keyof typeof points
const keys = Object.keys(points) as Key[]
const total = 7
const question = (id: Key) => ({
  id,
  kind: 'single',
  prompt: `Question ${id}`,
  choices: [
    { id: 'a', text: 'Stoneware', correct: true },
    { id: 'b', text: 'Earthenware', correct: false },
  ],
  points: points[id],
  explanation: `because ${id}`,
})

/** An attempt, with the questions that it answers correctly. */
interface Attempt {
  name: string
  right: Key[]
}

const scoreOf = ({ right }: Attempt): number => right.reduce((sum, key) => sum + points[key], 0)
/** Share of the points in percent, rounded down to two decimal places. */
const percentOf = (attempt: Attempt): number => Math.floor((scoreOf(attempt) * 10_000) / total) / 100

describe.each(await databasesToTest())('quizzes of an empty school, on $name', ({ open }) => {
  const sales = duringTests(() => startSales({ open }))
  const names = ['ada', 'bea', 'cleo', 'dov'] as const
  const addressOf = (name: string): string => `${name}@example.org`
  beforeAll(async () => {
    for (const name of names) await sales.service.addPerson({ email: addressOf(name) })
  })

  const done = async (method: string, path: string, body?: object, as?: string) => {
    const answer = await sales.call(method, path, body, as === undefined ? {} : { as: addressOf(as) })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  test('starts empty, teaches a course with a quiz, and scores, results, analysis, progress and certificates equal the model', async () => {
    expect((await done('GET', '/courses')).data).toEqual([])
    const lecturer = await done('POST', '/lecturers', { display_name: 'Marlo' })
    const course = await done('POST', '/courses', { title: 'Clay', lecturer_ids: [lecturer.id], certificate_enabled: true })
    const section = await done('POST', `/courses/${course.id}/sections`, { title: 'First' })
    const text = await done('POST', `/sections/${section.id}/lessons`, { title: 'One', kind: 'text', content: 'Centre the clay.' })
    const quiz = await done('POST', `/sections/${section.id}/lessons`, {
      title: 'Quiz',
      kind: 'quiz',
      quiz: { pass_percent: 80, max_attempts: 3, questions: keys.map(question) },
    })
    for (const { id } of [text, quiz]) await done('POST', `/lessons/${id}/publish`, {})
    await done('POST', `/courses/${course.id}/publish`, {})
    const enrollments = new Map<string, string>()
    for (const name of names) enrollments.set(name, (await done('POST', '/enrollments', { course_id: course.id }, name)).id)
    expect(await done('GET', `/lessons/${quiz.id}/quiz_analysis`)).toMatchObject({
      attempts_count: 0,
      students_count: 0,
      average_score_percent: null,
    })

    // Each attempt in turn; the fourth one of a person is refused.
    const attempts: Attempt[] = [
      { name: 'ada', right: [] },
      { name: 'bea', right: ['q1', 'q2', 'q3'] },
      { name: 'ada', right: ['q3'] },
      { name: 'cleo', right: ['q1', 'q2'] },
      { name: 'ada', right: ['q1', 'q3'] },
      { name: 'cleo', right: ['q2', 'q3'] },
    ]
    const send = (attempt: Attempt) =>
      sales.call(
        'POST',
        `/lessons/${quiz.id}/quiz_attempts`,
        { answers: keys.map((key) => ({ question_id: key, choice_ids: [attempt.right.includes(key) ? 'a' : 'b'] })) },
        { as: addressOf(attempt.name) },
      )
    const seen = new Map<string, number>()
    for (const attempt of attempts) {
      const no = (seen.get(attempt.name) ?? 0) + 1
      seen.set(attempt.name, no)
      const { status, body } = await send(attempt)
      expect([status, body]).toMatchObject([
        201,
        {
          attempt_no: no,
          score_percent: percentOf(attempt),
          passed: percentOf(attempt) >= 80,
          results: keys.map((key) => ({
            question_id: key,
            correct: attempt.right.includes(key),
            points: points[key],
            points_awarded: attempt.right.includes(key) ? points[key] : 0,
          })),
        },
      ])
      expect(JSON.stringify(body)).not.toMatch(/because|"correct":true,"text"/)
    }
    expect((await send({ name: 'ada', right: keys })).body.error).toBe('attempts_exhausted')
    // Two attempts at the same time are two attempts, with two numbers, and the third is the last.
    const crowd = await Promise.all(Array.from({ length: 5 }, () => send({ name: 'dov', right: ['q1'] })))
    expect(crowd.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 409, 409])
    expect(crowd.flatMap(({ status, body }) => (status === 201 ? [body.attempt_no] : [])).toSorted()).toEqual([1, 2, 3])
    for (let index = 0; index < 3; index++) attempts.push({ name: 'dov', right: ['q1'] })

    // People see their own attempts, the staff all.
    for (const name of names) {
      const { data } = await done('GET', `/quiz_attempts?lesson_id=${quiz.id}&limit=100`, undefined, name)
      const own = attempts.filter((one) => one.name === name)
      expect([name, data.map(({ score_percent }: { score_percent: number }) => score_percent).toSorted()]).toEqual([
        name,
        own.map(percentOf).toSorted(),
      ])
    }
    expect((await done('GET', `/quiz_attempts?lesson_id=${quiz.id}&limit=100`)).data).toHaveLength(attempts.length)

    const passed = new Set(attempts.filter((one) => percentOf(one) >= 80).map(({ name }) => name))
    const analysis = await done('GET', `/lessons/${quiz.id}/quiz_analysis`)
    const average = attempts.reduce((sum, one) => sum + scoreOf(one), 0) / (attempts.length * total)
    expect(analysis).toMatchObject({
      attempts_count: attempts.length,
      students_count: new Set(attempts.map(({ name }) => name)).size,
      passed_students_count: passed.size,
      questions: keys.map((key) => {
        const correct = attempts.filter(({ right }) => right.includes(key)).length
        return {
          question_id: key,
          attempts_count: attempts.length,
          correct_count: correct,
          choices: [
            { choice_id: 'a', chosen_count: correct },
            { choice_id: 'b', chosen_count: attempts.length - correct },
          ],
        }
      }),
    })
    expect(Math.abs(analysis.average_score_percent - average * 100)).toBeLessThan(0.02)

    // A passed quiz is a completed lesson. With the other lesson the course is complete, and has a certificate.
    const enrolled = async (name: string) => await done('GET', `/enrollments/${enrollments.get(name)}`)
    for (const name of names) expect([name, (await enrolled(name)).progress_percent]).toEqual([name, passed.has(name) ? 50 : 0])
    for (const name of names) await done('PUT', `/enrollments/${enrollments.get(name)}/progress/${text.id}`, { completed: true }, name)
    for (const name of names) expect([name, (await enrolled(name)).status]).toEqual([name, passed.has(name) ? 'completed' : 'active'])
    for (const name of names) {
      const { status } = await sales.call('POST', `/enrollments/${enrollments.get(name)}/certificate`, {}, { as: addressOf(name) })
      expect([name, status]).toEqual([name, passed.has(name) ? 200 : 409])
    }
    await sales.refresh()
    const funnel = await done('GET', `/analytics/courses/${course.id}/funnel`)
    expect(JSON.stringify(funnel)).not.toMatch(/NaN|null,null/)
    expect((await done('GET', `/courses/${course.id}`)).enrollments_count).toBe(names.length)
  })
})
