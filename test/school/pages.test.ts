import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toPublicId } from '../../src/base/ids.ts'
import { newEvent, newForm, newPlan, newPost } from '../support/community.ts'
import { newFile } from '../support/files.ts'
import type { Reply, SendOptions } from './demoApi.ts'
import { describeDemo } from './describeDemo.ts'

const owner = 'owner@example.com'
const states = ['draft', 'published', 'archived'] as const
type State = (typeof states)[number]

describeDemo('pages, on $name', (api) => {
  const path = (end = '') => `/api/v1/pages${end && `/${end}`}`
  const send = (end: string, options: SendOptions = {}) => api.send(path(end), { as: owner, ...options })
  const act = (id: string, verb: string) => send(`${id}/${verb}`, { body: {} })
  const patch = (id: string, body: object, headers: Record<string, string> = { 'if-match': '*' }) =>
    send(id, { method: 'PATCH', headers, body })
  const seen = (idOrSlug: string, as?: string, query = '') => api.get(`${path(encodeURIComponent(idOrSlug))}${query}`, { as })
  const html = async (idOrSlug: string, as?: string) => String((await seen(idOrSlug, as, '?expand=rendered_html')).json.rendered_html)
  const codes = ({ json }: Reply) => ((json.details ?? []) as { field: string; code: string }[]).map(({ field, code }) => [field, code])
  const text = (content: string) => [{ id: 'one', type: 'text', props: { content } }]
  let count = 0
  async function made(body: object = {}, state: State = 'draft'): Promise<{ id: string; slug: string }> {
    count += 1
    const reply = await send('', { body: { title: `Loom ${count}`, ...body } })
    expect(reply).toMatchObject({ status: 201, json: { status: 'draft' } })
    const { id, slug } = reply.json as { id: string; slug: string }
    if (state !== 'draft') expect((await act(id, 'publish')).status).toBe(200)
    if (state === 'archived') expect((await act(id, 'archive')).status).toBe(200)
    return { id, slug }
  }

  test('the demo has eight, of which visitors find the seven that are published', async () => {
    expect((await api.get(path(), { as: owner })).json.data).toHaveLength(8)
    expect((await api.get(path())).json.data).toHaveLength(7)
    expect((await seen('autumn-fair')).status).toBe(404)
    expect(await seen('legal/imprint')).toMatchObject({ status: 200, json: { title: 'Imprint', slug: 'legal/imprint' } })
    expect((await api.get('/api/v1/appearance')).json).toMatchObject({ home_page_id: (await seen('home')).json.id })
  })

  const outcome: Record<string, Record<State, [number, State | string]>> = {
    publish: { draft: [200, 'published'], published: [200, 'published'], archived: [200, 'published'] },
    unpublish: { draft: [200, 'draft'], published: [200, 'draft'], archived: [409, 'invalid_state'] },
    archive: { draft: [409, 'invalid_state'], published: [200, 'archived'], archived: [200, 'archived'] },
    duplicate: { draft: [201, 'draft'], published: [201, 'draft'], archived: [201, 'draft'] },
    discard_draft: { draft: [409, 'invalid_state'], published: [200, 'published'], archived: [409, 'invalid_state'] },
    'revisions/1/restore': { draft: [200, 'draft'], published: [200, 'published'], archived: [200, 'archived'] },
  }
  const pairs = Object.entries(outcome).flatMap(([verb, byState]) => states.map((state) => [verb, state, ...byState[state]] as const))

  test.each(pairs)('%s on a page that is %s: %d %s', async (verb, state, status, result) => {
    const { id, slug } = await made({}, state)
    const reply = await act(id, verb)
    expect([reply.status, reply.json.error ?? reply.json.status]).toEqual([status, result])
    expect((await seen(slug)).status).toBe((await seen(id, owner)).json.status === 'published' ? 200 : 404)
    if (status === 200 && result === state) expect(reply.headers.get('etag')).toBe((await seen(id, owner)).headers.get('etag'))
  })

  test('no draft reaches a visitor before it is published, in whichever way they read', async () => {
    const marker = 'plantedmarker'
    const { id, slug } = await made({ title: 'Loom open', blocks: text('The present text.') }, 'published')
    const before = await html(slug)
    const draft = {
      title: `Loom ${marker}`,
      seo: { title: marker },
      blocks: [...text(marker), { type: 'html', props: { html: `<p>${marker}</p>` } }],
      metadata: { note: marker },
    }
    const changed = await patch(id, draft)
    expect(changed).toMatchObject({ status: 200, json: { title: draft.title, status: 'published', has_unpublished_changes: true } })
    for (const as of [undefined, 'learner001@example.org', 'lecturer1@example.com']) {
      for (const address of [
        `/${slug}`,
        `/${id}`,
        `/${slug}?expand=rendered_html`,
        '?limit=100',
        `?limit=100&expand=rendered_html&sort=title`,
      ]) {
        const reply = await api.get(path() + address, { as })
        expect([reply.status, reply.text.includes(marker)]).toEqual([200, false])
      }
      expect((await api.get(`${path()}?q=${marker}`, { as })).json.data).toEqual([])
      expect((await seen(slug, as, '?version=draft')).status).toBe(400)
      expect((await api.get(path(`${id}/revisions`), { as })).status).toBe(403)
    }
    expect(await html(slug)).toBe(before)
    expect(await html(slug, owner)).toContain(marker)
    expect((await seen(id, owner, '?version=live')).json).toMatchObject({ title: 'Loom open', blocks: [{ id: 'one' }] })
    await act(id, 'publish')
    expect((await seen(slug)).text).toContain(marker)
    expect((await seen(id, owner)).json.has_unpublished_changes).toBe(false)
  })

  test('an unpublished page does not show its draft in the live view', async () => {
    const { id } = await made({ blocks: text('hidden away') })
    expect((await seen(id, owner, '?version=live')).text).not.toContain('hidden away')
  })

  test('members find what is for members, an unlisted page opens by its exact address alone', async () => {
    const members = await made({ visibility: 'members' }, 'published')
    const unlisted = await made({ visibility: 'unlisted' }, 'published')
    const listed = async (as?: string) => ((await api.get(`${path()}?limit=100`, { as })).json.data as { id: string }[]).map(({ id }) => id)
    expect([(await seen(members.slug)).status, (await seen(members.slug, 'learner001@example.org')).status]).toEqual([404, 200])
    expect(await listed()).not.toContain(members.id)
    expect(await listed('learner001@example.org')).toContain(members.id)
    expect((await seen(unlisted.slug)).status).toBe(200)
    for (const as of [undefined, 'learner001@example.org']) expect(await listed(as)).not.toContain(unlisted.id)
  })

  test('the home page stays, and so does a page that the navigation leads to', async () => {
    const home = String((await seen('home')).json.id)
    for (const verb of ['unpublish', 'archive'])
      expect(await act(home, verb)).toMatchObject({ status: 409, json: { error: 'invalid_state' } })
    expect(await send(home, { method: 'DELETE' })).toMatchObject({ status: 409, json: { error: 'resource_in_use' } })
    const about = String((await seen('about')).json.id)
    expect(await send(about, { method: 'DELETE' })).toMatchObject({ status: 409, json: { error: 'resource_in_use' } })
    const other = await made({}, 'published')
    expect((await send(other.id, { method: 'DELETE' })).status).toBe(204)
    expect((await seen(other.slug, owner)).status).toBe(404)
  })

  test('the navigation takes published pages only, and hides from visitors what they cannot open', async () => {
    const page = await made()
    const navigate = (page_id: string) =>
      api.send('/api/v1/appearance', {
        method: 'PATCH',
        as: owner,
        headers: { 'if-match': '*' },
        body: { navigation: { header: [{ label: 'Loom', target: { type: 'page', page_id } }] } },
      })
    const header = async (as?: string) => (await api.get('/api/v1/appearance', { as })).json.navigation as { header: unknown[] }
    expect(await navigate(page.id)).toMatchObject({ status: 422, json: { error: 'invalid_reference' } })
    await act(page.id, 'publish')
    expect((await navigate(page.id)).status).toBe(200)
    expect((await header()).header).toHaveLength(1)
    expect((await act(page.id, 'unpublish')).status).toBe(200)
    expect([(await header()).header.length, (await header(owner)).header.length]).toEqual([0, 1])
  })

  test('a slug has up to three parts, and does not begin with a word of the service', async () => {
    const slug = `craft/loom/${count}`
    expect((await send('', { body: { title: 'x', slug } })).status).toBe(201)
    expect(await send('', { body: { title: 'x', slug } })).toMatchObject({ status: 409, json: { error: 'slug_taken' } })
    for (const word of ['api', 'oauth', 'mcp', 'files', 'assets', 'admin', 'login', 'files/x', 'import']) {
      expect(await send('', { body: { title: 'x', slug: word } })).toMatchObject({ status: 422, json: { error: 'reserved_slug' } })
    }
    for (const wrong of ['a/b/c/d', '/a', 'a/', 'a//b', 'a b', 'a_b', '../x', '']) {
      expect((await send('', { body: { title: 'x', slug: wrong } })).status).toBe(422)
    }
    expect((await send('', { body: { title: 'Login' } })).json.slug).toBe('login-2')
    expect((await api.get(path(slug), { as: owner })).status).toBe(404)
    expect((await seen(slug, owner)).status).toBe(200)
  })

  test('new blocks name their version: of two changes to one version one is made, and none without', async () => {
    const { id } = await made()
    expect(await patch(id, { blocks: text('x') }, {})).toMatchObject({ status: 428, json: { error: 'precondition_required' } })
    const etag = (await seen(id, owner)).headers.get('etag') as string
    const replies = await Promise.all(['Left', 'Right'].map((title) => patch(id, { title }, { 'if-match': etag })))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 412])
  })

  test('the last fifty revisions are kept, and each can be gone back to without touching what is live', async () => {
    const { id, slug } = await made({ blocks: text('first') }, 'published')
    for (let turn = 0; turn < 52; turn += 1) await patch(id, { blocks: text(`turn ${turn}`) })
    const { json } = await api.get(path(`${id}/revisions?limit=100`), { as: owner })
    const numbers = (json.data as { number: number }[]).map(({ number }) => number)
    expect([numbers.length, numbers[0], numbers.at(-1)]).toEqual([50, 53, 4])
    expect((json.data as object[])[0]).toMatchObject({ event: 'updated', author_name: 'Hazel Lanternfield' })
    expect((await act(id, 'revisions/3/restore')).status).toBe(404)
    expect(await act(id, 'revisions/10/restore')).toMatchObject({ status: 200, json: { blocks: [{ props: { content: 'turn 8' } }] } })
    expect((await seen(slug)).json.blocks).toMatchObject([{ props: { content: 'first' } }])
    expect(await act(id, 'discard_draft')).toMatchObject({ status: 200, json: { blocks: [{ props: { content: 'first' } }] } })
  })

  test('the home page of the demo can be changed and put back', async () => {
    const before = (await seen('home', owner)).json
    const { json } = await api.get(path('home/revisions'), { as: owner })
    expect(json.data).toMatchObject([{ number: 1, event: 'created', title: before.title, author_name: 'Hazel Lanternfield' }])
    expect((await patch('home', { title: 'Another', blocks: text('other') })).status).toBe(200)
    const { title, blocks } = (await act('home', 'revisions/1/restore')).json
    expect({ title, blocks }).toEqual({ title: before.title, blocks: before.blocks })
  })

  test('a copy is a new draft with the content of the draft', async () => {
    const { id } = await made({ blocks: text('to be copied') }, 'published')
    const copy = await act(id, 'duplicate')
    expect(copy).toMatchObject({
      status: 201,
      json: { status: 'draft', published_at: null, blocks: [{ props: { content: 'to be copied' } }] },
    })
    expect(copy.headers.get('location')).toBe(`${api.school.issuer}${path(String(copy.json.id))}`)
  })

  test('blocks are validated by their type, with the path of every error', async () => {
    const fieldErrors = async (blocks: unknown[]) => codes(await send('', { body: { title: 'x', blocks } }))
    expect(await fieldErrors([{ type: 'marquee', props: {} }])).toEqual([['blocks.0.type', 'not_allowed']])
    expect(await fieldErrors([{ type: 'divider', props: { width: 1 } }])).toEqual([['blocks.0.props.width', 'unknown_field']])
    expect(await fieldErrors([{ type: 'button', props: { label: 'x', url: 'javascript:alert(1)' } }])).toEqual([
      ['blocks.0.props.url', 'invalid'],
    ])
    expect(await fieldErrors([{ type: 'hero', props: {} }])).toEqual([['blocks.0.props.heading', 'required']])
    expect(await fieldErrors([{ type: 'image', props: { file_id: 'fil_01jgwejj00e6srgkpqm2sqf05m' } }])).toEqual([
      ['blocks.0.props.file_id', 'invalid_reference'],
    ])
    expect(await fieldErrors([...text('a'), ...text('b')])).toEqual([['blocks.1.id', 'duplicate']])
    expect(await fieldErrors(Array.from({ length: 101 }, () => ({ type: 'divider', props: {} })))).toEqual([['blocks', 'max']])
    const large = Array.from({ length: 6 }, () => ({ type: 'text', props: { content: 'x'.repeat(99_000) } }))
    expect(await fieldErrors(large)).toEqual([['blocks', 'max']])
  })

  const hostile = [
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '"><svg onload=alert(1)>',
    "' onmouseover='alert(1)",
    '<a href="javascript:alert(1)">x</a>',
    '[x](javascript:alert(1))',
    '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
    '<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>',
    '</section><script>alert(1)</script>',
    '<style>@import "//evil.example"</style>',
  ]
  const runs = /<(script|svg|iframe|style|math|form|object|embed)|<[^>]*\son\w+\s*=|<[^>]*\s(href|src)="?(javascript|data|vbscript):/i

  test('nothing that is written into a block runs on a page', async () => {
    const { id } = await made()
    const every = (bad: string) => [
      { type: 'hero', props: { heading: bad, text: bad, action: { label: bad.slice(0, 60), url: '/x?"onclick=alert(1)' } } },
      { type: 'text', props: { content: bad } },
      { type: 'text', props: { content: bad, content_format: 'html' } },
      { type: 'gallery', props: { heading: bad } },
      { type: 'video', props: { url: 'https://video.example/"onload=alert(1)', title: bad } },
      { type: 'course_grid', props: { heading: bad, category: bad.slice(0, 60) } },
      { type: 'plan_table', props: { heading: bad } },
      { type: 'event_list', props: { heading: bad } },
      { type: 'post_list', props: { heading: bad, tag: bad.slice(0, 40) } },
      { type: 'lecturer_grid', props: { heading: bad } },
      { type: 'testimonials', props: { heading: bad, items: [{ quote: bad, name: bad, role: bad }] } },
      { type: 'faq', props: { heading: bad, items: [{ question: bad, answer: bad }] } },
      { type: 'form', props: { form_id: 'frm_01jgwejj00e6srgkpqm2sqf05m' } },
      { type: 'button', props: { label: bad.slice(0, 60), url: 'https://x.example/"><script>' } },
      { type: 'html', props: { html: bad } },
    ]
    for (const bad of hostile) {
      const reply = await patch(id, { blocks: every(bad) })
      expect([reply.status, codes(reply)]).toEqual([200, []])
      expect(await html(id, owner)).not.toMatch(runs)
      const stored = (reply.json.blocks as { type: string; props: { html: string } }[]).find(({ type }) => type === 'html')
      expect(stored?.props.html).not.toMatch(runs)
    }
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...hostile, '<', '>', '"', "'", '&', '`', '\\', '/'), { minLength: 1, maxLength: 4 }),
        async (parts) => {
          expect((await patch(id, { blocks: every(parts.join('').slice(0, 110)) })).status).toBe(200)
          expect(await html(id, owner)).not.toMatch(runs)
        },
      ),
      { numRuns: 15 },
    )
  })

  test('grids show only public content to every caller, with its pictures', async () => {
    const picture = await newFile(api.database.sql, api.school.id, { filename: 'wheel.webp', width: 800, height: 600 })
    for (const [table, column, slug] of [
      ['course', 'cover_image', 'clay-from-scratch'],
      ['lecturer', 'avatar', 'marlo-quillfeather'],
    ])
      await api.database.sql.query(`UPDATE ${table} SET ${column}_file_id = $1, ${column}_alt = '<A wheel>' WHERE slug = $2`, [
        picture,
        slug,
      ])
    const { id } = await made(
      {
        blocks: [
          { type: 'course_grid', props: { limit: 24 } },
          { type: 'lecturer_grid', props: { limit: 24 } },
        ],
      },
      'published',
    )
    const shown = await html(id, owner)
    expect(shown).toContain('Clay From Scratch')
    const pictures = [...shown.matchAll(/<li><img src="([^"]+)" alt="([^"]*)" width="800" height="600" loading="lazy"><a href="\/(\w+)\//g)]
    expect(pictures.map(([, src, alt, kind]) => [src, alt, kind])).toEqual(
      ['courses', 'lecturers'].map((kind) => [
        `${api.school.issuer}/files/${toPublicId('fil', picture)}/wheel.webp`,
        '&lt;A wheel&gt;',
        kind,
      ]),
    )
    for (const hidden of ['Paper Marbling', 'Kiln Diary', 'Studio Business Basics', 'Candle Season', 'Pim Hollowell'])
      expect(shown).not.toContain(hidden)
    expect(await html(id)).toBe(shown)
  })

  test('lists show plans, events, posts and forms as a visitor sees them, and those that are chosen in their order', async () => {
    const { sql } = api.database
    const { id: schoolId } = api.school
    const rename = (table: string, row: string, title: string) =>
      sql.query(`UPDATE ${table} SET ${table === 'membership_plan' ? 'name' : 'title'} = $2 WHERE id = $1`, [row, title])
    const [open, hidden] = [await newPlan(sql, schoolId), await newPlan(sql, schoolId)]
    await rename('membership_plan', open, 'Bench <b>for</b> all')
    await rename('membership_plan', hidden, 'Bench for few')
    await sql.query(`UPDATE membership_plan SET visibility = 'hidden' WHERE id = $1`, [hidden])
    const [shown, draft] = [
      await newEvent(sql, schoolId, { place: 'Vault', access: 'members' }),
      await newEvent(sql, schoolId, { status: 'draft' }),
    ]
    await rename('event', shown, 'Salt & Fire')
    await rename('event', draft, 'Secret Fire')
    // Before all others.
    await sql.query(`UPDATE event SET starts_at = now() - interval '1 minute' WHERE id = ANY($1::uuid[])`, [[shown, draft]])
    const posts = [
      await newPost(sql, schoolId, { visibility: 'paid', text: 'The whole of it.' }),
      await newPost(sql, schoolId, { status: 'scheduled', due: '-1 minute' }),
      await newPost(sql, schoolId, { status: 'scheduled', due: '1 day' }),
      await newPost(sql, schoolId, { status: 'draft' }),
    ]
    for (const [index, post] of posts.entries()) {
      await rename('post', post, `Glaze Letter ${index}`)
      await sql.query(`UPDATE post SET tags = '{letter}' WHERE id = $1`, [post])
    }
    const [form, closed] = [await newForm(sql, schoolId), await newForm(sql, schoolId, { status: 'closed' })]
    await rename('form', closed, 'Closed form')
    const { id } = await made(
      {
        blocks: [
          { type: 'plan_table', props: { plan_ids: [hidden, open].map((plan) => toPublicId('mpl', plan)) } },
          { type: 'event_list', props: { limit: 3 } },
          { type: 'post_list', props: { tag: 'letter', limit: 24 } },
          { type: 'post_list', props: { heading: 'Nothing yet', tag: 'nothing' } },
          { type: 'form', props: { form_id: toPublicId('frm', form) } },
          { type: 'form', props: { form_id: toPublicId('frm', closed) } },
        ],
      },
      'published',
    )
    const page = await html(id, owner)
    expect(page).toMatch(/<a href="\/plans\/plan-[^"]+"[^>]*>Bench &lt;b&gt;for&lt;\/b&gt; all<\/a><p>€9\.00 per month<\/p>/)
    expect(page).toMatch(/Salt &amp; Fire<\/a><p><time datetime="[^"]+Z">\d{1,2} \p{L}+ \d{4} at \d{2}:\d{2} \p{L}+/u)
    expect(page).toContain('Ask the studio')
    const emails = [...page.matchAll(/Glaze Letter \d/g)].map(([title]) => title)
    expect(emails.toSorted()).toEqual(['Glaze Letter 0', 'Glaze Letter 1'])
    for (const word of ['Bench for few', 'Secret Fire', 'Vault', 'The whole of it.', 'Closed form', 'Nothing yet'])
      expect(page).not.toContain(word)
    expect(await html(id)).toBe(page)
    await sql.query(`UPDATE school SET features = features || '{"events": false, "blog": false, "memberships": false}' WHERE id = $1`, [
      schoolId,
    ])
    const turnedOff = await html(id)
    for (const word of ['Bench', 'Salt', 'Letter']) expect(turnedOff).not.toContain(word)
    await sql.query(`UPDATE school SET features = features || '{"events": true, "blog": true, "memberships": true}' WHERE id = $1`, [
      schoolId,
    ])
  })
})
