import { expect, test } from 'vitest'
import type { Reply } from './demoApi.ts'
import { describeDemo } from './describeDemo.ts'
import { learningIn } from './learning.ts'

const owner = 'owner@example.com'
const lecturer = 'lecturer2@example.com'
const learner = 'learner003@example.org'
const tomorrow = new Date(Date.now() + 86_400_000).toISOString()

describeDemo('rows that move in from another system, on $name', (api) => {
  const send = (path: string, body: object, as = owner): Promise<Reply> => api.send(`/api/v1/${path}`, { as, body })
  const errorsOf = ({ status, json }: Reply) => [
    status,
    ...((json.details ?? []) as { field: string; code: string }[]).map(({ field, code }) => `${field} ${code}`),
  ]
  const counted = async (table: string) =>
    Number((await api.database.sql.query(`SELECT count(*) AS n FROM ${table} WHERE school_id = $1`, [api.school.id]))[0]?.n)

  test('a post of staff keeps its date: it is published then, in its place in the list, and nobody is notified', async () => {
    const waiting = [await counted('notification'), await counted('outbox')]
    const made = await send('posts', { title: '初めての窯', content: 'Text', published_at: '2011-03-04T05:06:07.000Z' })
    expect(made.json).toMatchObject({ status: 'published', published_at: '2011-03-04T05:06:07.000Z', scheduled_for: null })
    const oldest = await api.get('/api/v1/posts?sort=published_at&limit=1')
    expect(oldest.json.data).toMatchObject([{ id: made.json.id }])
    expect([await counted('notification'), await counted('outbox')]).toEqual(waiting)
    expect((await send('posts', { title: 'Draft', published_at: null })).json).toMatchObject({ status: 'draft', published_at: null })
  })

  test('a date of a post is neither in the future nor before 1990, cannot be changed, and lecturers cannot send it', async () => {
    const title = 'Dated'
    expect(errorsOf(await send('posts', { title, published_at: tomorrow }))).toEqual([422, 'published_at max'])
    expect(errorsOf(await send('posts', { title, published_at: '1989-12-31T23:59:59.999Z' }))).toEqual([422, 'published_at min'])
    const past = '2019-05-04T09:30:00.000Z'
    expect(errorsOf(await send('posts', { title, published_at: past, former_paths: ['/old'] }, lecturer))).toEqual([
      422,
      'published_at read_only_field',
    ])
    expect(errorsOf(await send('posts', { title, former_paths: ['/old'] }, lecturer))).toEqual([422, 'former_paths not_allowed'])
    const made = await send('posts', { title, published_at: past })
    const changed = await api.send(`/api/v1/posts/${made.json.id}`, { as: owner, method: 'PATCH', body: { published_at: tomorrow } })
    expect(errorsOf(changed)).toEqual([422, 'published_at immutable_field'])
    for (const path of ['no-slash', '/', '//other.example/x', '/a?b=1', '/%E0%A4%A', `/${'x'.repeat(501)}`, '/a\\b'])
      expect((await send('posts', { title, former_paths: [path] })).status, path).toBe(422)
  })

  test('an enrolment keeps its dates: staff report when it was made, completed and certified', async () => {
    const school = learningIn(api)
    const course = await school.newCourse({ certificate_enabled: true })
    const dated = {
      course_id: course.id,
      student_email: learner,
      enrolled_at: '2015-01-02T03:04:05.000Z',
      completed_at: '2015-06-07T08:09:10.000Z',
    }
    const made = await send('enrollments', { ...dated, certificate_issued_at: '2015-06-08T00:00:00.000Z' })
    expect(made.json, made.text).toMatchObject({
      status: 'completed',
      source: 'import',
      created_at: dated.enrolled_at,
      starts_at: dated.enrolled_at,
      completed_at: dated.completed_at,
      certificate: { issued_at: '2015-06-08T00:00:00.000Z' },
    })
    const number = (made.json.certificate as { number: string }).number
    const found = await api.get(`/api/v1/certificates/${number}`)
    expect(found.json).toMatchObject({ valid: true, issued_at: '2015-06-08T00:00:00.000Z' })
    const oldest = await api.get('/api/v1/enrollments?sort=created_at&limit=1', { as: owner })
    expect(oldest.json.data).toMatchObject([{ id: made.json.id }])
    const again = await send('enrollments', dated)
    expect([again.status, again.json.id]).toEqual([200, made.json.id])
    const other = await send('enrollments', { ...dated, completed_at: '2016-01-01T00:00:00.000Z' })
    expect([other.status, other.json.error]).toEqual([409, 'invalid_state'])
    const items = [{ ...dated, student_email: 'new.student@example.org' }]
    const bulk = await send('enrollments/bulk', { items, create_missing: true })
    expect(bulk.json, bulk.text).toMatchObject({ results: [{ status: 201 }] })
  })

  test('dates of enrolments are in order and in the past, and neither learners nor lecturers can send them', async () => {
    const course = await learningIn(api).newCourse()
    const dated = { course_id: course.id, student_email: learner, enrolled_at: '2015-01-02T03:04:05.000Z' }
    expect(errorsOf(await send('enrollments', { ...dated, completed_at: '2014-01-01T00:00:00.000Z' }))).toEqual([422, 'completed_at min'])
    expect(errorsOf(await send('enrollments', { ...dated, enrolled_at: tomorrow }))).toContain('enrolled_at max')
    expect(errorsOf(await send('enrollments', { ...dated, enrolled_at: '1980-01-01T00:00:00.000Z' }))).toContain('enrolled_at min')
    expect(errorsOf(await send('enrollments', { ...dated, certificate_issued_at: dated.enrolled_at }))).toContain('completed_at required')
    for (const as of [lecturer, learner]) {
      const reply = await send('enrollments', dated, as)
      expect(reply.status, reply.text).toBeGreaterThanOrEqual(403)
      const completed = await send('enrollments', { ...dated, completed_at: '2015-06-07T08:09:10.000Z' }, as)
      expect(completed.status, completed.text).toBeGreaterThanOrEqual(403)
    }
  })
})
