import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { fromPublicId } from '../../../src/base/ids.ts'
import { holdReason } from '../../../src/school/comments/addComment.ts'
import { allScopes, createAgent, personCalled } from '../../support/agent.ts'
import { databasesToTest } from '../../support/databases.ts'
import { duringTests } from '../../support/duringTests.ts'
import { startPlatform } from '../../support/platform.ts'
import { until } from '../../support/poll.ts'
import { startService } from '../../support/service.ts'

/** A comment as it must be. */
interface Expected {
  status: 'published' | 'pending' | 'hidden' | 'deleted'
  parent: string | undefined
  isSpam: boolean
  /** True if it was hidden with the comment that it replies to. */
  isHiddenWith?: boolean
}

const decisions = ['approve', 'hide', 'spam', 'delete'] as const
const statusAfter = { approve: 'published', hide: 'hidden', spam: 'hidden', delete: 'deleted' } as const

describe.each(await databasesToTest())('the comments of an empty school, on $name', ({ open }) => {
  const service = duringTests(() => startService({ open, schools: 2, people: [{ email: 'owner@school.example', role: 'owner' }] }))
  const platform = duringTests(() => startPlatform(service))
  let token = ''
  beforeAll(async () => {
    const agent = await createAgent(service.issuer)
    const { body } = await agent.tokens(personCalled('owner@school.example'), { scope: allScopes }, { scopes: 'all' })
    token = body.access_token
  })

  async function call(method: string, path: string, body?: object) {
    const response = await fetch(`${service.issuer}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'if-match': '*' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    expect(response.status, `${method} ${path}: ${text}`).toBeLessThan(300)
    return text === '' ? {} : JSON.parse(text)
  }
  async function newPost(): Promise<string> {
    const post = await call('POST', '/posts', { title: 'First firing', content: 'It was hot.' })
    await call('POST', `/posts/${post.id}/publish`, {})
    return post.id
  }
  const rules = (settings: object) => call('PATCH', '/school', { settings })
  const add = (post: string, author: string, more: object = {}, school = 'first') =>
    platform.report('/comments', {
      school,
      subject: { type: 'post', id: post },
      author: { email: `${author}@example.org` },
      body: 'Clay',
      ...more,
    })
  const decide = (comment: string, decision: string, school = 'first') =>
    platform.report(`/comments/${comment}/${decision}`, { school, moderator: 'Hazel' })
  const feed = async (id: string): Promise<string[]> =>
    (
      await service.database.sql.query<{ action: string }>('SELECT action FROM change_log WHERE resource_id = $1 ORDER BY id', [
        fromPublicId('cmt', id),
      ])
    ).map(({ action }) => action)
  const anonymously = async (post: string): Promise<{ id: string; replies_count: number; body: string | null }[]> => {
    const response = await fetch(`${service.issuer}/api/v1/posts/${post}/comments?limit=100`)
    return ((await response.json()) as { data: { id: string; replies_count: number; body: string | null }[] }).data
  }

  test('the rules of the school hold comments of members, through every way in, and never those of staff', async () => {
    const post = await newPost()
    await rules({ comment_moderation: 'first', comment_max_links: 1, comment_blocked_words: ['casino', 'easy money'] })
    const status = async (author: string, more: object = {}): Promise<string> => (await add(post, author, more)).body.status
    const first = await add(post, 'wren')
    expect(first.body.status).toBe('pending')
    expect(await status('wren')).toBe('pending')
    expect((await decide(first.body.id, 'approve')).body.status).toBe('published')
    expect(await status('wren')).toBe('published')
    expect(await status('wren', { body: 'https://a.example' })).toBe('published')
    expect(await status('wren', { body: 'https://a.example [b](https://b.example)' })).toBe('pending')
    expect(await status('wren', { body: 'My CASINO!' })).toBe('pending')
    expect(await status('wren', { body: 'ｅasy - money' })).toBe('pending')
    expect(await status('wren', { body: 'casinos and easy clay, money' })).toBe('published')
    expect(await status('wren', { spam: true })).toBe('hidden')
    expect(
      (
        await platform.report('/comments', {
          school: 'first',
          subject: { type: 'post', id: post },
          author: { email: 'owner@school.example' },
          body: 'Casino',
        })
      ).body.status,
    ).toBe('published')
    await rules({ comment_moderation: 'all' })
    expect(await status('wren')).toBe('pending')
    await rules({ comment_moderation: 'none', comment_max_links: null, comment_blocked_words: [] })
    expect(await status('someone-new')).toBe('published')
    const { data } = await call('GET', `/posts/${post}/comments?status=pending&limit=100`)
    expect(data.map(({ moderation }: { moderation: { reason: string } }) => moderation.reason).toSorted()).toEqual([
      'Held: every comment is checked.',
      'Held: it contains a blocked word.',
      'Held: it contains a blocked word.',
      'Held: the first comment of the person.',
      'Held: too many links.',
    ])
  })

  test('a comment keeps the line breaks that its author typed', async () => {
    const post = await newPost()
    const { body } = await add(post, 'wren', { body: 'Line 1\nLine 2\n\nLine 3' })
    expect((await call('GET', `/comments/${body.id}`)).body_html).toBe('<p>Line 1<br />\nLine 2</p>\n<p>Line 3</p>\n')
  })

  test('counts, visibility and the change feed follow every decision, as a model of them does', async () => {
    const post = await newPost()
    const model = new Map<string, Expected>()
    const visible = (one: Expected): boolean =>
      one.status === 'published' && (one.parent === undefined || model.get(one.parent)?.status !== 'hidden')
    const [picks] = fc.sample(fc.array(fc.tuple(fc.nat(99), fc.nat(99)), { minLength: 70, maxLength: 70 }), { seed: 20261123, numRuns: 1 })
    const played = { added: 0, replies: 0, decided: 0, refused: 0 }
    for (const [kind, which] of picks ?? []) {
      const known = [...model]
      if (kind < 45 || known.length === 0) {
        const [parent] = known[which % Math.max(1, known.length)] ?? []
        const isReply = kind < 20 && parent !== undefined
        const { status, body } = await add(post, `person-${which % 5}`, {
          ...(isReply && { parent_id: parent }),
          ...(kind % 7 === 0 && { status: 'pending' }),
        })
        const above = isReply ? model.get(parent) : undefined
        if (isReply && (above?.status !== 'published' || above.parent !== undefined)) {
          expect(status).toBe(422)
          played.refused++
          continue
        }
        expect(status, JSON.stringify(body)).toBe(201)
        model.set(body.id, { status: body.status, parent: isReply ? parent : undefined, isSpam: false })
        played[isReply ? 'replies' : 'added']++
      } else {
        const [id, comment] = known[which % known.length] as [string, Expected]
        const decision = decisions[kind % 4] ?? 'hide'
        const { status, body } = await decide(id, decision)
        const above = comment.parent === undefined ? undefined : model.get(comment.parent)
        const isNothing = comment.status === statusAfter[decision] && (decision !== 'spam' || comment.isSpam)
        const isAllowed =
          isNothing ||
          (comment.status !== 'deleted' &&
            !(comment.status === 'hidden' && decision === 'hide') &&
            !(decision === 'approve' && above !== undefined && (above.status === 'pending' || above.status === 'hidden')))
        if (!isAllowed) {
          expect(status, `${decision} of ${comment.status}`).toBe(409)
          played.refused++
          continue
        }
        expect([status, body.status]).toEqual([200, statusAfter[decision]])
        if (!isNothing) {
          model.set(id, { ...comment, status: statusAfter[decision], isSpam: decision === 'spam', isHiddenWith: false })
          for (const [other, one] of model) {
            if (one.parent !== id) continue
            if (statusAfter[decision] === 'hidden' && one.status === 'published')
              model.set(other, { ...one, status: 'hidden', isSpam: false, isHiddenWith: true })
            if (decision === 'approve' && one.isHiddenWith) model.set(other, { ...one, status: 'published', isHiddenWith: false })
          }
        }
        played.decided++
      }
    }
    const published = [...model.values()].filter(visible).length
    expect((await call('GET', `/posts/${post}`)).comments_count).toBe(published)
    const repliesOf = (id: string): number =>
      [...model.values()].filter(({ parent, status }) => parent === id && status === 'published').length
    const shown = new Map((await anonymously(post)).map((one) => [one.id, one]))
    const mustBeShown = [...model].filter(([id, one]) => one.status === 'published' || (one.status === 'deleted' && repliesOf(id) > 0))
    expect([...shown.keys()].toSorted()).toEqual(mustBeShown.map(([id]) => id).toSorted())
    for (const [id, one] of shown)
      expect([id, one.replies_count, one.body]).toEqual([id, repliesOf(id), model.get(id)?.status === 'deleted' ? null : 'Clay'])
    const [left] = await service.database.sql.query<{ texts: string }>(
      `SELECT count(*)::text AS texts FROM comment WHERE status = 'deleted' AND (body IS NOT NULL OR body_html IS NOT NULL)`,
    )
    expect(left?.texts).toBe('0')
    expect(played).toMatchObject({ added: expect.any(Number), replies: expect.any(Number) })
    for (const count of Object.values(played)) expect(count).toBeGreaterThan(2)
  })

  test('the change feed names what happened to a comment, and another school cannot decide about it', async () => {
    const post = await newPost()
    const held = await add(post, 'robin', { status: 'pending' })
    expect((await decide(held.body.id, 'approve', 'second')).status).toBe(404)
    await decide(held.body.id, 'approve')
    await decide(held.body.id, 'approve')
    const reply = await add(post, 'robin', { parent_id: held.body.id })
    await decide(held.body.id, 'spam')
    await decide(held.body.id, 'approve')
    await decide(held.body.id, 'hide')
    await decide(held.body.id, 'delete')
    expect(await feed(held.body.id)).toEqual(['created', 'approved', 'replied', 'spam', 'approved', 'hidden', 'deleted'])
    expect(await feed(reply.body.id)).toEqual(['created', 'hidden', 'approved', 'hidden'])
    expect((await decide(held.body.id, 'approve')).status).toBe(409)
    expect((await decide('cmt_01jgwejj00e6srgkpqm2sqf05m', 'hide')).status).toBe(404)
    expect((await decide('x', 'hide')).status).toBe(404)
    // The feed shows a change once every older transaction of the server has ended.
    await until(
      async () => {
        const { data } = await call('GET', '/changes?types=comment&limit=500')
        const changes: { action: string; resource: { id: string } }[] = data
        return changes.some(({ action, resource }) => action === 'spam' && resource.id === held.body.id)
      },
      { what: 'the change in the feed' },
    )
  })
})

test('the check of a comment ends for every text, and an empty rule holds nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 5000 }), fc.array(fc.string({ unit: 'binary', maxLength: 60 })), (body, words) => {
      expect(holdReason({}, { body, html: '', isFirst: true })).toBeUndefined()
      expect(holdReason({ comment_blocked_words: ['', ' ', '!'] }, { body, html: '', isFirst: true })).toBeUndefined()
      holdReason({ comment_blocked_words: words, comment_max_links: 0 }, { body, html: '', isFirst: false })
    }),
  )
})
