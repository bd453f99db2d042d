// Proves OpenAI MCP documentation: `search` and `fetch` have the shapes of ChatGPT connectors

import { describe, expect, test } from 'vitest'
import { isFound, soughtPatterns, wordsOf, wordsQuery } from '../../../src/database/statements/catalogueSearch.ts'
import { type DemoApi, startDemoApi } from '../../school/demoApi.ts'
import { newEvent, newPost } from '../../support/community.ts'
import { databasesToTest, everyDatabase, openTestDatabase } from '../../support/databases.ts'
import { duringTests } from '../../support/duringTests.ts'
import { addDocuments } from '../../support/rows.ts'
import { callTool } from './rpc.ts'

interface Result {
  type: string
  id: string
  slug: string
  title: string
  url: string
  snippet: string | null
}

interface Found {
  results: Result[]
  truncated: boolean
  hint?: string
}

// Every database: the text search of PostgreSQL depends on its version and locale.
describe.each(await everyDatabase())('a search on $name', ({ open }) => {
  const api = duringTests(async () => startDemoApi(await open()))
  const search = async (query: string, more: object = {}): Promise<Found> =>
    (await callTool(api.school.issuer, 'search_catalog', { query, ...more })).structuredContent
  const slugs = async (query: string, more?: object): Promise<string[]> => (await search(query, more)).results.map(({ slug }) => slug)
  const sql = (text: string, values: unknown[] = []) => api.database.sql.query(text, values)

  test.each([
    ['pots', 'clay-from-scratch'],
    ['pottery', 'clay-from-scratch'],
    ['POTS', 'clay-from-scratch'],
    ['clay scratch', 'clay-from-scratch'],
    ['scratch clay', 'clay-from-scratch'],
    ['clay, scratch!', 'clay-from-scratch'],
    ['glaze chemistry fear', 'glaze-chemistry-without-fear'],
    ['glazing chemistry', 'glaze-chemistry-without-fear'],
    ['chair make', 'make-one-chair'],
    ['making a chair', 'make-one-chair'],
    ['bread', 'the-slow-loaf'],
    ['pottery for beginners', 'clay-from-scratch'],
  ])('for "%s" has the course that a person means in the first place', async (query, slug) => {
    const { results, hint } = await search(query)
    expect([results[0]?.slug, hint]).toEqual([slug, undefined])
  })

  test('finds by title, tag, category, level and description', async () => {
    await sql(
      `UPDATE course SET description = 'We build a zzkiln.', tags = ARRAY['zztag'], category = 'zzcategory' WHERE school_id = $1 AND slug = 'make-one-chair'`,
      [api.school.id],
    )
    for (const query of ['zzkiln', 'zztag', 'zzcategory', 'zztag zzkiln chair'])
      expect([query, await slugs(query)]).toEqual([query, ['make-one-chair']])
    const beginners = await slugs('beginner', { types: ['course'], limit: 25 })
    const { json } = await api.get('/api/v1/courses?level=beginner&limit=100')
    expect(beginners).toEqual(expect.arrayContaining((json.data as Result[]).map(({ slug }) => slug)))
  })

  test('understands the languages of the school: words of one stem, compounds, and words without their umlauts', async () => {
    await sql(`UPDATE school SET locale = 'de', supported_locales = ARRAY['en'] WHERE id = $1`, [api.school.id])
    await sql(
      `UPDATE course SET title = 'Töpferkurs für Anfänger', subtitle = 'Bücher, Straße, café' WHERE school_id = $1 AND slug = 'indigo-and-madder'`,
      [api.school.id],
    )
    for (const query of ['Töpfern', 'toepfern', 'töpfer', 'ANFÄNGER', 'Töpferkurse für den Anfänger', 'Buch', 'Strasse', 'cafe', 'CAFÉ'])
      expect([query, await slugs(query)]).toEqual([query, ['indigo-and-madder']])
  })

  test('puts a title before a tag, and a tag before a description', async () => {
    for (const [column, slug] of [
      ['description', 'clay-from-scratch'],
      ['category', 'the-slow-loaf'],
      ['title', 'sharp-hand-tool-basics'],
    ])
      await sql(`UPDATE course SET ${column} = 'yywheel' WHERE school_id = $1 AND slug = $2`, [api.school.id, slug])
    expect(await slugs('yywheel')).toEqual(['sharp-hand-tool-basics', 'the-slow-loaf', 'clay-from-scratch'])
  })

  test('that finds no row with every word returns those with some, and says so; one that finds nothing says what to try', async () => {
    const some = await search('chair for astronauts')
    expect([some.results[0]?.slug, some.hint]).toEqual(['make-one-chair', expect.stringContaining('every word')])
    const none = await search('qqqqq')
    expect([none.results, none.truncated, none.hint]).toEqual([[], false, expect.stringContaining('list_categories')])
    // A part of a word, and a language without spaces.
    expect(await slugs('hemistr')).toEqual(['glaze-chemistry-without-fear'])
    await sql(`UPDATE course SET title = '陶芸入門' WHERE school_id = $1 AND slug = 'make-one-chair'`, [api.school.id])
    expect(await slugs('入門')).toEqual(['make-one-chair'])
  })

  test('never finds a row by a text that visitors cannot read', async () => {
    for (const access of ['members', 'public']) await newEvent(api.database.sql, api.school.id, { access })
    await newPost(api.database.sql, api.school.id, { visibility: 'paid', text: 'xxsecret' })
    await sql(
      `UPDATE event SET title = 'xxtitle', description = CASE WHEN access = 'public' THEN 'xxpublic' ELSE 'xxsecret' END WHERE school_id = $1`,
      [api.school.id],
    )
    await sql(
      `UPDATE post SET title = 'xxtitle', automatic_excerpt = 'xxsecret', excerpt = NULL WHERE school_id = $1 AND visibility <> 'public'`,
      [api.school.id],
    )
    await sql(`UPDATE course SET title = 'xxsecret' WHERE school_id = $1 AND status = 'draft'`, [api.school.id])
    expect((await search('xxsecret')).results).toEqual([])
    for (const list of ['events', 'posts', 'courses']) expect((await api.get(`/api/v1/${list}?q=xxsecret`)).json.data).toEqual([])
    const types = (await search('xxtitle', { limit: 25 })).results.map(({ type }) => type)
    expect([...new Set(types)].toSorted()).toEqual(['event', 'post'])
    expect((await search('xxpublic')).results.length).toBeGreaterThan(0)
  })

  test('of a list finds by the same words, together with filters', async () => {
    const { json } = await api.get('/api/v1/courses?q=fear%20glazes')
    expect((json.data as Result[]).map(({ slug }) => slug)).toEqual(['glaze-chemistry-without-fear'])
    const listed = await callTool(api.school.issuer, 'list_courses', { q: 'glazing chemistry', level: 'beginner' })
    expect(listed.structuredContent.data).toEqual([])
  })

  test('takes any text, and no word of it is an operator', async () => {
    for (const query of [
      "'; DROP",
      "clay'",
      'clay & | ! <-> :*',
      '(((',
      '\\\\',
      "''",
      '\u0301\u0301',
      '陶 芸',
      'a'.repeat(200),
      '🏺🏺',
      '%_',
      'ß'.repeat(200),
    ]) {
      const answer = await callTool(api.school.issuer, 'search_catalog', { query })
      expect([query, answer.isError ?? false]).toEqual([query, false])
    }
    expect(await slugs('glaze & | ! chemistry')).toEqual(['glaze-chemistry-without-fear'])
    for (const query of ['x', ' ', 'a\0b', '\ud800 x', 'a'.repeat(201), 5, null]) {
      const answer = await callTool(api.school.issuer, 'search_catalog', { query })
      expect([query, answer.isError]).toEqual([query, true])
    }
  })
})

