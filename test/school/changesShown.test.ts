import { describe, expect, test } from 'vitest'
import { answer, createAgent, personCalled, postJson, withToken } from '../support/agent.ts'
import { duringTests } from '../support/duringTests.ts'
import { startService } from '../support/service.ts'

const service = duringTests(() => startService({ redis: false }))
const scope =
  'openid account:read account:write courses:read courses:write students:read students:write posts:read posts:write lecturers:read lecturers:write pages:read pages:write school:read school:write'

interface Field {
  field: string
  before: string | null
  after: string | null
}

interface Entry {
  operation: string
  resource: { label: string | null }
  changes: { type: string }[]
}

let count = 0
async function ownersApp() {
  const email = `owner${++count}@example.com`
  await service.addPerson({ email, role: 'owner' })
  const agent = await createAgent(service.issuer, { client_name: 'Tidy Agent' })
  const { body } = await agent.tokens(personCalled(email), { scope }, { scopes: 'all' })
  const authorization = `Bearer ${body.access_token}`
  const send = (method: string, path: string, content?: unknown, headers: Record<string, string> = {}) =>
    answer(
      fetch(`${service.issuer}/api/v1${path}`, {
        method,
        headers: { authorization, 'content-type': 'application/json', ...headers },
        ...(content !== undefined && { body: JSON.stringify(content) }),
      }),
    )
  return {
    get: (path: string) => withToken(`${service.issuer}/api/v1${path}`, body.access_token),
    post: (path: string, content: object, headers = {}) =>
      postJson(`${service.issuer}/api/v1${path}`, content, { authorization, ...headers }),
    send,
  }
}

const dry = { 'dry-run': 'true' }

describe('a request of an app has one description of its changes', () => {
  test('by the dry run, the activity and, reversed, the taking back', async () => {
    const app = await ownersApp()
    const { body: course } = await app.post('/courses', { title: 'Raku', access: 'paid', price: { amount: 5900, currency: 'EUR' } })
    const change = { title: 'Raku firing', price: { amount: 9900, currency: 'EUR' }, tags: ['fire'] }
    const tried = await app.send('PATCH', `/courses/${course.id}`, change, dry)
    expect(tried.body.dry_run.changes).toEqual([
      {
        type: 'course',
        id: course.id,
        action: 'updated',
        label: 'Raku firing',
        fields: [
          { field: 'title', before: 'Raku', after: 'Raku firing' },
          { field: 'tags', before: '[]', after: '["fire"]' },
          { field: 'price', before: '{"amount":5900,"currency":"EUR"}', after: '{"amount":9900,"currency":"EUR"}' },
        ],
      },
    ])
    await app.send('PATCH', `/courses/${course.id}`, change)
    const { body: activity } = await app.get('/account/activity?limit=1')
    const [done] = activity.data
    expect(done.changes).toEqual(tried.body.dry_run.changes)
    const back = await app.post(`/account/activity/${done.id}/undo`, {}, dry)
    expect(back.body.dry_run.changes).toEqual([
      expect.objectContaining({
        id: course.id,
        label: 'Raku',
        fields: done.changes[0].fields.map(({ field, before, after }: Field) => ({ field, before: after, after: before })),
      }),
    ])
    expect((await app.post(`/account/activity/${done.id}/undo`, {})).status).toBe(200)
    const { body: after } = await app.get('/account/activity?limit=5')
    expect(after.data.find((one: { id: string }) => one.id === done.id).changes).toEqual(done.changes)
  })

  test('by taking back and redoing, each a separate activity that says what', async () => {
    const app = await ownersApp()
    const { body: course } = await app.post('/courses', { title: 'Glazes' })
    await app.send('PATCH', `/courses/${course.id}`, { title: 'All glazes' })
    const list = async (query = '') => (await app.get(`/account/activity?limit=20${query}`)).body.data
    const [change] = await list()
    const { body: back } = await app.post(`/account/activity/${change.id}/undo`, {})
    expect(back).toMatchObject({
      affected: [{ type: 'course', action: 'updated', count: 1 }],
      rows: [{ type: 'course', id: course.id, action: 'updated', label: 'Glazes' }],
    })
    const [undone] = await list('&action=undone')
    expect(undone).toMatchObject({
      id: back.id,
      operation: 'undoActivity',
      action: 'undone',
      undone: [change.id],
      resource: { type: 'course', id: course.id, label: 'Glazes' },
      undo: { possible: true },
    })
    expect(undone.changes[0].fields).toEqual([{ field: 'title', before: 'All glazes', after: 'Glazes' }])
    const { body: again } = await app.post(`/account/activity/${undone.id}/undo`, {})
    expect((await app.get(`/courses/${course.id}`)).body.title).toBe('All glazes')
    expect((await list('&resource=course')).map(({ id }: { id: string }) => id).slice(0, 3)).toEqual([again.id, back.id, change.id])
  })

  test('with what is deleted too, and the names of people, lecturers and copies', async () => {
    const app = await ownersApp()
    const { body: lecturer } = await app.post('/lecturers', { display_name: 'Ines Ofen' })
    await app.post(`/lecturers/${lecturer.id}/hide`, {})
    const { body: page } = await app.post('/pages', { title: 'Kilns' })
    await app.post(`/pages/${page.id}/duplicate`, {})
    const { body: staff } = await app.post('/school/staff', { email: 'new@example.com', role: 'admin' })
    expect(staff).toMatchObject({ id: expect.stringMatching(/^stf_/) })
    const { data } = (await app.get('/account/activity')).body
    const listed = data.map(({ operation, resource, changes }: Entry) => [operation, resource.label, changes.map(({ type }) => type)])
    expect(listed).toEqual(
      expect.arrayContaining([
        ['hideLecturer', 'Ines Ofen', ['lecturer']],
        ['duplicatePage', expect.stringMatching(/^Kilns/), ['page']],
        ['inviteStaff', null, expect.arrayContaining(['staff'])],
      ]),
    )
  })
})
