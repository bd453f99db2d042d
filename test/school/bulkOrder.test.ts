import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/base/ids.ts'
import { databasesToTest } from '../support/databases.ts'
import { type DemoApi, startDemoApi } from './demoApi.ts'
import { learningIn } from './learning.ts'

type Results = { index: number; key: string; status: number }[]

describe.each(await databasesToTest())('bulk requests at the same time, on $name', ({ open }) => {
  let api: DemoApi
  let school: ReturnType<typeof learningIn>
  beforeAll(async () => {
    api = await startDemoApi(await open())
    school = learningIn(api)
  })
  afterAll(() => api.stop())

  const addresses = (count: number) => Array.from({ length: count }, (_, index) => `${index}.${newId()}@example.org`)

  /** Sends eight requests at the same time, every other one with its items reversed, and returns their results. */
  async function eightImports(path: string, items: readonly object[], more: object): Promise<Results[]> {
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        school.send(path, { body: { items: index % 2 === 0 ? items : items.toReversed(), ...more } }),
      ),
    )
    expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(207))
    return replies.map(({ json }) => json.results as Results)
  }

  test('with the same people in another order all succeed, and answer in the order of their items', async () => {
    const emails = addresses(8)
    for (const name of ['New', 'Changed']) {
      const all = await eightImports(
        'students/bulk',
        emails.map((email) => ({ email, name })),
        { mode: 'upsert' },
      )
      for (const [index, results] of all.entries()) {
        expect(results.map(({ key }) => key)).toEqual(index % 2 === 0 ? emails : emails.toReversed())
        expect(results.map(({ index: position }) => position)).toEqual(emails.map((_, position) => position))
        for (const { status } of results) expect([200, 201, 409]).toContain(status)
      }
    }
  })

  test('which name the same people by different keys all succeed', async () => {
    const people = addresses(8).map((email) => ({ email, name: 'A Student', external_id: newId() }))
    await school.post('students/bulk', { items: people })
    for (const round of [1, 2]) {
      const replies = await Promise.all(
        Array.from({ length: 8 }, (_, index) => {
          const items = people.map(({ email, external_id }) => ({
            name: `${round} ${index}`,
            ...(index % 2 === 0 ? { email } : { external_id }),
          }))
          return school.send('students/bulk', { body: { mode: 'upsert', items: index % 4 < 2 ? items : items.toReversed() } })
        }),
      )
      expect(replies.map(({ status, json }) => [status, json.summary])).toEqual(Array(8).fill([207, { total: 8, succeeded: 8, failed: 0 }]))
    }
  })

  test('that enrol new people in two courses in opposite orders all succeed', async () => {
    const courses = [await school.newCourse(), await school.newCourse()]
    const emails = addresses(8)
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, index) => {
        const items = emails.map((student_email) => ({ course_id: courses[index % 2]?.id, student_email }))
        return school.send('enrollments/bulk', { body: { items: index % 4 < 2 ? items : items.toReversed(), create_missing: true } })
      }),
    )
    expect(replies.map(({ status, json }) => [status, (json.summary as { failed: number }).failed])).toEqual(Array(8).fill([207, 0]))
    for (const { id } of courses) expect((await school.get(`courses/${id}`)).json.enrollments_count).toBe(8)
  })
})
