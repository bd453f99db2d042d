import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databasesToTest } from '../support/databases.ts'
import { type DemoApi, type Reply, startDemoApi } from './demoApi.ts'

const as = 'owner@example.com'
interface Page {
  data: { slug: string }[]
  page: { next_cursor: string | null; prev_cursor: string | null; total?: { count: number; relation: string } }
}
const pageOf = ({ json }: Reply): Page => json as unknown as Page
const slugs = (reply: Reply): string[] => pageOf(reply).data.map(({ slug }) => slug)

describe.each(await databasesToTest())('long lists on $name', ({ open }) => {
  let api: DemoApi
  beforeAll(async () => {
    api = await startDemoApi(await open())
    await api.database.sql.query(
      `INSERT INTO course (school_id, id, slug, title, language, status, position)
       SELECT $1, gen_random_uuid(), 'made-' || n, CASE n WHEN 1 THEN '=1+1' WHEN 2 THEN '50% of_it, "all"' ELSE 'Course ' || n END, 'en', 'draft', 100 + n
         FROM generate_series(1, 1200) n`,
      [api.school.id],
    )
  })
  afterAll(() => api.stop())

  test('a page leads back to the page before it', async () => {
    const path = '/api/v1/courses?sort=position&limit=5'
    const first = await api.get(path, { as })
    const second = await api.get(`${path}&cursor=${pageOf(first).page.next_cursor}`, { as })
    const back = await api.get(`${path}&cursor=${pageOf(second).page.prev_cursor}`, { as })
    expect(pageOf(first).page.prev_cursor).toBeNull()
    expect([slugs(back), pageOf(back).page.prev_cursor]).toEqual([slugs(first), null])
    expect(second.headers.get('link')).toContain('rel="prev"')
  })

  test('only staff can request the number of rows', async () => {
    expect(pageOf(await api.get('/api/v1/courses?include=total_count&status=draft', { as })).page.total).toEqual({
      count: 1201,
      relation: 'eq',
    })
    expect((await api.get('/api/v1/courses?include=total_count')).status).toBe(400)
  })

  test('a search finds the text in titles and its words elsewhere, and ignores case', async () => {
    expect(slugs(await api.get('/api/v1/courses?q=CLAY'))).toEqual(['clay-from-scratch', 'glaze-chemistry-without-fear'])
    expect(slugs(await api.get('/api/v1/courses?q=LAY%20FROM'))).toEqual(['clay-from-scratch'])
    expect(slugs(await api.get(`/api/v1/courses?q=${encodeURIComponent('% of_')}`, { as }))).toEqual(['made-2'])
    expect(slugs(await api.get('/api/v1/courses?q=marbling'))).toEqual([])
    expect((await api.get('/api/v1/courses?q=a')).status).toBe(400)
  })

  test('fields narrow the answer, prefixes and absence the list', async () => {
    const reply = await api.get('/api/v1/courses?slug[prefix]=made-119&fields=title,price.amount&limit=1', { as })
    expect(Object.keys(pageOf(reply).data[0] ?? {})).toEqual(['id', 'object', 'title', 'price'])
    expect((await api.get('/api/v1/courses/clay-from-scratch?fields=price.amount')).json).toMatchObject({ price: { amount: 8900 } })
    expect((await api.get('/api/v1/courses/clay-from-scratch?fields=title')).headers.get('etag')).toMatch(/^"\d+-p-/)
    expect((await api.get('/api/v1/courses?fields=titl')).json).toMatchObject({ error: 'invalid_parameter' })
    expect((await api.get('/api/v1/courses?fields=metadata')).status).toBe(400)
    expect(pageOf(await api.get('/api/v1/courses?published_at[exists]=false&include=total_count', { as })).page.total?.count).toBe(1201)
  })

  test('staff get the whole list as a file, harmless in a spreadsheet, and a link where it goes on', async () => {
    const csv = await api.get('/api/v1/courses?sort=position&fields=slug,title,price', { as, headers: { accept: 'text/csv' } })
    const lines = csv.text.split('\r\n')
    expect(csv.headers.get('content-type')).toContain('text/csv')
    expect([lines[0], lines.length]).toEqual(['id,object,title,slug,price.amount,price.currency', 1216])
    expect(lines.find((line) => line.includes('made-1,'))).toContain(",'=1+1,")
    expect(lines.find((line) => line.includes('made-2,'))).toContain(',"50% of_it, ""all""",')
    const part = await api.get('/api/v1/courses?sort=position&limit=700', { as, headers: { accept: 'application/x-ndjson' } })
    const rows = part.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { slug: string })
    const next = /<([^>]+)>; rel="next"/.exec(part.headers.get('link') ?? '')?.[1] ?? ''
    const rest = await api.get(next.slice(api.school.issuer.length), { as, headers: { accept: 'application/x-ndjson' } })
    const all = [
      ...rows,
      ...rest.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { slug: string }),
    ]
    expect([rows.length, all.length, new Set(all.map(({ slug }) => slug)).size]).toEqual([700, 1214, 1214])
    expect((await api.get('/api/v1/courses', { headers: { accept: 'text/csv' } })).status).toBe(406)
  })
})
