import { beforeAll, describe, expect, test } from 'vitest'
import { databasesToTest } from '../../support/databases.ts'
import { duringTests } from '../../support/duringTests.ts'
import { startService } from '../../support/service.ts'
import type { Answer, Browser } from '../browser.ts'
import { createBrowser } from '../browser.ts'
import { siteOwner } from '../siteVisitor.ts'
import { send, signedIn } from './account.ts'

/** The same sentence in six scripts, two of which are written from the right. */
const scripts = [
  'Welcher Ton war das?',
  'Какая это глина?',
  'ما نوع هذا الطين؟',
  'איזה חימר זה?',
  'これはどの粘土ですか？',
  'यह कौन सी मिट्टी है?',
]

describe.each(await databasesToTest())('comments on the pages of the school, on $name', ({ open }) => {
  const service = duringTests(() => startService({ open, people: [{ email: 'admin@example.org', role: 'admin' }] }))
  const owner = duringTests(() => siteOwner(service))
  let moderator: Browser
  const writers = new Map<string, Browser>()
  const query = <Row extends object>(text: string, values: unknown[] = []) => service.database.sql.query<Row>(text, values)
  const writer = (name: string): Browser => {
    const browser = writers.get(name)
    if (!browser) throw new Error(`${name} is not signed in`)
    return browser
  }

  beforeAll(async () => {
    moderator = await signedIn(service, 'admin@example.org')
    for (const name of ['ada', 'bea']) {
      await service.addPerson({ email: `${name}@school.example` })
      writers.set(name, await signedIn(service, `${name}@school.example`))
    }
  })

  async function post(fields: object = {}): Promise<{ id: string; path: string }> {
    const { id, slug } = await owner.call('POST', '/posts', { title: 'Firing', content: 'Hot.', ...fields })
    await owner.call('POST', `/posts/${id}/publish`, {})
    return { id: String(id), path: `/posts/${slug}` }
  }
  const rules = (settings: object) => owner.call('PATCH', '/school', { settings }, { 'if-match': '*' })
  /** Sends one of the forms of a page that contains a text. */
  const press = (browser: Browser, page: Answer, containing: string | RegExp, fields: Record<string, string> = {}): Promise<Answer> => {
    const form = page.html.match(/<form\b[\s\S]*?<\/form>/g)?.find((one) => new RegExp(containing).test(one))
    expect([containing, form !== undefined], page.html.slice(0, 6000)).toEqual([containing, true])
    return send(browser, { ...page, html: form ?? '' }, fields)
  }
  const write = async (browser: Browser, path: string, body: string): Promise<Answer> =>
    press(browser, await browser.get(path), 'id="comment"', { body })
  const idIn = ({ location }: Answer): string => location?.hash.slice(1) ?? ''
  const stored = async (): Promise<number> => Number((await query<{ count: string }>('SELECT count(*) FROM comment'))[0]?.count)

  test('a person writes, answers, changes and deletes comments on the page of a post, and everybody reads them', async () => {
    const { path } = await post()
    const answer = await write(writer('ada'), path, 'Which *clay* was that?\r\n\r\n<script>alert(1)</script>')
    expect([answer.status, answer.location?.pathname, idIn(answer)]).toEqual([303, path, expect.stringMatching(/^cmt_/)])
    const visitor = createBrowser(service.issuer)
    const { html } = await visitor.get(path)
    expect(html).toContain(`<li id="${idIn(answer)}">`)
    expect(html).toContain('<em>clay</em>')
    expect(html).not.toContain('<script>alert')
    expect(html).not.toContain('<textarea')
    const reply = await press(writer('bea'), await writer('bea').get(path), `id="reply-${idIn(answer)}"`, { body: 'Porcelain.' })
    expect(reply.status).toBe(303)
    // Neither of them is offered to change what the other wrote.
    const page = (await writer('ada').get(path)).html
    expect([page.includes(`id="change-${idIn(answer)}"`), page.includes(`id="change-${idIn(reply)}"`)]).toEqual([true, false])
    expect(page).not.toContain(`id="reply-${idIn(reply)}"`)
    const changed = await press(writer('bea'), await writer('bea').get(path), `id="change-${idIn(reply)}"`, { body: 'Stoneware.' })
    expect([changed.status, idIn(changed)]).toEqual([303, idIn(reply)])
    expect((await visitor.get(path)).html).toMatch(/Edited<\/span>[\s\S]*Stoneware\./)
    const deletion = new RegExp(`comments/delete"[\\s\\S]*${idIn(reply)}`)
    expect((await press(writer('bea'), await writer('bea').get(path), deletion)).status).toBe(303)
    const after = (await visitor.get(path)).html
    expect([after.includes('Stoneware'), after.includes('<em>clay</em>')]).toEqual([false, true])
    const rows = await query<{ details: { action: string } }>(`SELECT details FROM audit_log WHERE event = 'comment.written' ORDER BY id`)
    expect(rows.map(({ details }) => details.action)).toEqual(['created', 'created', 'changed', 'deleted'])
  })

  test('a preview shows the comment with its lines and what readers would not see, stores nothing, and is sent from there', async () => {
    const { path } = await post()
    const body = 'Line 1\nLine 2 https://kiln.example/a\n\n![shard](https://pictures.example/a.png) [file](ftp://x.example/a)'
    const before = await stored()
    const shown = await press(writer('ada'), await writer('ada').get(path), 'id="comment"', { body, preview: '1' })
    expect(shown.status).toBe(200)
    const [section = ''] = /<section[^>]*>\s*<h2[^>]*>Preview[\s\S]*?<\/section>/.exec(shown.html) ?? []
    expect(section).toMatch(/Line 1<br[^>]*>\s*Line 2 <a href="https:\/\/kiln.example\/a"/)
    expect(section).toContain('Readers do not see: <bdi>img https://pictures.example/a.png, a ftp://x.example/a')
    expect(await stored()).toBe(before)
    expect(shown.html).toContain('Line 1\nLine 2 https://kiln.example/a')
    const sent = await press(writer('ada'), shown, 'comment-form', { body })
    expect([sent.status, sent.location?.pathname, await stored()]).toEqual([303, path, before + 1])
    expect((await writer('ada').get(path)).html).toMatch(/Line 1<br[^>]*>\s*Line 2/)
    const empty = await press(writer('ada'), await writer('ada').get(path), 'id="comment"', { body: ' ', preview: '1' })
    expect([empty.status, empty.html.includes('Preview</h2>')]).toEqual([422, false])
  })

  test('a button that is pressed twice writes one comment, and a form that was used for another text says so', async () => {
    const { path } = await post()
    const page = await writer('ada').get(path)
    const before = await stored()
    const answers = await Promise.all([1, 2, 3].map(() => press(writer('ada'), page, 'id="comment"', { body: 'Twice' })))
    expect(new Set(answers.map((answer) => `${answer.status} ${idIn(answer)}`)).size).toBe(1)
    expect(await stored()).toBe(before + 1)
    const other = await press(writer('ada'), page, 'id="comment"', { body: 'Another text' })
    expect([other.status, other.html.includes('Another text</textarea>'), await stored()]).toEqual([422, true, before + 1])
    const rows = await query<{ comments_count: number }>('SELECT comments_count FROM post WHERE slug = $1', [path.split('/').at(-1)])
    expect(rows[0]?.comments_count).toBe(1)
  })

  test('comments are written in six scripts, and are shown in the direction of their first letter', async () => {
    const { path } = await post()
    for (const text of scripts) expect((await write(writer('ada'), path, text)).status).toBe(303)
    const { html } = await createBrowser(service.issuer).get(path)
    for (const text of scripts) expect(html).toMatch(new RegExp(`<div class="prose" dir="auto"><p>${text.replace('?', '\\?')}</p>`))
    expect((await writer('ada').get(path)).html).toContain('name="body" dir="auto"')
  })

  test('a visitor is led to the sign-in and back; where nobody may comment, neither link nor form is there', async () => {
    const { id, path } = await post()
    const visitor = createBrowser(service.issuer)
    const link = `/account/sign-in?return_to=${encodeURIComponent(path)}`
    expect((await visitor.get(path)).html).toContain(`<a href="${link}">Sign in to comment</a>`)
    const answer = await send(visitor, await visitor.get(link), { email: 'ada@school.example', password: 'correct horse battery staple' })
    expect(answer.location?.pathname).toBe(path)
    expect((await visitor.get(path)).html).toContain('id="comment"')
    const closed = await visitor.get(path)
    await owner.call('PATCH', `/posts/${id}`, { comments_enabled: false }, { 'if-match': '*' })
    for (const browser of [createBrowser(service.issuer), visitor]) {
      const { html } = await browser.get(path)
      expect([html.includes('Sign in to comment'), html.includes('<textarea')]).toEqual([false, false])
    }
    const late = await press(visitor, closed, 'id="comment"', { body: 'Too late' })
    expect([late.status, late.html.includes('Too late</textarea>'), late.html.includes('You cannot comment here.')]).toEqual([
      404,
      true,
      true,
    ])
    const locked = await post({ visibility: 'members' })
    expect((await createBrowser(service.issuer).get(locked.path)).html).not.toContain('Sign in to comment')
    expect((await fetch(`${service.issuer}${path}.md`).then((response) => response.text())).includes('Sign in')).toBe(false)
  })

  test('an empty and a too long comment are rejected with the text that was written, and the longest one is stored', async () => {
    const { path } = await post()
    const before = await stored()
    for (const [body, words] of [
      [' \u200b\r\n ', 'Write a comment first.'],
      ['x'.repeat(5001), 'Use at most 5,000 characters'],
      [`${'|a'.repeat(400)}\n${'|-'.repeat(400)}\n${'|\n'.repeat(200)}`, 'too much formatting'],
    ] as const) {
      const { status, html } = await write(writer('ada'), path, body)
      expect([status, html.includes(words), html.includes('aria-invalid="true"')], html.slice(0, 4000)).toEqual([422, true, true])
      expect(html).toContain('<a href="#body">')
    }
    expect(await stored()).toBe(before)
    // Browsers count a line break once and send it as two characters.
    expect((await write(writer('ada'), path, `${'x\r\n'.repeat(2499)}x`)).status).toBe(303)
    const again = await write(writer('ada'), path, '')
    expect((await press(writer('ada'), again, 'id="body"', { body: 'Corrected' })).location?.pathname).toBe(path)
  })

  test('a held comment says to its author that it waits, and is public after a moderator approved it', async () => {
    const { path } = await post()
    await rules({ comment_moderation: 'all' })
    const answer = await write(writer('ada'), path, 'Please approve')
    await rules({ comment_moderation: 'none' })
    const own = (await writer('ada').get(path)).html
    expect(own).toMatch(/<bdi>You<\/bdi>[\s\S]*Waits for approval[\s\S]*Please approve/)
    for (const browser of [writer('bea'), createBrowser(service.issuer)])
      expect((await browser.get(path)).html).not.toContain('Please approve')
    const decide = async (label: string): Promise<Answer> => {
      const page = await moderator.get(`/account/school/comments/${idIn(answer)}`)
      return press(moderator, page, `>${label}</button>`)
    }
    const queue = (await moderator.get('/account/school/comments')).html
    expect(queue.indexOf('Please approve')).toBeLessThan(queue.indexOf('id="others"'))
    expect(queue).toContain('every comment is checked')
    expect((await decide('Approve')).location?.search).toBe('?done=approve')
    const visitor = createBrowser(service.issuer)
    expect((await visitor.get(path)).html).toContain('Please approve')
    await decide('Hide')
    expect((await visitor.get(path)).html).not.toContain('Please approve')
    // Its author cannot bring back a hidden comment.
    expect((await writer('ada').get(path)).html).not.toContain('Please approve')
    await decide('Delete')
    const rows = await query<{ status: string; body: string | null; moderation: { by: string } }>(
      `SELECT status, body, moderation FROM comment WHERE moderation ->> 'by' IS NOT NULL`,
    )
    expect(rows).toMatchObject([{ status: 'deleted', body: null }])
    expect((await moderator.get('/account/school/audit')).html).toMatch(
      / deleted a comment\.[\s\S]* hid a comment\.[\s\S]* approved a comment\./,
    )
    const audits = await query<{ details: object }>(`SELECT details FROM audit_log WHERE event = 'comment.moderated' ORDER BY id`)
    expect(audits.map(({ details }) => details)).toEqual(
      ['approve', 'hide', 'delete'].map((decision) => ({ comment: idIn(answer), decision })),
    )
  })

  test('a moderator decides about the text that they have read, on the list or on the page of the comment, and sees the effect there', async () => {
    const { path } = await post()
    await rules({ comment_moderation: 'all' })
    const id = idIn(await write(writer('ada'), path, `Harmless. ${'Long. '.repeat(100)}`))
    await rules({ comment_moderation: 'none' })
    const [list, page] = [await moderator.get('/account/school/comments'), await moderator.get(`/account/school/comments/${id}`)]
    const row = list.html.match(/<tr>[\s\S]*?<\/tr>/g)?.find((one) => one.includes(id)) ?? ''
    expect(row.length).toBeLessThan(2000)
    expect(page.html).toContain('Everybody who can open the page reads the comment.')
    await press(writer('ada'), await writer('ada').get(path), `id="change-${id}"`, { body: 'Visit my casino' })
    for (const older of [{ ...list, html: row }, page]) {
      const { status, html } = await press(moderator, older, '>Approve</button>')
      expect([status, html.includes('The author has changed the text since.')]).toEqual([412, true])
    }
    expect((await createBrowser(service.issuer).get(path)).html).not.toContain('Visit my casino')
    const both = await moderator.get(`/account/school/comments/${id}`)
    const answers = await Promise.all([1, 2].map(() => press(moderator, both, '>Approve</button>')))
    expect(answers.map(({ location }) => location?.search)).toEqual(['?done=approve', '?done=approve'])
    expect((await moderator.get(`/account/school/comments/${id}`)).html).toContain(`href="${path.replace(/[^/]+$/, '')}`)
    for (const [browser, at] of [
      [writer('ada'), id],
      [moderator, 'cmt_00000000000000000000000000'],
      [moderator, 'crs_00000000000000000000000000'],
      [moderator, "cmt_'"],
    ] as const)
      expect([at, (await browser.get(`/account/school/comments/${at}`)).status]).toEqual([at, 404])
  })

  test('a changed text that the rules of the school hold waits again', async () => {
    const { path } = await post()
    const answer = await write(writer('bea'), path, 'Harmless')
    await rules({ comment_blocked_words: ['casino'] })
    await press(writer('bea'), await writer('bea').get(path), `id="change-${idIn(answer)}"`, { body: 'Visit my casino' })
    await rules({ comment_blocked_words: [] })
    expect((await createBrowser(service.issuer).get(path)).html).not.toMatch(/casino|Harmless/)
    expect((await writer('bea').get(path)).html).toContain('Visit my casino')
    const rows = await query<{ comments_count: number }>('SELECT comments_count FROM post WHERE slug = $1', [path.split('/').at(-1)])
    expect(rows[0]?.comments_count).toBe(0)
  })

  test('nobody writes where they cannot read, in the name of others, or over the comments of others, and forms lead nowhere else', async () => {
    const [open_, other, locked] = [await post(), await post(), await post({ visibility: 'members' })]
    const answer = await write(writer('ada'), open_.path, 'Mine')
    const page = await writer('bea').get(open_.path)
    const before = await stored()
    const attempt = (fields: Record<string, string>, form = 'id="comment"') =>
      press(writer('bea'), page, form, { body: 'Attack', ...fields })
    expect((await attempt({ subject: locked.id })).status).toBe(404)
    expect((await attempt({ subject: 'crs_00000000000000000000000000' })).status).toBe(404)
    expect((await attempt({ subject: other.id, parent: idIn(answer) })).status).toBe(422)
    expect((await attempt({ parent: 'cmt_00000000000000000000000000' })).status).toBe(422)
    expect((await attempt({ csrf: 'forged' })).status).toBe(403)
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.html)?.[1] ?? ''
    for (const path of ['/account/comments/change', '/account/comments/delete'])
      expect([
        path,
        (await writer('bea').post(path, { csrf, comment: idIn(answer), page: open_.path, body: 'Taken over' })).status,
      ]).toEqual([path, 404])
    for (const path of ['/account/school/comments']) {
      expect((await writer('bea').get(path)).status).toBe(404)
      expect((await writer('bea').post(path, { csrf, comment: idIn(answer), decision: 'hide' })).status).toBe(404)
    }
    expect((await moderator.post('/account/school/comments', { csrf, comment: idIn(answer), decision: 'hide' })).status).toBe(403)
    expect(await stored()).toBe(before)
    for (const target of ['https://evil.example/', '//evil.example', '/oauth/logout', '/\\evil.example'])
      expect((await attempt({ page: target, once: target })).location?.pathname).toBe('/account')
    // A comment is not a way into what is for members.
    expect((await writer('bea').get(locked.path)).html).toContain('This post is for members')
    await query(`UPDATE person SET member_status = 'blocked' WHERE email = 'bea@school.example'`)
    expect((await attempt({ once: 'blocked' })).status).toBe(404)
    expect((await writer('bea').get(open_.path)).html).not.toContain('<textarea')
    await query(`UPDATE person SET member_status = 'active' WHERE email = 'bea@school.example'`)
    expect((await createBrowser(service.issuer).post('/account/comments', { subject: open_.id, body: 'Nobody' })).location?.pathname).toBe(
      '/account/sign-in',
    )
  })

  test('a learner comments in the lesson reader', async () => {
    const { id: lecturer } = await owner.call('POST', '/lecturers', { display_name: 'Marlo Quillfeather' })
    const { id, slug } = await owner.call('POST', '/courses', { title: 'Clay From Scratch', access: 'free', lecturer_ids: [lecturer] })
    const { id: section } = await owner.call('POST', `/courses/${id}/sections`, { title: 'Start' })
    const { id: lesson } = await owner.call('POST', `/sections/${section}/lessons`, {
      title: 'Wedging',
      kind: 'text',
      content: 'Knead.',
    })
    await owner.call('POST', `/lessons/${lesson}/publish`, {})
    await owner.call('POST', `/courses/${id}/publish`, {})
    const path = `/account/courses/${slug}/lessons/${lesson}`
    expect((await writer('ada').get(path)).html).not.toContain('id="comment"')
    await press(writer('ada'), await writer('ada').get(`/courses/${slug}`), '>Enrol</button>')
    const answer = await write(writer('ada'), path, 'How *long*?')
    expect([answer.status, answer.location?.pathname]).toEqual([303, path])
    expect((await writer('ada').get(path)).html).toMatch(/<h2 id="comments"[^>]*>Comments<\/h2>[\s\S]*<em>long<\/em>/)
    expect((await writer('bea').get(path)).html).not.toContain('long')
    const page = await writer('ada').get(path)
    const refused = await press(writer('bea'), await writer('bea').get((await post()).path), 'id="comment"', {
      subject: String(lesson),
      body: 'Let me in',
    })
    expect([page.status, refused.status]).toEqual([200, 404])
  })
})

test('a person who writes too many comments is asked to wait, and keeps the text', async () => {
  const service = await startService({ isLimited: true, server: { rate_limits: { comment_per_person: { requests: 2 } } } })
  try {
    const owner = await siteOwner(service)
    const { id, slug } = await owner.call('POST', '/posts', { title: 'Firing', content: 'Hot.' })
    await owner.call('POST', `/posts/${id}/publish`, {})
    await service.addPerson({ email: 'ada@school.example' })
    const browser = await signedIn(service, 'ada@school.example')
    const statuses: number[] = []
    for (const body of ['One', 'Two', 'Three']) {
      const answer = await send(browser, await browser.get(`/posts/${slug}`), { body }, /comments$/)
      statuses.push(answer.status)
      if (answer.status === 429) expect(answer.html).toMatch(/Try again in about \d+ min[\s\S]*Three<\/textarea>/)
    }
    expect(statuses).toEqual([303, 303, 429])
  } finally {
    await service.stop()
  }
})
