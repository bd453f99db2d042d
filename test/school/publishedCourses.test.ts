import { expect, test } from 'vitest'
import { fromPublicId, newId, toPublicId } from '../../src/base/ids.ts'
import type { Reply } from './demoApi.ts'
import { describeDemo } from './describeDemo.ts'

const owner = 'owner@example.com'
const lecturer = 'lecturer1@example.com'

describeDemo('published courses, on $name', (api) => {
  const call = (method: string, path: string, body?: object, as = owner): Promise<Reply> =>
    api.send(`/api/v1${path}`, { method, as, ...(body && { body }) })
  const done = async (method: string, path: string, body?: object, as = owner): Promise<string> => {
    const reply = await call(method, path, body, as)
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.text}`)
    return String(reply.json.id)
  }
  const newLecturer = (): Promise<string> => done('POST', '/lecturers', { display_name: 'Wren Tallow' })

  /** A published course with one lecturer and some published lessons in one section. */
  const published = async (lessonsCount = 1) => {
    const teacher = await newLecturer()
    const course = await done('POST', '/courses', { title: 'Basket weaving', lecturer_ids: [teacher] })
    const section = await done('POST', `/courses/${course}/sections`, { title: 'First', external_id: newId() })
    const lessons: string[] = []
    for (let index = 0; index < lessonsCount; index += 1) {
      const lesson = await done('POST', `/sections/${section}/lessons`, { title: 'One', kind: 'text', external_id: newId() })
      await done('POST', `/lessons/${lesson}/publish`, {})
      lessons.push(lesson)
    }
    await done('POST', `/courses/${course}/publish`, {})
    return { course, teacher, section, lessons, lesson: lessons[0] as string }
  }
  const seen = async (course: string): Promise<object> => {
    const { json } = await api.get(`/api/v1/courses/${course}`)
    return { status: json.status, lessons: json.lessons_count, lecturers: (json.lecturers as object[] | undefined)?.length }
  }
  const kept = { status: 'published', lessons: 1, lecturers: 1 }

  const emptyings: [string, (ids: { course: string; section: string; lesson: string }) => Promise<Reply>][] = [
    ['unpublishing it', ({ lesson }) => call('POST', `/lessons/${lesson}/unpublish`, {})],
    ['removing it', ({ lesson }) => call('DELETE', `/lessons/${lesson}`)],
    ['removing its section', ({ section }) => call('DELETE', `/sections/${section}?cascade=true`)],
    ['an import that replaces it', ({ course }) => call('POST', `/courses/${course}/curriculum/import`, { mode: 'replace', sections: [] })],
    [
      'an import that makes a draft of it',
      async ({ course, section, lesson }) => {
        const keyOf = async (path: string) => (await call('GET', path)).json.external_id
        const lessons = [{ external_id: await keyOf(`/lessons/${lesson}`), title: 'One', kind: 'text', status: 'draft' }]
        const sections = [{ external_id: await keyOf(`/sections/${section}`), title: 'First', lessons }]
        return await call('POST', `/courses/${course}/curriculum/import`, { mode: 'merge', sections })
      },
    ],
  ]

  test.each(emptyings)('a published course does not lose its last published lesson by %s, a draft does', async (_how, empty) => {
    const ids = await published()
    const before = await call('GET', `/courses/${ids.course}/curriculum`)
    const reply = await empty(ids)
    expect([reply.status, reply.json.error]).toEqual([409, 'invalid_state'])
    expect(reply.json.error_description).toMatch(/Unpublish or archive the course first/)
    expect(await seen(ids.course)).toEqual(kept)
    expect((await call('GET', `/courses/${ids.course}/curriculum`)).text).toBe(before.text)
    await done('POST', `/courses/${ids.course}/unpublish`, {})
    expect((await empty(ids)).status).toBeLessThan(300)
  })

  test('a published course gives up any lesson but the last, also where all are unpublished at the same time', async () => {
    const { course, lessons } = await published(4)
    const replies = await Promise.all(lessons.map((lesson) => call('POST', `/lessons/${lesson}/unpublish`, {})))
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 409])
    expect(await seen(course)).toEqual(kept)
  })

  test('a published course does not lose its last lecturer by PUT or PATCH, a draft does', async () => {
    const { course } = await published()
    const archived = await newLecturer()
    await done('POST', `/lecturers/${archived}/archive`, {})
    for (const lecturer_ids of [[], [archived]]) {
      for (const [method, path] of [
        ['PUT', `/courses/${course}/lecturers`],
        ['PATCH', `/courses/${course}`],
      ] as const) {
        const reply = await call(method, path, { lecturer_ids })
        expect([method, reply.status, reply.json.details]).toMatchObject([method, 422, [{ field: 'lecturer_ids', code: 'required' }]])
        expect(reply.text).toMatch(/Unpublish the course first/)
      }
    }
    expect(await seen(course)).toEqual(kept)
    await done('POST', `/courses/${course}/unpublish`, {})
    expect((await call('PATCH', `/courses/${course}`, { lecturer_ids: [] })).status).toBe(200)
  })

  test('a published course does not lose its last lecturer when a lecturer is archived or removed', async () => {
    const { course, teacher } = await published()
    const archived = await call('POST', `/lecturers/${teacher}/archive`, {})
    expect([archived.status, archived.json.error]).toEqual([409, 'resource_in_use'])
    const removed = await call('DELETE', `/lecturers/${teacher}`)
    expect([removed.status, removed.json.error]).toEqual([409, 'resource_in_use'])
    expect(await seen(course)).toEqual(kept)
  })

  test('when two lecturers are archived at the same time, one stays with the published course', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { course, teacher } = await published()
      const teachers = [teacher, await newLecturer()]
      await done('PUT', `/courses/${course}/lecturers`, { lecturer_ids: teachers })
      const replies = await Promise.all(teachers.map((one) => call('POST', `/lecturers/${one}/archive`, {})))
      expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409])
    }
  })

  test('a lecturer who is archived while a course gets no other lecturer leaves none without one', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { course, teacher } = await published()
      const next = await newLecturer()
      await Promise.all([
        call('PATCH', `/courses/${course}`, { lecturer_ids: [next] }),
        call('POST', `/lecturers/${next}/archive`, {}),
        call('POST', `/lecturers/${teacher}/archive`, {}),
      ])
      const { lecturers } = (await call('GET', `/courses/${course}`)).json as { lecturers: { id: string }[] }
      const states = await Promise.all(lecturers.map(async ({ id }) => (await call('GET', `/lecturers/${id}`)).json.status))
      expect(states).toContain('active')
    }
  })

  test('a course cannot be published with archived lecturers alone', async () => {
    const { course, teacher } = await published()
    await done('POST', `/courses/${course}/unpublish`, {})
    await done('POST', `/lecturers/${teacher}/archive`, {})
    const reply = await call('POST', `/courses/${course}/publish`, {})
    expect([reply.status, reply.json.error, reply.json.details]).toMatchObject([422, 'not_publishable', [{ field: 'lecturers' }]])
  })

  test('erasing the person behind a lecturer leaves the lecturer with the published course', async () => {
    const { course, teacher } = await published()
    const email = `${newId()}@example.org`
    const student = await done('POST', '/students', { email, name: 'Wren Tallow' })
    await api.database.sql.query(
      `INSERT INTO staff (school_id, id, person_id, role, status, lecturer_id) VALUES ($1, $2, $3, 'lecturer', 'active', $4)`,
      [api.school.id, newId(), fromPublicId('std', student), fromPublicId('lec', teacher)],
    )
    expect((await call('DELETE', `/students/${student}`)).status).toBe(204)
    expect(await seen(course)).toEqual(kept)
  })

  test('only the staff of a school say who teaches a course: by PUT, by PATCH and with a new course', async () => {
    const [row] = await api.database.sql.query<{ lecturer_id: string }>(
      `SELECT staff.lecturer_id FROM staff JOIN person ON person.school_id = staff.school_id AND person.id = staff.person_id
        WHERE staff.school_id = $1 AND person.email = $2`,
      [api.school.id, lecturer],
    )
    const own = toPublicId('lec', String(row?.lecturer_id))
    const other = await newLecturer()
    const course = await done('POST', '/courses', { title: 'Willow' }, lecturer)
    const refusedBy = async (method: string, path: string, body: object) => {
      const reply = await call(method, path, body, lecturer)
      return [reply.status, reply.json.error, (reply.json.details as { code: string }[] | undefined)?.[0]?.code]
    }
    expect((await refusedBy('PUT', `/courses/${course}/lecturers`, { lecturer_ids: [own, other] }))[0]).toBe(403)
    for (const lecturer_ids of [[own, other], [other], []]) {
      expect(await refusedBy('PATCH', `/courses/${course}`, { lecturer_ids })).toEqual([422, 'read_only_field', 'read_only_field'])
    }
    expect(await refusedBy('POST', '/courses', { title: 'Cane', lecturer_ids: [own, other] })).toEqual([
      422,
      'read_only_field',
      'read_only_field',
    ])
    const { json } = await call('GET', `/courses/${course}`)
    expect((json.lecturers as { id: string }[]).map(({ id }) => id)).toEqual([own])
    // The unchanged list is a valid input.
    expect((await call('PATCH', `/courses/${course}`, { lecturer_ids: [own], subtitle: 'Soft' }, lecturer)).status).toBe(200)
    expect((await call('POST', '/courses', { title: 'Cane', lecturer_ids: [own] }, lecturer)).status).toBe(201)
  })
})
