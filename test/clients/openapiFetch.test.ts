// Proves OpenAPI 3.0: A client typed by openapi-typescript and openapi-fetch for JSON compiles and works

import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAgent, personCalled } from '../support/agent.ts'
import { startService, type TestService } from '../support/service.ts'
import { openApiTypes } from './openApiTypes.ts'

const root = resolve(import.meta.dirname, '../..')
const run = promisify(execFile)

let service: TestService
let directory: string
beforeAll(async () => {
  service = await startService()
  directory = await mkdtemp(join(tmpdir(), 'schoolgate-types-'))
  await symlink(join(root, 'node_modules'), join(directory, 'node_modules'))
  await writeFile(join(directory, 'package.json'), '{"type":"module"}')
})
afterAll(async () => {
  await rm(directory, { recursive: true, force: true })
  await service?.stop()
})

/** A client as an integrator writes it. It prints its responses. */
const client = `
import createClient from 'openapi-fetch'
import type { components, operations, paths } from './api.d.ts'

const [baseUrl = '', token = ''] = process.argv.slice(2)
const api = createClient<paths, 'application/json'>({ baseUrl, headers: { authorization: \`Bearer \${token}\` } })

const created: string[] = []
for (const title of ['Bread', 'Clay', 'Wood']) {
  const { data, error } = await api.POST('/api/v1/courses', {
    params: { header: { 'Idempotency-Key': \`create-\${title}\` } },
    body: { title },
  })
  if (error) throw new Error(error.error_description)
  created.push(data.id)
}
const again = await api.POST('/api/v1/courses', {
  params: { header: { 'Idempotency-Key': 'create-Bread' } },
  body: { title: 'Bread' },
})

const listed: string[] = []
let pages = 0
let cursor: string | undefined
do {
  const { data, error } = await api.GET('/api/v1/courses', { params: { query: { limit: 2, ...(cursor ? { cursor } : {}) } } })
  if (error) throw new Error(error.error_description)
  listed.push(...data.data.map(({ title }) => title))
  cursor = data.page.next_cursor ?? undefined
  pages += 1
} while (cursor !== undefined)

const refused = await api.POST('/api/v1/courses', { body: { title: '' } })
const fields = refused.error?.details?.map(({ field }) => field)

const [id = ''] = created
const found = await api.GET('/api/v1/courses/{id_or_slug}', { params: { path: { id_or_slug: id } } })
const etag = found.response.headers.get('etag') ?? ''
const patched = await api.PATCH('/api/v1/courses/{id_or_slug}', {
  params: { path: { id_or_slug: id }, header: { 'If-Match': etag } },
  body: { subtitle: 'From flour to loaf' },
})
const late = await api.PATCH('/api/v1/courses/{id_or_slug}', {
  params: { path: { id_or_slug: id }, header: { 'If-Match': etag } },
  body: { subtitle: null },
})
const removed = await api.DELETE('/api/v1/courses/{id_or_slug}', { params: { path: { id_or_slug: id } } })

console.log(JSON.stringify({
  created: created.length,
  again: again.data?.id === id,
  listed,
  pages,
  refused: [refused.response.status, refused.error?.error, fields],
  patched: [patched.data?.subtitle, patched.data?.title, patched.data?.description_format],
  late: [late.response.status, late.error?.error],
  removed: removed.response.status,
}))

// Every member of these bodies is optional, including members with a default.
type Body<Name extends keyof operations> = operations[Name] extends { requestBody: { content: { 'application/json': infer Sent } } } ? Sent : never
export const anyPatch: Body<'updateCourse'> & Body<'updatePost'> & Body<'updateEvent'> & Body<'updateSchool'> = {}
export const newPost: Body<'createPost'> = { title: 'News' }
export const titleOf = (course: components['schemas']['Course']): string => course.title
type Query = NonNullable<operations['listCourses']['parameters']['query']>
export const asked: Query = { limit: 5, 'created_at[gte]': '2026-03-01T00:00:00Z', status: ['published'] }
// @ts-expect-error there is no such parameter
export const wrong: Query = { limitt: 5 }
// @ts-expect-error there is no such field
export const wrongBody: Body<'updateCourse'> = { titel: 'Bread' }
`

describe('a client typed by openapi-typescript, with openapi-fetch, both with their default settings', () => {
  test('compiles, and lists, pages, creates once per Idempotency-Key, reads the fields of a 422, patches by If-Match and deletes', async () => {
    await writeFile(join(directory, 'api.d.ts'), await openApiTypes(service.issuer))
    await writeFile(join(directory, 'client.ts'), client)
    const compiler = join(root, 'node_modules/.bin/tsc')
    const options = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--types', 'node']
    const files = [join(directory, 'client.ts'), join(directory, 'api.d.ts')]
    // A compiler that finds something exits with an error, and the promise rejects with its output.
    await expect(run(compiler, [...options, '--allowImportingTsExtensions', ...files])).resolves.toMatchObject({ stdout: '' })

    await service.addPerson({ email: 'owner@example.com', role: 'owner' })
    const agent = await createAgent(service.issuer)
    const scope = 'openid courses:read courses:write'
    const { body: tokens } = await agent.tokens(personCalled('owner@example.com'), { scope }, { scopes: 'all' })
    const { stdout } = await run(process.execPath, [join(directory, 'client.ts'), service.issuer, tokens.access_token])
    expect(JSON.parse(stdout)).toEqual({
      created: 3,
      again: true,
      listed: ['Wood', 'Clay', 'Bread'],
      pages: 2,
      refused: [422, 'validation_failed', ['title']],
      patched: ['From flour to loaf', 'Bread', 'markdown'],
      late: [412, 'precondition_failed'],
      removed: 204,
    })
  })
})
