import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/base/ids.ts'
import { databasesToTest } from '../support/databases.ts'
import { type DemoApi, startDemoApi } from './demoApi.ts'
import { learner, learningIn, owner } from './learning.ts'

interface Result {
  index: number
  row: number
  key: string
  status: number
  error?: { details: { field: string; message: string }[] }
}

describe.each((await databasesToTest()).slice(-1))('importing CSV, on $name', ({ open }) => {
  let api: DemoApi
  let school: ReturnType<typeof learningIn>
  beforeAll(async () => {
    api = await startDemoApi(await open())
    school = learningIn(api)
  })
  afterAll(() => api.stop())

  const upload = (path: string, body: string, as = owner) =>
    school.send(`${path}/bulk`, { as, headers: { 'content-type': 'text/csv; charset=utf-8' }, body })
  const results = async (path: string, body: string) => {
    const reply = await upload(path, body)
    expect([reply.status, reply.json.error_description]).toEqual([207, undefined])
    return reply.json.results as Result[]
  }
  const student = async (email: string) =>
    ((await school.get(`students?email=${encodeURIComponent(email)}`)).json.data as Record<string, unknown>[])[0]
  const exported = async (path: string) => (await api.get(`/api/v1/${path}`, { as: owner, headers: { accept: 'text/csv' } })).text

  test.each(['students', 'members', 'enrollments'])('the exported file of %s is accepted as it is, and changes nothing', async (path) => {
    const course = await school.newCourse()
    await school.enroll(course)
    const file = await exported(`${path}?limit=30`)
    const rows = await results(path, file)
    expect(rows.filter(({ status }) => status !== 200)).toEqual([])
    expect(await exported(`${path}?limit=30`)).toBe(file)
  })

  test('separators, a byte order mark, line breaks in quotes and escaped cells are read as they were meant', async () => {
    const [one, two] = [`one-${newId()}@example.org`, `two-${newId()}@example.org`]
    const file = `\uFEFFemail;name;phone;tags;marketing_consent.granted;note\r\n${one};"Ana ""A""; Silva";'+491512345678;"[""a"",""b""]";true;"First\nsecond"\r\n${two};"'=1+1";;;;\r\n`
    const created = await results('students', file)
    expect(created.flatMap(({ error }) => error?.details ?? [])).toEqual([])
    expect(created).toMatchObject([
      { index: 0, row: 2, key: one, status: 201 },
      { index: 1, row: 3, key: two, status: 201 },
    ])
    const expected = {
      name: 'Ana "A"; Silva',
      phone: '+491512345678',
      tags: ['a', 'b'],
      marketing_consent: { granted: true },
      note: 'First\nsecond',
    }
    expect(await student(one)).toMatchObject(expected)
    expect(await student(two)).toMatchObject({ name: '=1+1', phone: null, tags: [] })
    expect(await results('students', `email,phone\n${one},\n`)).toMatchObject([{ status: 200 }])
    expect(await student(one)).toMatchObject({ ...expected, phone: null })
  })

  test('each row has its own result with the number of the row, and enrolments name the student', async () => {
    const course = await school.newCourse()
    const file = `course_id,student_email\n${course.id},${learner}\n${course.id},nobody@example.org\n`
    const [first, second] = await results('enrollments', file)
    expect(first).toMatchObject({ row: 2, key: learner, status: 201 })
    expect(second).toMatchObject({ row: 3, key: 'nobody@example.org', status: 422 })
    const [row] = await results('students', 'email,name\nno address,Ana\n')
    expect([row?.row, row?.key, row?.error?.details[0]?.field]).toEqual([2, 'no address', 'email'])
  })

  test.each([
    ['email,nmae\na@example.org,Ana\n', 400, /no column 'nmae'.*Columns that are read: email, name/],
    ['email,email\na@example.org,b@example.org\n', 400, /column 'email' twice/],
    ['id,object\nstd_1,student\n', 400, /no column that is read/],
    ['email,name\n', 400, /no row below the header/],
    ['email,name\na@example.org,Ana,more\n', 400, /line 2 has another number of cells than the header/],
    ['email,name\n"a@example.org,Ana\n', 400, /does not end with one/],
    [`email,name\n${'a@example.org,Ana\n'.repeat(101)}a quote " in the text behind the limit`, 413, /more than 100 rows, the maximum/],
    [
      `\r\n${Array.from({ length: 201 }, (_, column) => `c${column}`).join(';')}\na quote " in the text behind the limit`,
      400,
      /201 columns/,
    ],
  ])('%j is refused, and the sentence says what helps', async (file, status, sentence) => {
    const reply = await upload('students', file)
    expect([reply.status, reply.json.error_description]).toEqual([status, expect.stringMatching(sentence)])
  })

  test('needs the permission of the JSON operation, and other operations take JSON only', async () => {
    expect((await upload('students', 'email,name\na@example.org,Ana\n', learner)).status).toBe(403)
    const reply = await school.send('courses', { headers: { 'content-type': 'text/csv' }, body: 'title\nClay\n' })
    expect(reply.status).toBe(415)
  })
})
