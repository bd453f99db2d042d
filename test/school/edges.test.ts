import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { newId } from '../../src/base/ids.ts'
import { problems } from '../../src/base/problem.ts'
import { defineResource } from '../../src/engine/declare/defineResource.ts'
import { everything } from '../../src/engine/declare/expressions.ts'
import { reference } from '../../src/engine/declare/fields.ts'
import type { Resource } from '../../src/engine/declare/resource.ts'
import { listFingerprint, seal } from '../../src/engine/read/cursor.ts'
import { operationsIn, resources, scopeCatalogue } from '../../src/school/index.ts'
import { databasesToTest } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { openApiDocument } from '../support/openApi.ts'
import { allScopes, startDemoApi } from './demoApi.ts'

const everyone = { anonymous: everything, learner: everything, lecturer: everything, staff: everything }
const title = z.string().meta({ description: 'Title.', example: 'Clay' })

/** Resolves when the first call is inside. That call continues when the test releases it. */
const first = Promise.withResolvers<void>()
const goOn = Promise.withResolvers<void>()

/** Made up: books that have chapters, and chapters that have a book. */
const books = defineResource({
  name: 'books',
  object: 'book',
  idPrefix: 'boo',
  table: 'course',
  about: 'What is read.',
  scopes: { read: 'See books', write: 'Change books' },
  schema: z.object({ title }),
  filters: [
    {
      name: 'slow',
      description: 'anything, slowly',
      value: z.string(),
      where: () => sql<boolean>`(SELECT pg_sleep(10)) IS NOT NULL`,
    },
  ],
  sorts: ['title'],
  expand: { chapters: { resource: (): Resource => chapters, by: 'course_id' } },
  visibility: everyone,
  operations: { list: 'read', get: 'read' },
  collectionActions: {
    print: {
      scope: 'write',
      summary: 'Print them all',
      input: z.object({}),
      output: z.object({ printed: z.boolean().meta({ description: 'Whether it is done.', example: true }) }),
      async run() {
        first.resolve()
        await goOn.promise
        return { printed: true }
      },
    },
  },
})

const chapters = defineResource({
  name: 'chapters',
  object: 'chapter',
  idPrefix: 'cha',
  table: 'section',
  about: 'A part of a book.',
  scopes: { read: 'See chapters' },
  schema: z.object({ title, course_id: reference('crs', 'The book.') }),
  sorts: ['created_at'],
  expand: { book: { resource: (): Resource => books, id: (row) => row.course_id } },
  visibility: everyone,
  operations: { list: 'read' },
})

const operations = operationsIn([...resources, books, chapters])
const scopes = [...allScopes, 'books:read', 'books:write', 'chapters:read']
const owner = { as: 'owner@example.com', scopes }

const facts = { issuer: 'https://school.example', name: 'First', contactEmail: null, supportUrl: null }
const { components } = openApiDocument({ operations, scopes: scopeCatalogue(resources) }, facts)
const ajv = new Ajv({ strict: false })
addFormats.default(ajv)
const isError = ajv.compile(components.schemas.ApiError as object)

