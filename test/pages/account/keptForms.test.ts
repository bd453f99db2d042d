import { beforeAll, describe, expect, test } from 'vitest'
import { createKeyring } from '../../../src/base/keyring.ts'
import { filledIn } from '../../../src/pages/account/keptForms.ts'
import { newPost } from '../../support/community.ts'
import { duringTests } from '../../support/duringTests.ts'
import { password, rootSecret, startService } from '../../support/service.ts'
import { type Answer, type Browser, createBrowser } from '../browser.ts'
import { send, signedIn } from './account.ts'

const typed = 'Two lines\nof <b>thought</b> & "quotes"'
const kept = 'Your session had ended'

describe('a form that meets an ended session', () => {
  const service = duringTests(() => startService())
  beforeAll(async () => {
    for (const name of ['ada', 'bea']) {
      const { personId } = await service.addPerson({ email: `${name}@school.example` })
      await service.database.sql.query('UPDATE person SET is_member = true WHERE id = $1', [personId])
    }
    await newPost(service.database.sql, service.schoolId(), { slug: 'discussed' })
  })

  const endSessions = () => service.database.sql.query("DELETE FROM oidc_artifact WHERE model = 'Session'")
  const stored = () => service.database.sql.query<{ payload: string }>("SELECT payload FROM oidc_artifact WHERE model = 'KeptForm'")
  const fields = { body: typed }
  const comment = /\/comments$/
  const textIn = ({ html }: Answer): string =>
    (/<textarea\b[^>]*>\n?([\s\S]*?)<\/textarea>/.exec(html)?.[1] ?? '')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&#34;', '"')
      .replaceAll('&amp;', '&')
  /** Completes the sign-in to which a form has led, and returns the page after it. */
  async function signIn(browser: Browser, answer: Answer, email: string): Promise<Answer> {
    expect([answer.status, answer.location?.pathname]).toEqual([303, '/account/sign-in'])
    const done = await send(browser, await browser.follow(answer), { email, password })
    return await browser.follow(done)
  }
  /** Signs in, opens the post, loses the session, and sends a comment. */
  async function lost(): Promise<{ browser: Browser; page: Answer; answer: Answer }> {
    const browser = await signedIn(service, 'ada@school.example')
    const page = await browser.get('/posts/discussed')
    await endSessions()
    return { browser, page, answer: await send(browser, page, fields, comment) }
  }

  test('is in the form again after the sign-in, without script, until it is sent', async () => {
    const { browser, answer } = await lost()
    const back = await signIn(browser, answer, 'ada@school.example')
    expect([back.url.pathname, textIn(back), back.html.includes(kept)]).toEqual(['/posts/discussed', typed, true])
    expect((await stored()).some(({ payload }) => payload.includes('thought'))).toBe(false)
    // Nothing was sent by itself.
    expect(await service.database.sql.query('SELECT id FROM comment')).toEqual([])
    expect(textIn(await browser.get('/posts/discussed'))).toBe(typed)
    const sent = await send(browser, back, { body: textIn(back) }, comment)
    expect([sent.status, sent.location?.hash.startsWith('#cmt_')]).toEqual([303, true])
    const after = await browser.get('/posts/discussed')
    expect([textIn(after), after.html.includes(kept), await stored()]).toEqual(['', false, []])
  })

  test('is not shown to another person who signs in in this browser, and is gone then', async () => {
    const { browser, answer } = await lost()
    const others = await signIn(browser, answer, 'bea@school.example')
    expect([others.url.pathname, textIn(others), await stored()]).toEqual(['/posts/discussed', '', []])
  })

  test('is kept for the browser and the account that the form was shown to only', async () => {
    const { browser, page } = await lost()
    await service.database.sql.query("DELETE FROM oidc_artifact WHERE model = 'KeptForm'")
    const token = /name="csrf" value="([^"]+)"/.exec(page.html)?.[1] ?? ''
    const [signature] = token.split('.')
    const other = createBrowser(service.issuer)
    await other.get('/account/sign-in')
    // Another browser, a token without an account, a changed account, and a form of another site.
    await other.post('/account/comments', { csrf: token, page: '/posts/discussed', body: typed })
    await browser.post('/account/comments', { csrf: String(signature), page: '/posts/discussed', body: typed })
    await browser.post('/account/comments', { csrf: `${token.slice(0, -13)}AAAA${token.slice(-9)}`, page: '/posts/discussed', body: typed })
    await browser.post(
      '/account/comments',
      { csrf: token, body: typed },
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    )
    expect(await stored()).toEqual([])
    await browser.post('/account/comments', { csrf: token, page: '/posts/discussed', body: typed })
    expect(await stored()).toHaveLength(1)
    await service.database.sql.query("DELETE FROM oidc_artifact WHERE model = 'KeptForm'")
  })

  test('is kept too if the form is of an earlier session of the same person', async () => {
    const browser = await signedIn(service, 'ada@school.example')
    const page = await browser.get('/account/profile')
    await endSessions()
    await browser.follow(await send(browser, await browser.get('/account/sign-in'), { email: 'ada@school.example', password }))
    const answer = await send(browser, page, { name: 'Ada "Kiln" Bowl', locale: 'de' }, /\/account\/profile$/)
    expect([answer.status, answer.location?.pathname]).toEqual([303, '/account/profile'])
    const { html } = await browser.follow(answer)
    expect([html.includes('value="Ada &quot;Kiln&quot; Bowl"'), /<option value="de" selected>/.test(html), html.includes(kept)]).toEqual([
      true,
      true,
      true,
    ])
  })

  test('never contains a password or a code', async () => {
    const browser = await signedIn(service, 'ada@school.example')
    await service.database.sql.query("DELETE FROM oidc_artifact WHERE model = 'KeptForm'")
    const page = await browser.get('/account/login')
    await endSessions()
    const secret = 'a secret that nobody stores'
    await send(browser, page, { current: secret, password: secret, repeated: secret, code: secret }, /password$/)
    const keyring = createKeyring([rootSecret])
    const texts = (await stored()).map(({ payload }) => keyring.tryOpen('kept forms', payload) ?? '')
    expect([texts.length, texts.join('').includes('/account/login'), texts.join('').includes(secret)]).toEqual([1, true, false])
  })
})

test('a form is filled in with every kind of field, only if it is the same form', () => {
  const page = `<form method="post" action="/x"><input type="hidden" name="id" value="1"></form>
<details><summary>Write</summary><form method="post" action="/x"><input type="hidden" name="csrf" value="new"><input type="hidden" name="id" value="2">
<input type="radio" name="q" value="a" checked><input type="radio" name="q" value="b"><input type="password" name="p" value="">
<input name="t" type="text" value="old"></form></details>`
  const form = { accountId: '', page: '/', action: '/x' }
  const filled = filledIn(page, {
    ...form,
    fields: [
      ['csrf', 'old'],
      ['id', '2'],
      ['q', 'b'],
      ['p', 'no'],
      ['t', '$& "new"'],
    ],
  })
  expect(filled).toContain('<details open>')
  expect(filled).toContain('value="a"><input type="radio" name="q" value="b" checked>')
  expect(filled).toContain('name="p" value=""')
  expect(filled).toContain('value="$&amp; &quot;new&quot;"')
  expect(filled).toContain('name="csrf" value="new"')
  expect(filledIn(page, { ...form, fields: [['id', '3']] })).toBeUndefined()
  expect(filledIn(page, { ...form, action: '/y', fields: [['id', '2']] })).toBeUndefined()
})
