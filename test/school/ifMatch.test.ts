// Proves RFC 6585 section 3: `If-Match` is required only where a whole document or list is replaced; the 428 names the read and has the current ETag, and no caller who may not change the row gets it

import { beforeAll, expect, test } from 'vitest'
import { isStreamed, type Operation } from '../../src/engine/declare/operations.ts'
import { operationsIn, resources } from '../../src/school/index.ts'
import { createSubjects, type Subjects } from './derived/createSubjects.ts'
import { actor, everyWrite } from './derived/everyWrite.ts'
import { describeDemoOn } from './describeDemo.ts'

const conditional = everyWrite.flatMap((operation) =>
  'needsIfMatch' in operation && operation.needsIfMatch ? [{ id: operation.id, operation, needs: operation.needsIfMatch }] : [],
)

describeDemoOn('first', 'If-Match on $name', (api) => {
  let subjects: Subjects
  beforeAll(() => {
    subjects = createSubjects(api)
  })

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

  const updates = everyWrite.filter((one) => one.kind === 'update' && one.resource.operations.get !== undefined)
  const form = (path: string): string => path.replace(/\{\w+\}/g, '{}')
  const reads = operationsIn(resources).filter(({ method }) => method === 'GET')
  /** Everything that can be read of the row, of what is below it and of its list, whole and in part. */
  const readsOf = ({ path, resource }: Operation): string[] => {
    const found = reads.filter(
      (one) => one.resource === resource && (form(one.path).startsWith(form(path)) || form(path).startsWith(`${one.path}/`)),
    )
    const paths = found.filter((one) => one.path.split('{').length <= 2 && !isStreamed(one)).map((one) => form(one.path))
    const parts = ['fields=id', ...Object.keys(resource.expansions).map((name) => `expand=${name}`)]
    return [...paths, ...parts.map((query) => `${form(path)}?${query}`)]
  }

  test.each(updates)(
    '$id takes the ETag of every read of the row, whole or in part; 412 for that of a list leads to one that it takes',
    async (operation) => {
      const id = await subjects.subjectOf(operation)
      const path = subjects.addressOf(operation, id)
      for (const read of readsOf(operation)) {
        const seen = await api.get(read.replace('{}', id), { as: actor })
        const etag = seen.headers.get('etag')
        if (etag === null) continue
        const change = async (tag: string) => {
          const sending = await subjects.sendingFor(operation, id)
          return await api.send(path, { ...sending, as: actor, method: 'PATCH', headers: { ...sending.headers, 'if-match': tag } })
        }
        const changed = await change(etag)
        if (!etag.startsWith('W/')) {
          expect([read, changed.status, changed.json.error]).toEqual([read, 200, undefined])
          if (changed.headers.get('etag')?.split('-')[0] !== etag.split('-')[0])
            expect([read, (await change(etag)).status]).toEqual([read, 412])
          continue
        }
        expect([read, changed.status, changed.json.error_description]).toEqual([
          read,
          412,
          expect.stringMatching(/^If-Match has the ETag of another response, such as a list\. GET \S+, then repeat/),
        ])
        expect([read, (await change(String(changed.headers.get('etag')))).status]).toEqual([read, 200])
      }
    },
  )

  test('the ETag of a list changes no row: 412 says so, and has the one that does', async () => {
    const { id } = (await api.send('/api/v1/courses', { as: actor, method: 'POST', body: { title: 'Listed' } })).json
    const list = String((await api.get('/api/v1/courses', { as: actor })).headers.get('etag'))
    const change = (etag: string) =>
      api.send(`/api/v1/courses/${id}`, { as: actor, method: 'PATCH', body: { title: 'Changed' }, headers: { 'if-match': etag } })
    const refused = await change(list)
    const etag = String(refused.headers.get('etag'))
    expect([refused.status, refused.json.error]).toEqual([412, 'precondition_failed'])
    expect(refused.json.error_description).toBe(
      `If-Match has the ETag of another response, such as a list. GET /api/v1/courses/${id}, then repeat with If-Match: <its ETag>.`,
    )
    expect((await change(etag)).status).toBe(200)
    expect((await change(etag)).json.error_description).toContain('has changed since you read it')
  })

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
