import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { accountPaths } from '../../../src/base/accountPaths.ts'
import { hash } from '../../../src/base/keyring.ts'
import { saveMailedLink } from '../../../src/database/tables/mailedLinks.ts'
import { createAgent, personCalled } from '../../support/agent.ts'
import { duringTests } from '../../support/duringTests.ts'
import { startService } from '../../support/service.ts'
import { type Answer, createBrowser } from '../browser.ts'
import { choosePassword, resetLink, send, signedIn, signUpLink } from './account.ts'

const wild = `"><script>alert(1)</script><b>'&{school}%0a\u202e`
const service = duringTests(() => startService())
let answers: [what: string, answer: Answer][]

beforeAll(async () => {
  const { sql } = service.database
  const { accountId } = await service.addPerson({ email: 'marlo@example.com' })
  await sql.query('UPDATE account SET name = $1 WHERE id = $2', [wild, accountId])
  await sql.query('UPDATE school SET name = $1', [wild.replace('\u202e', '')])
  await (await createAgent(service.issuer, { client_name: wild })).tokens(personCalled('marlo@example.com'))
  await (await createAgent(service.issuer, {})).tokens(personCalled('marlo@example.com'))
  const browser = createBrowser(service.issuer)
  const [signIn, signUp, forgotten] = [
    await browser.get('/account/sign-in'),
    await browser.get('/account/sign-up'),
    await browser.get('/account/password'),
  ]
  const [newcomer, reset] = [
    await signUpLink(service, 'new@example.com', wild.replace('\u202e', '')),
    await resetLink(service, 'marlo@example.com'),
  ]
  const inside = await signedIn(service, 'marlo@example.com')
  const token = `e-mail-token-${accountId}`
  await saveMailedLink(service.database.kysely, {
    schoolId: service.schoolId(),
    id: hash(token),
    purpose: 'email_change',
    email: 'fresh@example.com',
    accountId,
    expiresInSeconds: 3600,
  })
  const apps = await inside.get('/account/apps')
  answers = [
    ['sign-in', signIn],
    ['sign-in with a target', await browser.get(`/account/sign-in?return_to=${encodeURIComponent('/account/email?token="><script>')}`)],
    ['sign-in failed', await send(browser, signIn, { email: wild, password: wild })],
    ['sign-up', signUp],
    ['sign-up failed', await send(browser, signUp, { email: wild, name: wild.repeat(5) })],
    ['forgotten', forgotten],
    ['forgotten failed', await send(browser, forgotten, { email: wild })],
    ['mail sent', await send(browser, forgotten, { email: 'nobody@example.com' })],
    ['finish sign-up', await browser.get(newcomer.href)],
    ['finish sign-up failed', await send(browser, await browser.get(newcomer.href), { password: wild, repeated: '' })],
    ['new password', await browser.get(reset.href)],
    ['e-mail change', await inside.get(`/account/email?token=${token}`)],
    ['link ended', await browser.get(`/account/password/new?token=${encodeURIComponent(wild)}`)],
    ['apps', apps],
    ['apps after ending one', await inside.get('/account/apps?done=revoked')],
    ['apps with a notice that there is not', await inside.get(`/account/apps?done=${encodeURIComponent(wild)}`)],
    ['nothing here', await inside.get(`/account/${encodeURIComponent(wild)}`)],
    [
      'no such app',
      await send(inside, { ...apps, html: apps.html.replace(/name="client" value="[^"]*"/, 'name="client" value="x"') }, {}, /remove$/),
    ],
    ['foreign form', await browser.post('/account/sign-in', { email: wild })],
    ['password set', await choosePassword(service, reset)],
  ]
})

describe('every account page', () => {
  test('is a page that cannot be framed, cached or scripted, and that reveals nothing to other sites', () => {
    expect(answers).toHaveLength(20)
    for (const [what, { headers }] of answers) {
      const policy = headers.get('content-security-policy')
      // The forms of a sign-in run the script that sends a form once.
      expect([what, policy?.replace(` script-src ${service.issuer}/assets/pages.js;`, '')]).toEqual([
        what,
        `default-src 'none'; style-src 'self'; img-src 'self' data:; font-src 'self'; manifest-src 'self'; connect-src ${service.issuer}/robots.txt ${service.issuer}/llms.txt; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
      ])
      const of = (name: string) => headers.get(name)
      expect([
        what,
        of('content-type'),
        of('x-frame-options'),
        of('cache-control'),
        of('referrer-policy'),
        of('x-content-type-options'),
      ]).toEqual([what, 'text/html; charset=utf-8', 'DENY', 'no-store', 'no-referrer', 'nosniff'])
      expect([what, of('access-control-allow-origin')]).toEqual([what, null])
    }
  })

  test('prints what strangers wrote as text', () => {
    for (const [what, { html }] of answers) {
      const own = html.replace(/<script src="\/assets\/pages\.js\?v=[\w-]+" defer><\/script>/, '')
      expect([what, /<script|<b>|\u202e| on[a-z]+=|style=/.exec(own)?.[0]]).toEqual([what, undefined])
      for (const [, target] of html.matchAll(/(?:href|action|src)="([^"]*)"/g)) expect(target).toMatch(/^\/(?:[a-z]|$)|^data:,$/)
    }
  })

  test('has one heading, a language, a title, a label for each field and every description that a field names', () => {
    for (const [what, { html }] of answers) {
      expect([what, html.match(/<h1[ >]/g)?.length]).toEqual([what, 1])
      expect(html).toMatch(/<html lang="en">[\s\S]*<title>[^<]+<\/title>/)
      const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
      expect([what, new Set(ids).size]).toEqual([what, ids.length])
      for (const [, id] of html.matchAll(/<input[^>]*? id="([^"]+)"/g)) expect(html).toContain(`<label for="${id}">`)
      for (const [, list = ''] of html.matchAll(/aria-(?:describedby|labelledby)="([^"]+)"/g)) {
        for (const id of list.split(' ')) expect(ids).toContain(id)
      }
      for (const [form] of html.matchAll(/<form[\s\S]*?<\/form>/g))
        expect(form).toMatch(/method="post"[\s\S]*name="csrf" value="[\w-]{43}(?:\.[\w-]+=[\w-]{8})?"/)
    }
  })

  test('answers with the status that it means', () => {
    const expected: Record<string, number> = {
      'sign-in failed': 400,
      'sign-up failed': 400,
      'forgotten failed': 400,
      'finish sign-up failed': 400,
      'link ended': 410,
      'nothing here': 404,
      'no such app': 404,
      'foreign form': 403,
    }
    for (const [what, { status }] of answers) expect([what, status]).toEqual([what, expected[what] ?? 200])
  })
})

test('the API never answers at these addresses, and other methods find nothing', async () => {
  for (const path of Object.values(accountPaths)) {
    const answer = await fetch(service.issuer + path, { method: 'DELETE', headers: { origin: 'https://evil.example' } })
    expect([path, answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([path, 404, null])
  }
})

test('no view of the account pages prints anything unescaped but sanitised HTML', () => {
  const views = [
    'account',
    'account-head',
    'account-form',
    'account-foot',
    'account-apps',
    'account-factor',
    'account-security',
    'account-table',
    'account-cell',
    'form',
    'site-comments',
    'comment-form',
  ]
  for (const name of [...views, 'account-message', 'passkey', 'factor-setup']) {
    const source = readFileSync(new URL(`../../../views/${name}.ejs`, import.meta.url), 'utf8')
    for (const [tag] of source.matchAll(/<%-[\s\S]*?%>/g))
      expect(tag).toMatch(
        /^<%- include\('((account-)?(head|foot|parts|form|table|cell|neighbours)|passkey|factor-setup|qr)', (page|\{ (neighbours: page\.neighbours, label: page\.neighboursLabel|cell: cell|table: section\.table, csrf: page\.csrf) \}|\{ qr: [a-z.A-Z]+ \}|\{ parts: [a-z.A-Z]+ \}|\{ form: [a-z.]+, csrf: (page\.)?csrf \})\) %>$|^<%- include\('site-html', \{ html: section\.html, textLanguage: page\.textLanguage \}\) %>$|^<%- include\('site-html', \{ html: html, textLanguage: undefined \}\) %>$|^<%- include\('(site-comments', \{ comments: (section\.comments|replies)|comment-form', \{ form: (form|section\.commentForm)), csrf: page\.csrf \}\) %>$/,
      )
  }
})
