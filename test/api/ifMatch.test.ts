// Proves RFC 6585 section 3: `If-Match` is required only where a whole document or list is replaced; the 428 names the read and has the current ETag, and no caller who may not change the row gets it

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databasesToTest } from '../support/databases.ts'
import { type DemoApi, startDemoApi } from './demoApi.ts'
import { createSubjects, type Subjects } from './derived/createSubjects.ts'
import { actor, everyWrite } from './derived/everyWrite.ts'

const conditional = everyWrite.flatMap((operation) =>
  'needsIfMatch' in operation && operation.needsIfMatch ? [{ id: operation.id, operation, needs: operation.needsIfMatch }] : [],
)

describe.each((await databasesToTest()).slice(0, 1))('If-Match on $name', ({ open }) => {
  let api: DemoApi
  let subjects: Subjects
  beforeAll(async () => {
    api = await startDemoApi(await open())
    subjects = createSubjects(api)
  })
  afterAll(() => api.stop())

  test('is required only where a whole document or list is replaced', () => {
    expect(Object.fromEntries(conditional.map(({ id, needs }) => [id, needs]))).toEqual({
      setCurriculumOrder: true,
      replaceAppearance: true,
      updateAppearance: ['navigation', 'custom_css'],
      updatePage: ['blocks'],
      updatePost: ['content'],
      updateSchool: ['description', 'supported_locales', 'social_links'],
    })
  })

  test.each(conditional)(
    '$id without it: 428 names the read whose ETag the repetition needs, and has that ETag',
    async ({ operation, needs }) => {
      const { method } = operation
      const id = await subjects.subjectOf(operation)
      const sending = await subjects.sendingFor(operation, id)
      const path = subjects.addressOf(operation, id)
      const body = needs === true ? sending.body : { ...Object(sending.body), [String(needs[0])]: null }
      const { 'if-match': _, ...headers } = { 'if-match': '', ...sending.headers }
      const missing = await api.send(path, { as: actor, method, headers, body })
      expect([missing.status, missing.json.error]).toEqual([428, 'precondition_required'])
      const read = String(missing.json.error_description).match(/GET (\S+), then repeat with If-Match: /)?.[1] ?? ''
      const etag = String(missing.headers.get('etag'))
      expect(missing.json.details).toMatchObject([
        { message: `GET ${read}, then repeat with If-Match: ${etag}`, meta: { path: read, etag } },
      ])
      const seen = await api.get(read, { as: actor })
      expect(seen.status).toBe(200)
      // Only the version counts: the read of a tree is another representation of the same version.
      expect(seen.headers.get('etag')?.split('-')[0]).toBe(etag.split('-')[0])
      const repeated = await api.send(path, { as: actor, method, headers: { ...headers, 'if-match': etag }, body: sending.body })
      expect(repeated.status).toBe(operation.successStatus)
    },
  )

  test.each(conditional.filter(({ needs }) => needs !== true))('$id needs none to change single fields', async ({ operation }) => {
    const id = await subjects.subjectOf(operation)
    const reply = await api.send(subjects.addressOf(operation, id), { as: actor, method: 'PATCH', body: {} })
    expect(reply.status).toBe(200)
  })

  test('only callers who may change a row get its ETag', async () => {
    const post = (await api.send('/api/v1/posts', { as: actor, method: 'POST', body: { title: 'Kept closed' } })).json
    const change = (as: string) => api.send(`/api/v1/posts/${post.id}`, { as, method: 'PATCH', body: { content: 'x' } })
    for (const as of ['lecturer2@example.com', 'learner001@example.org']) {
      const reply = await change(as)
      expect([reply.status < 428, reply.headers.get('etag')]).toEqual([true, null])
    }
    await api.send(`/api/v1/posts/${post.id}/publish`, { as: actor, method: 'POST', body: {} })
    const reply = await change('lecturer2@example.com')
    expect([reply.status, reply.headers.get('etag')]).toEqual([403, null])
  })
})
