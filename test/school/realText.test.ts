import { beforeAll, expect, test } from 'vitest'
import { exampleBody, type Operation } from '../../src/engine/declare/operations.ts'
import { operationsIn, resources } from '../../src/school/index.ts'
import { longText, realTexts } from '../support/realText.ts'
import { createSubjects } from './derived/createSubjects.ts'
import { describeDemo, describeDemoOn } from './describeDemo.ts'
import { learningIn } from './learning.ts'

const as = 'owner@example.com'

/** Every operation that creates a row with a title or a name, and that field. */
const creations = operationsIn(resources).flatMap((operation) => {
  if (operation.kind !== 'create' || operation.parent) return []
  const { slugFrom, writable } = operation.resource
  const field = slugFrom ?? ['name', 'title'].find((name) => writable.some((one) => one.field === name))
  return field === undefined ? [] : [{ id: operation.id, operation: operation as Extract<Operation, { kind: 'create' }>, field }]
})

describeDemo('names as people write them, on $name', (api) => {
  test.each(creations)('$id: keeps every name unchanged, at an address that differs', async ({ operation, field }) => {
    const { resource, path } = operation
    const { sendingFor } = createSubjects(api)
    const names = [...Object.values(realTexts), longText.slice(0, 80).trim()]
    for (const name of names) {
      const { body = exampleBody(resource, true) } = await sendingFor(operation, '')
      const { slug: _slug, external_id: _key, ...fields } = body as Record<string, unknown>
      const { status, json, headers } = await api.send(path, { as, body: { ...fields, [field]: name } })
      expect([name, status, json[field]]).toEqual([name, 201, name])
      const found = await api.get(`${path}/${encodeURIComponent(String(json.slug ?? json.id))}`, { as })
      expect([found.status, found.json.id, found.json[field]]).toEqual([200, json.id, name])
      expect(headers.get('location')).toMatch(/^[!-~]+$/)
    }
  })
})

const hostile =
  '<p onclick="run()">Hello</p><script>run()</script><iframe src="https://evil.example/x"></iframe><iframe src="https://youtu.be/dQw4w9WgXcQ"></iframe><form></form>'
const removed = ['p onclick', 'script', 'iframe https://evil.example/x', 'form']

describeDemoOn('last', 'the response to a write, on $name', (api) => {
  let school: ReturnType<typeof learningIn>
  beforeAll(() => {
    school = learningIn(api)
  })

  test.each([
    ['posts', { title: 'Post' }, 'content'],
    ['courses', { title: 'Course' }, 'description'],
    ['membership_plans', { name: 'Plan' }, 'description'],
    ['lecturers', { display_name: 'Ada' }, 'bio'],
  ])('of %s names what was removed from the sent HTML, and a read does not', async (path, fields, field) => {
    const made = await school.post(path, { ...fields, [field]: hostile, [`${field}_format`]: 'html' })
    expect(made.removed).toEqual(removed)
    const read = await school.get(`${path}/${made.id}`)
    expect(read.json).not.toHaveProperty('removed')
    const headers = { 'if-match': read.headers.get('etag') ?? '' }
    const patched = await school.send(`${path}/${made.id}`, { method: 'PATCH', body: { [field]: '<p>Hello</p><embed>' }, headers })
    expect([patched.status, patched.json.removed]).toEqual([200, ['embed']])
    expect(patched.headers.get('etag')).toBe((await school.get(`${path}/${made.id}`)).headers.get('etag'))
  })

  test('names parts of blocks and lessons, nothing of Markdown and of clean HTML, and at most twenty', async () => {
    const blocks = [{ type: 'html', props: { html: hostile } }]
    const page = await school.post('pages', { title: 'Page', blocks })
    expect(page.removed).toEqual(removed)
    const course = await school.newCourse()
    const lesson = { title: 'Lesson', kind: 'text', content: hostile, content_format: 'html' }
    expect((await school.post(`sections/${course.section}/lessons`, lesson)).removed).toEqual(removed)
    expect(await school.post('posts', { title: 'Markdown', content: hostile })).not.toHaveProperty('removed')
    expect(await school.post('posts', { title: 'Clean', content: '<p>Hello</p>', content_format: 'html' })).not.toHaveProperty('removed')
    const many = Array.from({ length: 50 }, (_, index) => `<embed src="https://a.example/${index}${'x'.repeat(300)}">`).join('')
    const post = await school.post('posts', { title: 'Many', content: many, content_format: 'html' })
    const parts = post.removed as string[]
    expect([parts.length, Math.max(...parts.map(({ length }) => length))]).toEqual([20, 200])
  })
})
