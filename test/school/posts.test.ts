import { expect, test } from 'vitest'
import { fromPublicId, toPublicId } from '../../src/base/ids.ts'
import { featureJobs } from '../../src/operate/jobs/featureJobs.ts'
import { newPeople, newPlan, newPost, newSubscription, type SomebodyNew } from '../support/community.ts'
import type { Reply } from './demoApi.ts'
import { describeDemoOn } from './describeDemo.ts'

const owner = 'owner@example.com'
const lecturer = 'lecturer2@example.com'
const secret = 'The glaze was ash and bone.'
const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString()

/** The response of each action in each state of a post, and the state after it. */
const states = {
  draft: {
    publish: '200 published',
    later: '200 scheduled',
    unschedule: '200 draft',
    unpublish: '200 draft',
    archive: '409 draft',
    restore: '200 draft',
    DELETE: '204 gone',
  },
  scheduled: {
    publish: '200 published',
    later: '200 scheduled',
    unschedule: '200 draft',
    unpublish: '409 scheduled',
    archive: '409 scheduled',
    restore: '409 scheduled',
    DELETE: '409 scheduled',
  },
  due: {
    publish: '200 published',
    later: '409 published',
    unschedule: '409 published',
    unpublish: '200 draft',
    archive: '200 archived',
    restore: '409 published',
    DELETE: '409 published',
  },
  published: {
    publish: '200 published',
    later: '409 published',
    unschedule: '409 published',
    unpublish: '200 draft',
    archive: '200 archived',
    restore: '409 published',
    DELETE: '409 published',
  },
  archived: {
    publish: '409 archived',
    later: '409 archived',
    unschedule: '409 archived',
    unpublish: '409 archived',
    archive: '200 archived',
    restore: '200 draft',
    DELETE: '204 gone',
  },
} as const