describe.each(await databasesToTest())('edges of the API on $name', ({ name, open }) => {
  const api = duringTests(async () => startDemoApi(await open(), operations))
  beforeAll(async () => {
    await api.database.sql.query(
      `INSERT INTO section (school_id, id, course_id, title, position, updated_at)
       SELECT school_id, gen_random_uuid(), id, 'Chapter ' || n, 1000 + n, now() FROM course, generate_series(1, 25) n
        WHERE school_id = $1 AND slug = 'clay-from-scratch'`,
      [api.school.id],
    )
  })

  test('an expansion lists up to twenty rows that name the row, and says where there are more', async () => {
    const { json } = await api.get(`/api/v1/books/${await idOf()}?expand=chapters`, owner)
    const found = json.chapters as { data: { object: string }[]; has_more: boolean }
    expect([found.data.length, found.has_more, found.data[0]?.object]).toEqual([20, true, 'chapter'])
  })

  test('an expansion goes one step further, and no two', async () => {
    const id = await idOf()
    const { json } = await api.get(`/api/v1/books/${id}?expand=chapters.book&fields=title`, owner)
    const found = json.chapters as { data: { book: { id: string } }[] }
    expect(found.data.map(({ book }) => book.id)).toEqual(Array(20).fill(id))
    expect((await api.get(`/api/v1/books/${id}?expand=chapters.book.chapters`, owner)).json.error).toBe('invalid_parameter')
    const lacking = await api.get(`/api/v1/books/${id}?expand=chapters.book`, { ...owner, scopes: ['books:read'] })
    expect([lacking.status, lacking.headers.get('www-authenticate')]).toEqual([403, expect.stringContaining('chapters:read')])
  })

  test('a position in the feed that is older than the feed is gone: 410, not a gap', async () => {
    const fingerprint = listFingerprint(['changes', api.school.id, ['course']])
    const cursorOf = (daysAgo: number) => seal(api.signer, [fingerprint, '0', newId(), Date.now() - daysAgo * 86_400_000])
    const at = (daysAgo: number) => api.get(`/api/v1/changes?types=course&cursor=${cursorOf(daysAgo)}`, owner)
    expect(await at(31)).toMatchObject({ status: 410, json: { error: 'cursor_expired' } })
    expect((await at(29)).status).toBe(200)
  })

  test('a list says how long it is up to ten thousand, and beyond that no more than that', async () => {
    await api.database.sql.query(
      `INSERT INTO section (school_id, id, course_id, title, position, updated_at)
       SELECT school_id, gen_random_uuid(), id, 'Many', 2000 + n, now() FROM course, generate_series(1, 10000) n
        WHERE school_id = $1 AND slug = 'clay-from-scratch'`,
      [api.school.id],
    )
    const { json } = await api.get('/api/v1/chapters?include=total_count&limit=1', owner)
    expect((json.page as { total: object }).total).toEqual({ count: 10_000, relation: 'gte' })
  })

  if (name === 'postgresql') {
    test('a second request under a key whose first is still running is rejected, and gets the first response afterwards', async () => {
      const print = () => api.send('/api/v1/books/print', { ...owner, body: {}, headers: { 'idempotency-key': 'once' } })
      const running = print()
      await first.promise
      const second = await print()
      expect(second).toMatchObject({ status: 409, json: { error: 'idempotency_in_progress' } })
      expect(second.headers.get('retry-after')).toBe('1')
      goOn.resolve()
      expect((await running).json).toEqual({ printed: true })
      const third = await print()
      expect([third.json, third.headers.get('idempotent-replayed')]).toEqual([{ printed: true }, 'true'])
    })

    test('a question that takes longer than three seconds is ended and refused', async () => {
      expect(await api.get('/api/v1/books?slow=x', owner)).toMatchObject({ status: 422, json: { error: 'query_too_expensive' } })
    })
  }

  test('every error has the same form, and a code of the table', async () => {
    const id = await idOf()
    const refusals = await Promise.all([
      api.get('/api/v1/nothing'),
      api.get('/api/v1/courses?limit=0'),
      api.get('/api/v1/courses/crs_x'),
      api.get('/api/v1/courses/none'),
      api.get('/api/v1/courses?cursor=x'),
      api.get('/api/v1/account'),
      api.get('/api/v1/courses', { as: 'nobody@example.com' }),
      api.get('/api/v1/courses', { ...owner, scopes: ['openid'] }),
      api.get('/api/v1/courses', { headers: { accept: 'image/png' } }),
      api.send('/api/v1/courses', { method: 'PUT' }),
      api.send('/api/v1/courses', { ...owner, body: '{' }),
      api.send('/api/v1/courses', { ...owner, body: {} }),
      api.send('/api/v1/courses', { ...owner, body: { title: 'x', titel: 'y', id: 'z' } }),
      api.send('/api/v1/courses', { ...owner, body: 'x', headers: { 'content-type': 'text/plain' } }),
      api.send('/api/v1/courses', { ...owner, body: `"${'x'.repeat(1_100_000)}"` }),
      api.send('/api/v1/school', { ...owner, method: 'PATCH', body: { social_links: [] } }),
      api.send(`/api/v1/courses/${id.replace('boo_', 'crs_')}`, { ...owner, method: 'PATCH', body: {}, headers: { 'if-match': '"99-s"' } }),
    ])
    for (const { status, json } of refusals) {
      expect([status, json, isError(json)]).toEqual([problems[json.error as keyof typeof problems]?.status, json, true])
    }
    expect(new Set(refusals.map(({ status }) => status)).size).toBeGreaterThan(9)
  })

  async function idOf(): Promise<string> {
    const { json } = await api.get('/api/v1/courses/clay-from-scratch', owner)
    return String(json.id).replace('crs_', 'boo_')
  }
})