const api = duringTests(async () => startDemoApi(await openTestDatabase()))
const call = (name: string, values: object) => callTool(api.school.issuer, name, values)

interface SearchResult {
  id: string
  title: string
  url: string
}

test('search returns ids, titles and URLs only, as JSON in one text and as structured content', async () => {
  const { content, structuredContent } = await call('search', { query: 'clay' })
  expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }])
  expect(Object.keys(structuredContent)).toEqual(['results'])
  for (const result of structuredContent.results) expect(Object.keys(result)).toEqual(['id', 'title', 'url'])
  expect(structuredContent.results[0].title).toBe('Clay From Scratch')
  expect((await call('search', { query: 'qqqqq' })).structuredContent).toEqual({ results: [] })
})

test('fetch returns the document of every result of search, with the URL that search gave', async () => {
  const found: SearchResult[] = []
  for (const query of ['clay', 'glaze', 'craft', 'about', 'marlo', 'workbench', 'all'])
    found.push(...(await call('search', { query })).structuredContent.results)
  expect(new Set(found.map(({ id }) => id.slice(0, 3))).size).toBeGreaterThan(2)
  for (const { id, title, url } of found) {
    const { content, structuredContent: document } = await call('fetch', { id })
    expect(document).toEqual({
      id,
      title,
      url,
      text: expect.stringContaining(`# ${title}`),
      metadata: expect.objectContaining({ type: expect.any(String), updated_at: expect.any(String) }),
    })
    expect(JSON.parse(content[0].text)).toEqual(document)
    // The URL is the page that people open: products have none.
    const { pathname } = new URL(url)
    const resource = { crs: 'courses', evt: 'events', lec: 'lecturers', pst: 'posts', mpl: 'membership_plans', pag: 'pages' }[
      id.slice(0, 3)
    ]
    expect(pathname).toMatch(resource ? /^\/(courses|events|lecturers|posts|plans|pages)\// : /^\/api\/v1\//)
    const row = resource ? `/api/v1/${resource}/${pathname.split('/').slice(2).join('%2F')}` : pathname
    expect((await api.get(row)).json.id).toBe(id)
  }
})

test('fetch bounds a long document, and says where it continues', async () => {
  await api.database.sql.query(
    `UPDATE course SET description = repeat('Clay. ', 3000) WHERE school_id = $1 AND slug = 'clay-from-scratch'`,
    [api.school.id],
  )
  const { id } = (await call('search', { query: 'clay scratch' })).structuredContent.results[0]
  const { content, structuredContent } = await call('fetch', { id })
  expect(content[0].text.length).toBeLessThanOrEqual(20_000)
  expect(structuredContent.text).toMatch(/The text continues at http\S+\/courses\/clay-from-scratch$/)
})

test('fetch knows no id of anything that visitors do not see, and says what an id is', async () => {
  const { json } = await api.get('/api/v1/courses?status=draft', { as: 'owner@example.com' })
  const hidden = (json.data as SearchResult[])[0]?.id
  expect(hidden).toMatch(/^crs_/)
  expect((await call('fetch', { id: hidden })).content[0].text).toMatch(/^not_found: /)
  for (const id of ['', 'x', 'clay-from-scratch', 'stu_01jgwejj00e6srgkpqm2sqf05m', 'crs_', 5, null, ['a']]) {
    const { isError, content } = await call('fetch', { id })
    expect([id, isError, content[0].text]).toEqual([id, true, expect.stringMatching(/^(invalid_parameter|invalid_id|not_found): /)])
  }
  expect((await call('fetch', { id: hidden, page: 1 })).content[0].text).toContain('fetch takes id')
  expect((await call('search', { query: 'x'.repeat(300) })).isError).toBe(true)
})

describe.each(await databasesToTest())('a search on $name is bounded', ({ open }) => {
  const opened = duringTests(open)
  const api = duringTests(() => startDemoApi({ ...opened, database: { ...opened.database, kysely: watched(opened.database.kysely) } }))
  let statements: string[] = []

  /** Records the statements of the API. */
  function watched(kysely: DemoApi['database']['kysely']): DemoApi['database']['kysely'] {
    return kysely.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        statements.push('')
        return result
      },
    })
  }
  const statementsOf = async (values: object): Promise<number> => {
    statements = []
    await callTool(api.school.issuer, 'search_catalog', values)
    return statements.length
  }

  test('one statement for all types, and one more if no row has every word', async () => {
    expect(await statementsOf({ query: 'clay' })).toBe(1)
    expect(await statementsOf({ query: 'clay', types: ['course'], limit: 25 })).toBe(1)
    expect(await statementsOf({ query: 'clay spaceship' })).toBe(2)
  })

  test('its words and its texts are found by their indexes', async () => {
    await api.database.transaction(async (writer, session) => {
      await addDocuments(session, api.school.id)
      const query = wordsQuery({ schoolId: api.school.id, words: ['clay'], needsEvery: true })
      const compiled = writer
        .selectFrom('search_document')
        .select('id')
        .where('type', '=', 'course')
        .where(() => isFound({ isForStaff: true, patterns: soughtPatterns('clay'), query }))
        .orderBy('id', 'desc')
        .limit(2000)
        .compile()
      const plan = await session.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${compiled.sql}`, [...compiled.parameters])
      const text = plan.map((row) => row['QUERY PLAN']).join('\n')
      for (const index of ['search_document_text', 'search_document_words']) expect(text).toContain(`Bitmap Index Scan on ${index}`)
    })
  })

  test('a query has at most twelve words, however many are sent', () => {
    const many = Array.from({ length: 100 }, (_, index) => `w${index}`).join(' ')
    expect(wordsOf(many)).toHaveLength(12)
    expect(wordsOf(`${many} ${many}`)).toEqual(wordsOf(many))
  })
})