describeDemoOn('first', 'posts, on $name', (api) => {
  const send = (path: string, method: string, body?: object, as = owner): Promise<Reply> =>
    api.send(`/api/v1/posts${path}`, { as, method, headers: { 'if-match': '*' }, ...(body && { body }) })
  const read = (id: string, as?: string) => api.get(`/api/v1/posts/${id}`, { as })
  async function made(body: object = {}, as = owner): Promise<string> {
    const reply = await send('', 'POST', { title: 'First Firing', content: secret, ...body }, as)
    expect(reply.status, reply.text).toBe(201)
    return reply.json.id as string
  }
  const published = async (body: object = {}): Promise<string> => {
    const id = await made(body)
    expect((await send(`/${id}/publish`, 'POST', {})).status).toBe(200)
    return id
  }
  /** Its time has come, and no job has noticed. */
  async function due(): Promise<string> {
    const id = await made()
    await send(`/${id}/publish`, 'POST', { scheduled_for: inDays(1) })
    await api.database.sql.query(
      `UPDATE post SET scheduled_for = now() - interval '1 minute', published_at = now() - interval '1 minute' WHERE id = $1`,
      [fromPublicId('pst', id)],
    )
    return id
  }
  const fieldErrors = (reply: Reply) =>
    ((reply.json.details ?? []) as { field: string; code: string }[]).map(({ field, code }) => `${field} ${code}`)

  test.each(Object.entries(states))('a post that is %s', async (state, expected) => {
    const found: Record<string, string> = {}
    for (const action of Object.keys(expected)) {
      const id = state === 'due' ? await due() : await made()
      if (state === 'scheduled') await send(`/${id}/publish`, 'POST', { scheduled_for: inDays(2) })
      if (state === 'published' || state === 'archived') await send(`/${id}/publish`, 'POST', {})
      if (state === 'archived') await send(`/${id}/archive`, 'POST', {})
      const body = action === 'later' ? { scheduled_for: inDays(3) } : {}
      const reply =
        action === 'DELETE' ? await send(`/${id}`, 'DELETE') : await send(`/${id}/${action === 'later' ? 'publish' : action}`, 'POST', body)
      if (reply.status === 409) expect(reply.json.error).toBe('invalid_state')
      const after = await read(id, owner)
      found[action] = `${reply.status} ${after.status === 404 ? 'gone' : after.json.status}`
    }
    expect(found).toEqual(expected)
  })

  test('a scheduled post is published when its time has come, in every response, before and after the job', async () => {
    const id = await due()
    const early = await made()
    const at = inDays(1)
    expect((await send(`/${early}/publish`, 'POST', { scheduled_for: at })).json).toMatchObject({
      status: 'scheduled',
      scheduled_for: at,
      published_at: null,
    })
    const views = async () => ({
      visitor: (await read(id)).json,
      list: ((await api.get('/api/v1/posts?limit=100')).json.data as { id: string }[]).map((post) => post.id),
      filtered: ((await api.get('/api/v1/posts?limit=100&status=published', { as: owner })).json.data as { id: string }[]).map(
        (post) => post.id,
      ),
      waiting: ((await api.get('/api/v1/posts?limit=100&status=scheduled', { as: owner })).json.data as { id: string }[]).map(
        (post) => post.id,
      ),
      staff: (await read(id, owner)).json.status,
    })
    const before = await views()
    expect(before.visitor).toMatchObject({ status: 'published', scheduled_for: null, published_at: expect.any(String), content: secret })
    expect([before.list.includes(id), before.filtered.includes(id), before.waiting.includes(id), before.staff]).toEqual([
      true,
      true,
      false,
      'published',
    ])
    expect([before.list.includes(early), before.waiting.includes(early)]).toEqual([false, true])
    expect((await read(early)).status).toBe(404)
    const etag = (await read(id, owner)).headers.get('etag') as string
    const run = () => featureJobs.publish_posts.run({ database: api.database })
    const feed = async () =>
      (
        await api.database.sql.query<{ n: number }>(
          `SELECT count(*)::int AS n FROM change_log WHERE resource_id = $1 AND action = 'published'`,
          [fromPublicId('pst', id)],
        )
      )[0]?.n
    // Scheduling the post has left one entry already.
    expect(await feed()).toBe(1)
    await Promise.all([run(), run()])
    expect(await feed()).toBe(2)
    expect(await run()).toEqual({ published: 0 })
    const after = await views()
    expect({ ...after.visitor, updated_at: '' }).toEqual({ ...before.visitor, updated_at: '' })
    expect([after.list, after.filtered]).toEqual([before.list, before.filtered])
    // The job keeps the version, so a caller that read the row before can still write it.
    expect(
      (
        await api.send(`/api/v1/posts/${id}`, {
          as: owner,
          method: 'PATCH',
          headers: { 'if-match': etag },
          body: { kind: 'announcement' },
        })
      ).status,
    ).toBe(200)
  })

  test('a time in the past, or more than a year ahead, is rejected', async () => {
    const id = await made()
    expect(fieldErrors(await send(`/${id}/publish`, 'POST', { scheduled_for: inDays(-1) }))).toEqual(['scheduled_for min'])
    expect(fieldErrors(await send(`/${id}/publish`, 'POST', { scheduled_for: inDays(400) }))).toEqual(['scheduled_for max'])
    expect((await read(id, owner)).json.status).toBe('draft')
  })

  test('the text of a post that is not for all is there for those alone whom it is for', async () => {
    const { sql } = api.database
    const [plan, free] = [await newPlan(sql, api.school.id), await newPlan(sql, api.school.id, { amount: 0 })]
    const [member, blocked, payer, freeloader] = [
      ...(await newPeople(sql, api.school.id, 1)),
      ...(await newPeople(sql, api.school.id, 1, { status: 'blocked' })),
      ...(await newPeople(sql, api.school.id, 2, { isMember: false })),
    ] as [SomebodyNew, SomebodyNew, SomebodyNew, SomebodyNew]
    await newSubscription(sql, api.school.id, { personId: payer.id, planId: plan })
    await newSubscription(sql, api.school.id, { personId: blocked.id, planId: plan })
    await newSubscription(sql, api.school.id, { personId: freeloader.id, planId: free })
    const posts = {
      public: await published(),
      members: await published({ visibility: 'members' }),
      paid: await published({ visibility: 'paid', excerpt: 'For those who pay.' }),
      plans: await published({ visibility: 'plans', plan_ids: [toPublicId('mpl', plan)], excerpt: 'For benches.' }),
    }
    const access: Record<string, unknown[]> = {}
    for (const [name, id] of Object.entries(posts)) {
      const replies = await Promise.all(
        [undefined, member.email, blocked.email, payer.email, freeloader.email, owner].map((as) => read(id, as)),
      )
      access[name] = replies.map(({ json }) => json.content_access)
      for (const { json } of replies) {
        expect('content' in json && 'content_html' in json).toBe(json.content_access === 'full')
        expect(json.excerpt).toEqual(name === 'members' ? null : expect.any(String))
      }
    }
    expect(access).toEqual({
      public: ['full', 'full', 'full', 'full', 'full', 'full'],
      members: ['locked', 'full', 'preview', 'preview', 'preview', 'full'],
      paid: ['locked', 'preview', 'preview', 'full', 'preview', 'full'],
      plans: ['locked', 'preview', 'preview', 'full', 'preview', 'full'],
    })
    for (const query of ['', '?expand=author', '?visibility=paid', '?fields=id,excerpt']) {
      const listed = (await api.get(`/api/v1/posts${query}`)).json.data as { id: string }[]
      for (const id of [posts.paid, posts.plans]) expect(JSON.stringify(listed.filter((post) => post.id === id))).not.toContain(secret)
    }
    expect((await api.get('/api/v1/posts?fields=content')).json).toMatchObject({ object: 'list' })
    await sql.query(`UPDATE subscription SET status = 'expired' WHERE person_id = $1`, [payer.id])
    expect((await read(posts.paid, payer.email)).json.content_access).toBe('preview')
  })

  test('a gated post shows the excerpt that its author wrote and none of its text, whatever its visibility was before', async () => {
    const id = await made({ content: 'Passcode 4711', visibility: 'paid' })
    expect((await read(id, owner)).json.excerpt).toBeNull()
    const seen = async (fields: object) => {
      await send(`/${id}`, 'PATCH', fields)
      return (await read(id)).json.excerpt
    }
    expect((await send(`/${id}/publish`, 'POST', {})).status).toBe(200)
    expect(await seen({ title: 'Still gated' })).toBeNull()
    expect(await seen({ visibility: 'public' })).toBe('Passcode 4711')
    expect(await seen({ visibility: 'members', excerpt: 'Passcode 4711' })).toBeNull()
    expect(await seen({ excerpt: 'For members.' })).toBe('For members.')
    expect(await seen({ visibility: 'public' })).toBe('For members.')
    expect(await seen({ excerpt: null })).toBe('Passcode 4711')
    const copy = (await send(`/${id}/duplicate`, 'POST', {})).json.id as string
    expect(await seen({ visibility: 'members' })).toBeNull()
    expect((await send(`/${copy}`, 'PATCH', { visibility: 'paid' })).json.excerpt).toBeNull()
  })

  test('without an excerpt of the author, it is derived from the text and follows its changes', async () => {
    const words = 'Lorem & <b>ipsum</b> dolor. '.repeat(20)
    const id = await made({ content: `# Head\n\n${words}` })
    const { excerpt, reading_minutes } = (await read(id, owner)).json
    expect(excerpt).toMatch(/^Head Lorem & <b>ipsum<\/b> dolor\. .*…$/)
    expect([(excerpt as string).length <= 201, reading_minutes]).toEqual([true, 1])
    expect((await send(`/${id}`, 'PATCH', { content: 'Short.' })).json).toMatchObject({
      excerpt: 'Short.',
      content_html: '<p>Short.</p>\n',
    })
    expect((await send(`/${id}`, 'PATCH', { excerpt: 'Mine.' })).json.excerpt).toBe('Mine.')
    expect((await send(`/${id}`, 'PATCH', { content: 'Another.' })).json.excerpt).toBe('Mine.')
    expect((await send(`/${id}`, 'PATCH', { excerpt: null })).json.excerpt).toBe('Another.')
    expect(
      (await send(`/${id}`, 'PATCH', { content: '<script>alert(1)</script><p>x</p>', content_format: 'html' })).json.content_html,
    ).toBe('<p>x</p>')
    expect((await api.send(`/api/v1/posts/${id}`, { as: owner, method: 'PATCH', body: { content: 'x' } })).status).toBe(428)
  })

  test('three are pinned at most, also under concurrency; archiving unpins', async () => {
    const ids = await Promise.all(Array.from({ length: 5 }, () => published()))
    const replies = await Promise.all(ids.map((id) => send(`/${id}`, 'PATCH', { pinned: true })))
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 422, 422])
    const pinned = replies.find(({ status }) => status === 200)?.json.id
    expect((await send(`/${pinned}/archive`, 'POST', {})).json.pinned).toBe(false)
    const refused = ids[replies.findIndex(({ status }) => status === 422)]
    expect((await send(`/${refused}`, 'PATCH', { pinned: true })).status).toBe(200)
  })

  test('lecturers write as themselves, see their drafts, and publish where the school lets them', async () => {
    const id = await made({}, lecturer)
    const { author } = (await read(id, lecturer)).json as { author: { lecturer_id: string; display_name: string } }
    expect(author.lecturer_id).toMatch(/^lec_/)
    expect((await read(id, 'lecturer1@example.com')).status).toBe(404)
    const [other] = (await api.get('/api/v1/lecturers?limit=100')).json.data as { id: string }[]
    const named = [other?.id, null].filter((one) => one !== author.lecturer_id)
    for (const author_lecturer_id of named)
      expect(fieldErrors(await send(`/${id}`, 'PATCH', { author_lecturer_id }, lecturer))).toEqual(['author_lecturer_id not_allowed'])
    expect(fieldErrors(await send(`/${id}`, 'PATCH', { pinned: true }, lecturer))).toEqual(['pinned read_only_field'])
    const allow = (is: boolean) =>
      api.database.sql.query(`UPDATE school SET settings = settings || $2 WHERE id = $1`, [
        api.school.id,
        JSON.stringify({ lecturer_publishing: is }),
      ])
    await allow(false)
    expect((await send(`/${id}/publish`, 'POST', {}, lecturer)).status).toBe(403)
    await allow(true)
    expect((await send(`/${id}/publish`, 'POST', {}, lecturer)).status).toBe(200)
    expect((await api.get(`/api/v1/posts?author_id=${author.lecturer_id}`)).json.data).toMatchObject([{ id }])
    expect((await send(`/${await made()}`, 'PATCH', { title: 'x' }, lecturer)).status).toBe(404)
    expect((await send(`/${await published()}`, 'PATCH', { title: 'x' }, lecturer)).status).toBe(403)
    const [school] = await api.database.sql.query<{ name: string }>('SELECT name FROM school WHERE id = $1', [api.school.id])
    expect((await read(await made(), owner)).json.author).toEqual({ lecturer_id: null, display_name: school?.name, avatar: null })
  })

  test('tags count what is out', async () => {
    await published({ tags: ['ash', 'bone'] })
    await published({ tags: ['ash'] })
    await made({ tags: ['ash', 'hidden-tag'] })
    const { data } = (await api.get('/api/v1/posts/tags')).json as { data: { tag: string; count: number }[] }
    expect(data.filter(({ tag }) => ['ash', 'bone', 'hidden-tag'].includes(tag))).toEqual([
      { tag: 'ash', count: 2 },
      { tag: 'bone', count: 1 },
    ])
    expect((await api.get('/api/v1/posts?tag=bone')).json.data).toHaveLength(1)
  })

  test('a copy is a draft with the text; a school without a blog has none', async () => {
    const id = await published({ visibility: 'members', external_id: 'erp-1' })
    const copy = (await send(`/${id}/duplicate`, 'POST', {})).json
    expect(copy).toMatchObject({ status: 'draft', content: secret, visibility: 'members', external_id: null, published_at: null })
    await newPost(api.database.sql, api.school.id)
    await api.database.sql.query(`UPDATE school SET features = features || '{"blog": false}' WHERE id = $1`, [api.school.id])
    for (const path of ['', `/${id}`, '/tags']) expect([path, (await api.get(`/api/v1/posts${path}`)).status]).toEqual([path, 404])
    expect((await read(id, owner)).status).toBe(200)
    await api.database.sql.query(`UPDATE school SET features = features || '{"blog": true}' WHERE id = $1`, [api.school.id])
  })
})
