import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contrastRatio } from '../../src/base/text/contrast.ts'
import type { SendOptions } from './demoApi.ts'
import { describeDemo } from './describeDemo.ts'

const owner = 'owner@example.com'
const learner = 'learner001@example.org'

describeDemo('the school, on $name', (api) => {
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

  test.each([
    ['europe/berlin', 'Europe/Berlin'],
    [' America/Argentina/Buenos Aires', 'America/Argentina/Buenos_Aires'],
    ['asia\u200b/kolkata', 'Asia/Calcutta'],
  ])('the time zone %j is stored as %s', async (typed, stored) => {
    expect(await patch({ time_zone: typed })).toMatchObject({ status: 200, json: { time_zone: stored } })
  })

  test('languages are stored as canonical tags, however they are typed', async () => {
    const body = { locale: ' DE-at', supported_locales: ['de-AT', 'pt_br', 'ZH-hant-tw', 'iw'] }
    const stored = { locale: 'de-AT', supported_locales: ['de-AT', 'pt-BR', 'zh-Hant-TW', 'he'] }
    expect(await patch(body)).toMatchObject({ status: 200, json: stored })
    expect(await patch({ locale: 'en', supported_locales: ['en', 'de'] })).toMatchObject({ status: 200 })
  })

  test.each(['+05:30', '-01:00', 'Mars/Base', '', "UTC' --"])('%j is not a time zone', async (time_zone) => {
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

const path = '/api/v1/appearance'
const colour = fc.integer({ min: 0, max: 0xffffff }).map((number) => `#${number.toString(16).padStart(6, '0')}`)

describeDemo('the looks of a school, on $name', (api) => {
  const anyVersion = { 'if-match': '*' }
  const patch = (body: unknown, options: SendOptions = {}) =>
    api.send(path, { method: 'PATCH', as: owner, headers: anyVersion, body, ...options })
  const details = (reply: { json: Record<string, unknown> }) =>
    ((reply.json.details ?? []) as { field: string; code: string }[]).map(({ field, code }) => [field, code])

  test('visitors see everything but the stylesheet, staff that too', async () => {
    await patch({ custom_css: 'h1 { color: red } /* planted */' })
    const visitor = await api.get(path)
    expect(visitor.status).toBe(200)
    expect(visitor.json).toMatchObject({ object: 'appearance', theme: 'studio', mode: 'auto', logo: null, announcement: { url: null } })
    for (const as of [undefined, 'learner001@example.org', 'lecturer1@example.com']) {
      const { json, text } = await api.get(path, { as })
      expect(json).not.toHaveProperty('custom_css')
      expect(text).not.toContain('planted')
    }
    expect((await api.get(path, { as: owner })).json.custom_css).toContain('planted')
  })

  test('only staff change it, and say which version of a document they replace', async () => {
    expect(await patch({ custom_css: null }, { headers: {} })).toMatchObject({ status: 428, json: { error: 'precondition_required' } })
    for (const as of ['learner001@example.org', 'lecturer1@example.com'])
      expect((await patch({ theme: 'journal' }, { as })).status).toBe(403)
    expect((await patch({ theme: 'journal' }, { as: undefined })).status).toBe(403)
  })

  test('only one of two changes to the same version succeeds', async () => {
    const etag = (await api.get(path, { as: owner })).headers.get('etag') as string
    const replies = await Promise.all(['light', 'dark'].map((mode) => patch({ mode }, { headers: { 'if-match': etag } })))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 412])
  })

  test('a patch changes what it names, at any depth', async () => {
    const before = (await api.get(path, { as: owner })).json
    const { status, json } = await patch({ colors: { accent: '#123456' }, fonts: { body: 'karla' } })
    expect(status).toBe(200)
    expect(json.colors).toEqual({ ...(before.colors as object), accent: '#123456' })
    expect(json.fonts).toEqual({ ...(before.fonts as object), body: 'karla' })
  })

  test('text that cannot be read on its background is refused with low_contrast, and nothing is changed', async () => {
    const before = (await api.get(path, { as: owner })).text
    const reply = await patch({ colors: { text: '#777777', background: '#ffffff' } })
    expect([reply.status, reply.json.error, details(reply)]).toEqual([422, 'low_contrast', [['colors.text', 'low_contrast']]])
    expect((await api.get(path, { as: owner })).text).toBe(before)
    expect((await patch({ colors: { text: '#767676', background: '#ffffff' } })).status).toBe(200)
  })

  test('whatever colours are stored can be read', async () => {
    await fc.assert(
      fc.asyncProperty(colour, colour, async (text, background) => {
        const { status, json } = await patch({ colors: { text, background } })
        expect([status, json.error]).toEqual(contrastRatio(text, background) >= 4.5 ? [200, undefined] : [422, 'low_contrast'])
      }),
      { numRuns: 25 },
    )
  })

  test.each([
    ['@import "https://evil.example/x.css";'],
    ['a { background: url(https://evil.example/x) }'],
    ['a { width: e\\78 pression(1) }'],
    ['</style>'],
    ['a'.repeat(65_537)],
  ])('a stylesheet that reaches beyond the school is refused (%#)', async (custom_css) => {
    const reply = await patch({ custom_css })
    expect([reply.status, reply.json.error, details(reply)[0]?.[0]]).toEqual([422, 'validation_failed', 'custom_css'])
  })

  test('a target has what its type needs and nothing else, and addresses that run code are refused', async () => {
    const navigation = (target: object) => ({ navigation: { header: [{ label: 'x', target }] } })
    const fieldErrors = async (target: object) => details(await patch(navigation(target)))
    const at = 'navigation.header.0.target'
    expect(await fieldErrors({ type: 'page' })).toEqual([[`${at}.page_id`, 'required']])
    expect(await fieldErrors({ type: 'url' })).toEqual([[`${at}.url`, 'required']])
    expect(await fieldErrors({ type: 'course_list', url: 'https://school.example' })).toEqual([[`${at}.url`, 'not_allowed']])
    expect(await fieldErrors({ type: 'url', url: 'javascript:alert(1)' })).toEqual([[`${at}.url`, 'format']])
    expect(await fieldErrors({ type: 'nowhere' })).toEqual([[`${at}.type`, 'not_allowed']])
    const page_id = 'pag_01jgwejj00e6srgkpqm2sqf05m'
    const reply = await patch(navigation({ type: 'page', page_id }))
    expect([reply.status, reply.json.error, details(reply)]).toEqual([422, 'invalid_reference', [[`${at}.page_id`, 'invalid_reference']]])
    expect(await patch({ home_page_id: page_id })).toMatchObject({ status: 422, json: { error: 'invalid_reference' } })
  })

  test('the navigation has two levels of at most twelve and ten', async () => {
    const leaf = { label: 'Courses', target: { type: 'course_list' } }
    const filled = { header: Array.from({ length: 12 }, () => ({ ...leaf, children: Array.from({ length: 10 }, () => leaf) })) }
    expect((await patch({ navigation: filled })).status).toBe(200)
    expect((await patch({ navigation: { header: Array.from({ length: 13 }, () => leaf) } })).status).toBe(422)
    expect((await patch({ navigation: { header: [{ ...leaf, children: Array.from({ length: 11 }, () => leaf) }] } })).status).toBe(422)
    expect((await patch({ navigation: { header: [{ ...leaf, children: [{ ...leaf, children: [] }] }] } })).status).toBe(422)
    const { json } = await patch({ navigation: { header: [leaf], footer: [] } })
    expect(json.navigation).toEqual({
      header: [{ label: 'Courses', target: { type: 'course_list', page_id: null, url: null }, children: [] }],
      footer: [],
    })
  })

  test('an announcement ends after it begins', async () => {
    const announcement = { text: 'The kiln is open.', starts_at: '2026-03-02T09:00:00+01:00', ends_at: '2026-03-02T08:00:00Z' }
    expect(details(await patch({ announcement }))).toEqual([['announcement.ends_at', 'min']])
    const { json } = await patch({ announcement: { ...announcement, ends_at: '2026-03-03T08:00:00Z' } })
    expect(json.announcement).toMatchObject({ url: null, starts_at: '2026-03-02T08:00:00.000Z' })
  })

  test("a reset brings back the theme's own looks, and keeps what the school says", async () => {
    await patch({ theme: 'journal', mode: 'dark', custom_css: 'a { color: red }', corner_radius: 'large' })
    const { status, json } = await api.send(`${path}/reset`, { as: owner, body: {} })
    expect(status).toBe(200)
    expect(json).toMatchObject({ theme: 'journal', mode: 'auto', corner_radius: 'none', custom_css: null, fonts: { heading: 'lora' } })
    expect(json.announcement).not.toBeNull()
  })
})
