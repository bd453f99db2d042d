import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { defineResource } from '../../src/engine/declare/defineResource.ts'
import { everything } from '../../src/engine/declare/expressions.ts'
import { findInCatalogue, searchedResources } from '../../src/engine/mcp/search.ts'
import { searchOf } from '../../src/engine/output/search.ts'
import { operationsIn, resources } from '../../src/school/index.ts'
import { newComment, newPost } from '../support/community.ts'
import { databasesToTest, everyDatabase } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { newFile } from '../support/files.ts'
import { newSchool } from '../support/rows.ts'
import { allScopes, type DemoApi, type Reply, startDemoApi } from './demoApi.ts'

/** Made up: rows whose visibility takes long to decide. */
const slowThings = defineResource({
  name: 'slow_things',
  object: 'slow_thing',
  idPrefix: 'slo',
  table: 'course',
  about: 'What takes long to find.',
  scopes: { read: 'See slow things' },
  schema: z.object({ title: z.string().meta({ description: 'Title.', example: 'Clay' }) }),
  sorts: ['title'],
  search: ['title'],
  visibility: {
    anonymous: everything,
    learner: everything,
    lecturer: everything,
    staff: () => sql<boolean>`(SELECT pg_sleep(10)) IS NOT NULL`,
  },
  operations: { list: 'read', get: 'read' },
})

const operations = operationsIn([...resources, slowThings])
const { types } = searchOf(operationsIn(resources))
const owner = { as: 'owner@example.com' }

interface Result {
  object: string
  type: string
  id: string
  title: string
  url: string
}
const resultsOf = ({ json }: Reply): Result[] => json.data as Result[]
const typesIn = (reply: Reply): string[] => [...new Set(resultsOf(reply).map(({ type }) => type))].toSorted()

describe.each(await databasesToTest())('the search of all types, on $name', ({ name, open }) => {
  const api = duringTests(async () => startDemoApi(await open(), operations, undefined, { isWhole: true }))
  const search = (query: string, options: Parameters<DemoApi['get']>[1] = owner) => api.get(`/api/v1/search?${query}`, options)

  beforeAll(async () => {
    const { sql: statements } = api.database
    await newFile(statements, api.school.id, { filename: 'quokka.webp' })
    const post = await newPost(statements, api.school.id, { slug: 'quokka-post' })
    await newComment(statements, api.school.id, { type: 'post', id: post }, { body: `Quokka ${'and again '.repeat(60)}`, status: 'hidden' })
    const course = await api.send('/api/v1/courses', { ...owner, body: { title: 'Drawing a quokka', slug: 'quokka' } })
    const student = await api.send('/api/v1/students', { ...owner, body: { name: 'Quokka Reed', email: 'reed@example.org' } })
    expect([course.status, student.status]).toEqual([201, 201])
    await newFile(statements, await newSchool(statements), { filename: 'quokka-elsewhere.webp' })
  })

  test('returns rows of several types, drafts and hidden ones too, with a title and a URL at which the API returns the row', async () => {
    const found = await search('q=quokka')
    expect(found.status).toBe(200)
    expect(resultsOf(found).map(({ type, title }) => [type, title])).toEqual([
      ['course', 'Drawing a quokka'],
      ['student', 'Quokka Reed'],
      ['post', expect.any(String)],
      ['comment', expect.stringMatching(/^Quokka and again .{100,185}…$/)],
      ['file', 'quokka.webp'],
    ])
    expect(found.json.page).toEqual({ limit: 5, has_more: false, next_cursor: null, prev_cursor: null })
    for (const { object, type, id, url } of resultsOf(found)) {
      expect(object).toBe('search_result')
      const row = await api.get(url.replace(api.school.issuer, ''), owner)
      expect(row).toMatchObject({ status: 200, json: { object: type, id } })
    }
  })

  test('covers every type whose list takes q', () => {
    const searched = operationsIn(resources).filter(
      (one) => one.kind === 'list' && !one.parent && one.parameters.some((parameter) => parameter.name === 'q'),
    )
    expect([...types.keys()].toSorted()).toEqual(searched.map(({ resource }) => resource.object).toSorted())
  })

  test.each([...types])('of %s returns what its list returns with the same q', async (type, { resource, path }) => {
    const list = path.replace(/\/\{\w+\}$/, '')
    const [row] = (await api.get(`${list}?limit=1`, owner)).json.data as Record<string, string>[]
    const text = resource.search.map(({ column }) => row?.[column]).find((value) => value != null && value.length > 1)
    const q = encodeURIComponent(String(text).slice(0, 3).trim())
    const listed = (await api.get(`${list}?limit=20&q=${q}`, owner)).json as { data: { id: string }[]; page: { has_more: boolean } }
    expect(listed.data.length).toBeGreaterThan(0)
    const found = await search(`limit=20&types=${type}&q=${q}`, { ...owner, scopes: [String(types.get(type)?.scope)] })
    expect(resultsOf(found).map(({ id }) => id)).toEqual(listed.data.map(({ id }) => id))
    expect(found.json.page).toMatchObject({ limit: 20, has_more: listed.page.has_more })
  })

  test('returns up to the limit of each type, and says if a type has more', async () => {
    const found = await search('q=er&types=course,student&limit=1')
    expect(resultsOf(found).map(({ type }) => type)).toEqual(['course', 'student'])
    expect(found.json.page).toEqual({ limit: 1, has_more: true, next_cursor: null, prev_cursor: null })
  })

  test('without types, returns only those whose scope the token has', async () => {
    const as = 'admin1@example.com'
    expect(typesIn(await search('q=quokka', { as, scopes: ['courses:read', 'account:read'] }))).toEqual(['course'])
    expect(typesIn(await search('q=quokka', { as, scopes: ['students:read', 'storage:write'] }))).toEqual(['file', 'student'])
    expect(typesIn(await search('q=quokka', { as, scopes: ['orders:read'] }))).toEqual([])
  })

  test('refuses types without their scope, and a token without any of the scopes, and names the scopes', async () => {
    const refused = await search('q=quokka&types=course,student', { ...owner, scopes: ['courses:read'] })
    expect(refused).toMatchObject({ status: 403, json: { error: 'insufficient_scope' } })
    expect(refused.headers.get('www-authenticate')).toContain('scope="courses:read students:read"')
    const none = await search('q=quokka', { ...owner, scopes: ['account:read'] })
    expect(none).toMatchObject({ status: 403, json: { error: 'insufficient_scope' } })
    expect(none.headers.get('www-authenticate')).toContain('students:read')
  })

  test.each([
    ['a lecturer', 'lecturer1@example.com'],
    ['a learner', 'learner001@example.org'],
    ['a visitor', undefined],
  ])('refuses %s, and names q of the lists', async (_, as) => {
    for (const query of ['q=quokka', 'q=quokka&types=course', '']) {
      const refused = await search(query, { as, scopes: allScopes })
      expect(refused).toMatchObject({ status: 403, json: { error: 'access_denied' } })
      expect(refused.json.error_description).toContain('Search one type with q of its list: /api/v1/courses?q=text.')
      expect(refused.text).not.toMatch(/quokka/i)
    }
  })

  test.each([
    ['', 'q'],
    ['q=a', 'q'],
    ['q=quokka&limit=21', 'limit'],
    ['q=quokka&types=person', 'types'],
    ['q=quokka&cursor=x', 'cursor'],
    ['search=quokka', 'search'],
  ])('rejects the parameters "%s" and names %s', async (query, field) => {
    const refused = await search(query)
    expect(refused).toMatchObject({ status: 400, json: { error: 'invalid_parameter' } })
    expect(refused.json.details).toContainEqual(expect.objectContaining({ field }))
  })

  if (name === 'postgresql') {
    test('that takes longer than three seconds is ended and refused', async () => {
      await api.database.sql.query(
        `INSERT INTO search_document (school_id, type, id, text) SELECT school_id, 'slow_thing', id, text FROM search_document WHERE type = 'course'`,
      )
      const refused = await search('q=quokka', { ...owner, scopes: ['slow_things:read'] })
      expect(refused).toMatchObject({ status: 422, json: { error: 'query_too_expensive' } })
    })
  }
})

