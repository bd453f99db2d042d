// Proves OpenAI MCP documentation: `search` and `fetch` have the shapes of ChatGPT connectors

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type DemoApi, startDemoApi } from '../../school/demoApi.ts'
import { openTestDatabase } from '../../support/databases.ts'
import { callTool } from './rpc.ts'

let api: DemoApi
beforeAll(async () => {
  api = await startDemoApi(await openTestDatabase())
})
afterAll(() => api.stop())
const call = (name: string, values: object) => callTool(api.school.issuer, name, values)

interface Result {
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
  const found: Result[] = []
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
  const hidden = (json.data as Result[])[0]?.id
  expect(hidden).toMatch(/^crs_/)
  expect((await call('fetch', { id: hidden })).content[0].text).toMatch(/^not_found: /)
  for (const id of ['', 'x', 'clay-from-scratch', 'stu_01jgwejj00e6srgkpqm2sqf05m', 'crs_', 5, null, ['a']]) {
    const { isError, content } = await call('fetch', { id })
    expect([id, isError, content[0].text]).toEqual([id, true, expect.stringMatching(/^(invalid_parameter|invalid_id|not_found): /)])
  }
  expect((await call('fetch', { id: hidden, page: 1 })).content[0].text).toContain('fetch takes id')
  expect((await call('search', { query: 'x'.repeat(300) })).isError).toBe(true)
})
