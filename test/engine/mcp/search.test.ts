import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DemoApi, startDemoApi } from '../../school/demoApi.ts'
import { newEvent, newPost } from '../../support/community.ts'
import { everyDatabase } from '../../support/databases.ts'
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
  let api: DemoApi
  beforeAll(async () => {
    api = await startDemoApi(await open())
  })
  afterAll(() => api.stop())
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
