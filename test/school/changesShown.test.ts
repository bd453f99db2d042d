import { describe, expect, test } from 'vitest'
import { answer, createAgent, personCalled, postJson, withToken } from '../support/agent.ts'
import { duringTests } from '../support/duringTests.ts'
import { startService } from '../support/service.ts'

const service = duringTests(() => startService({ redis: false }))
const scope = 'openid account:read account:write courses:read courses:write students:read students:write posts:read posts:write'

interface Field {
  field: string
  before: string | null
  after: string | null
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
})