const as = 'owner@example.com'

/** A title, and what people type to find it. */
const searches: readonly [title: string, ...asked: string[]][] = [
  ['Bergsteigen in Zürich', 'Zuerich', 'Zurich', 'zürich', 'Zürich'.normalize('NFD')],
  ['Wandern um Mueller', 'Müller'],
  ['Iğdır ışık', 'isik', 'IŞIK', 'igdir'],
  ['Víkingar á þingi', 'thing', 'þing'],
  ['Đặng học đàn', 'dang', 'Đặng'],
  ['Smørrebrød', 'smorrebrod'],
  ['العَرَبِيَّة', 'العربية'],
  ['שָׁלוֹם', 'שלום'],
  ['鯨の歌', '鯨', '歌'],
  ['고래 노래', '고'],
  ['Łódź', 'lodz'],
]

describe.each(await everyDatabase())('a search finds other spellings, on $name', ({ open }) => {
  const api = duringTests(async () => startDemoApi(await open()))
  beforeAll(async () => {
    for (const [index, title] of [...searches.map(([title]) => title), 'Blumen binden'].entries()) {
      const { status } = await api.send('/api/v1/events', {
        as,
        body: {
          title,
          slug: `event-${index}`,
          kind: 'online',
          starts_at: '2026-09-01T10:00:00Z',
          ends_at: '2026-09-01T11:00:00Z',
          join_url: 'https://meet.example/x',
        },
      })
      expect(status).toBe(201)
    }
    await api.database.sql.query("UPDATE event SET status = 'published', published_at = now() WHERE status = 'draft' AND school_id = $1", [
      api.school.id,
    ])
  })

  test.each(searches.flatMap(([title, ...asked]) => asked.map((text) => [title, text] as const)))(
    '%s is found by %s, in a list',
    async (title, text) => {
      const list = await api.get(`/api/v1/events?q=${encodeURIComponent(text)}&fields=title`, { as })
      expect([list.status, (list.json.data as { title: string }[]).map((row) => row.title)]).toEqual([200, [title]])
    },
  )

  test('two letters are needed only in scripts with letters', async () => {
    for (const text of ['a', 'ж', 'ع', ' ', '1'])
      expect((await api.get(`/api/v1/events?q=${encodeURIComponent(text)}`, { as })).status).toBe(400)
    for (const text of ['か', 'カ', '한', '鯨', '𠮷'])
      expect((await api.get(`/api/v1/events?q=${encodeURIComponent(text)}`, { as })).status).toBe(200)
  })

  test('a spelling does not find other words', async () => {
    const list = await api.get('/api/v1/events?q=blue&fields=title', { as })
    expect(list.json.data).toEqual([])
  })

  test('the search of the catalogue finds them too', async () => {
    const searched = searchedResources(operationsIn(resources)).filter(({ name }) => name === 'events')
    for (const [title, ...asked] of searches)
      for (const query of asked) {
        const { hits } = await findInCatalogue(searched, { query, limit: 10 }, {
          database: api.database.kysely,
          school: api.school,
        } as never)
        expect([query, hits.map((hit) => hit.title)]).toEqual([query, [title]])
      }
  })
})
