import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databasesToTest } from '../support/databases.ts'
import { type DemoApi, startDemoApi } from './demoApi.ts'

const owner = 'owner@example.com'
const learner = 'learner001@example.org'

describe.each(await databasesToTest())('the school, on $name', ({ open }) => {
  let api: DemoApi
  beforeAll(async () => {
    api = await startDemoApi(await open())
  })
  afterAll(() => api.stop())

  const patch = (body: object) => api.send('/api/v1/school', { method: 'PATCH', as: owner, headers: { 'if-match': '*' }, body })
  const school = async (as?: string) => (await api.get('/api/v1/school', { as })).json

  test('a description is answered as it was written and as safe HTML', async () => {
    expect((await school()).description_html).toContain('<p>')
    const { json } = await patch({ description: '**Clay** <script>alert(1)</script>' })
    expect(json.description_html).toBe('<p><strong>Clay</strong> &lt;script&gt;alert(1)&lt;/script&gt;</p>\n')
    const html = await patch({ description_format: 'html', description: '<b onclick="x()">Clay</b><script>alert(1)</script>' })
    expect(html.json.description_html).toBe('<b>Clay</b>')
    expect((await patch({ description: null })).json.description_html).toBeNull()
  })

  test('address, links and legal places are kept, and what runs code is refused', async () => {
    const imprint = (await api.get('/api/v1/pages/legal%2Fimprint')).json.id
    const body = {
      address: { line1: '3 Wick Lane', city: 'Lanternfield', country: 'DE' },
      social_links: [{ network: 'mastodon', url: 'https://social.example/@lanternfield' }],
      legal: { imprint_page_id: imprint },
    }
    expect(await patch(body)).toMatchObject({ status: 200, json: body })
    expect(await school()).toMatchObject(body)
    expect((await patch({ social_links: [{ network: 'x', url: 'javascript:alert(1)' }] })).status).toBe(422)
    const draft = (await api.get('/api/v1/pages/autumn-fair', { as: owner })).json.id
    expect(await patch({ legal: { imprint_page_id: draft } })).toMatchObject({ status: 422, json: { error: 'invalid_reference' } })
  })

  test.each(['Asia/Kolkata', 'Asia/Calcutta', 'America/Argentina/Buenos_Aires', 'Etc/UTC', 'UTC'])(
    'the time zone can be %s',
    async (time_zone) => {
      expect(await patch({ time_zone })).toMatchObject({ status: 200, json: { time_zone } })
      expect((await api.get('/api/v1/analytics/overview', { as: owner })).json.time_zone).toBe(time_zone)
    },
  )

  test.each(['+05:30', '-01:00', 'Mars/Base', '', ' UTC', "UTC' --"])('%j is not a time zone', async (time_zone) => {
    expect((await patch({ time_zone })).status).toBe(422)
  })

  test('visitors see counts only where the school shows them, and limits never', async () => {
    expect((await school()).counts).toEqual({ courses: 10, lecturers: 5, students: 360, members: 295 })
    expect(await school()).not.toHaveProperty('limits')
    expect((await school(owner)).limits).toEqual({ storage_bytes: 1_000_000_000, storage_used_bytes: 0, staff_seats: null })
    await patch({ settings: { show_counts: false } })
    expect([(await school()).counts, (await school(learner)).counts]).toEqual([null, null])
    expect((await school(owner)).counts).not.toBeNull()
  })

  test('categories are the shelves on which visitors find courses', async () => {
    const { status, json } = await api.get('/api/v1/school/categories')
    const rows = json.data as { slug: string; name: string; courses_count: number }[]
    expect(status).toBe(200)
    expect(rows.reduce((sum, { courses_count }) => sum + courses_count, 0)).toBe(10)
    expect(rows).toContainEqual(expect.objectContaining({ slug: 'ceramics', name: 'Ceramics' }))
  })

  test('disabled features are hidden from everybody but staff', async () => {
    const addresses = [
      '/api/v1/courses',
      '/api/v1/courses?level=beginner',
      '/api/v1/courses/clay-from-scratch',
      '/api/v1/courses/kiln-diary',
      '/api/v1/courses/clay-from-scratch/curriculum',
    ]
    const statuses = async (as?: string) => Promise.all(addresses.map(async (address) => (await api.get(address, { as })).status))
    expect(await statuses()).toEqual([200, 200, 200, 200, 200])
    await patch({ features: { courses: false } })
    for (const as of [undefined, learner, 'lecturer2@example.com']) expect(await statuses(as)).toEqual([404, 404, 404, 404, 404])
    expect(await statuses(owner)).toEqual([200, 200, 200, 200, 200])
    expect((await api.get('/api/v1/school/categories')).json.data).toEqual([])
    const home = await api.get('/api/v1/pages/home?expand=rendered_html')
    expect([home.status, home.text.includes('Clay From Scratch</a>')]).toEqual([200, false])
    await patch({ features: { courses: true } })
    expect(await statuses()).toEqual([200, 200, 200, 200, 200])
  })

  test('a list that is empty for another reason stays a list', async () => {
    expect(await api.get('/api/v1/courses?tag=nosuchtag')).toMatchObject({ status: 200, json: { data: [] } })
  })
})
