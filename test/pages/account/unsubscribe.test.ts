// Proves RFC 8058 section 3.1: E-mails that can be turned off have List-Unsubscribe and List-Unsubscribe-Post, and no others
// Proves RFC 8058 section 3.2: One POST without cookies turns the e-mails off, and GET turns nothing off

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createKeyring } from '../../../src/base/keyring.ts'
import { compose } from '../../../src/base/mail/compose.ts'
import type { EmailKind } from '../../../src/base/mail/emailKinds.ts'
import { notificationPreferences, optionalPreferences } from '../../../src/school/notifications/notificationPreferences.ts'
import { createUnsubscribeLinks } from '../../../src/school/notifications/unsubscribe.ts'
import { duringTests } from '../../support/duringTests.ts'
import { rootSecret, startService } from '../../support/service.ts'
import { createBrowser } from '../browser.ts'

const service = duringTests(() => startService({ schools: 2 }))
const links = createUnsubscribeLinks(createKeyring([rootSecret]))
let last = 0

const schoolAt = (issuer: string) => ({ id: service.schoolId(issuer), issuer })
const person = (school = service.issuer) => service.addPerson({ email: `reader${++last}@example.org`, school })
const urlFor = (accountId: string, kind: EmailKind = 'post_published', issuer = service.issuer): string =>
  links.url(schoolAt(issuer), { accountId }, kind) ?? ''
const preferencesOf = async (accountId: string) =>
  (
    await service.database.sql.query<{ preferences: Record<string, string> }>('SELECT preferences FROM account WHERE id = $1', [accountId])
  )[0]?.preferences
const oneClick = (
  url: string,
  body: URLSearchParams | FormData | string = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
  headers = {},
) => fetch(url, { method: 'POST', body, headers, redirect: 'manual' })

test('requests count against the limit of public pages, and change nothing above it', async () => {
  const limited = await startService({
    isLimited: true,
    server: { trusted_proxies: ['loopback'], rate_limits: { page: { requests: 2, window_seconds: 3600 } } },
  })
  try {
    const { accountId } = await limited.addPerson({ email: 'limited@example.org' })
    const url = links.url({ id: limited.schoolId(), issuer: limited.issuer }, { accountId }, 'post_published') ?? ''
    const preferences = async () => (await limited.database.sql.query('SELECT preferences FROM account WHERE id = $1', [accountId]))[0]
    const by = (address: string, method = 'GET', at = url) => fetch(at, { method, headers: { 'x-forwarded-for': address } })
    expect((await by('198.51.100.1')).status).toBe(200)
    expect((await by('198.51.100.1', 'GET', `${limited.issuer}/unsubscribe?token=x`)).status).toBe(404)
    const refused = await by('198.51.100.1', 'POST')
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0, await preferences()]).toEqual([429, true, { preferences: {} }])
    expect((await by('198.51.100.2', 'POST')).status).toBe(200)
    expect(await preferences()).toEqual({ preferences: { product_updates: 'none' } })
  } finally {
    await limited.stop()
  }
})

test('e-mails that a preference turns off have the headers of one-click unsubscription; receipts and security e-mails have not', () => {
  const to = { accountId: '01942bc1-1a80-7000-8000-000000000001' }
  const headersOf = (kind: EmailKind) => {
    const unsubscribe = links.url(schoolAt(service.issuer), to, kind)
    const email = { from: { name: '', address: 'a@example.org' }, to: 'b@example.org', subject: '', language: 'en', text: '', html: '' }
    return compose({ ...email, unsubscribe }).headers
  }
  for (const name of optionalPreferences)
    for (const kind of notificationPreferences[name].emails)
      expect(headersOf(kind)).toMatchObject({
        'List-Unsubscribe': expect.stringMatching(new RegExp(`^<${service.issuer}/unsubscribe\\?token=acc_\\w+\\.${name}\\.[\\w-]{43}>$`)),
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      })
  for (const kind of ['receipt', 'receipt_free', 'refund', 'password_reset', 'new_sign_in', 'rsvp_confirmed', 'event_canceled'] as const)
    expect([kind, Object.keys(headersOf(kind) ?? {})]).toEqual([kind, ['Auto-Submitted', 'Content-Language']])
  expect(links.url(schoolAt(service.issuer), { accountId: null }, 'event_reminder')).toBeUndefined()
})

describe('the link', () => {
  test('turns off exactly one preference with one POST, without cookies, any number of times; GET and HEAD turn nothing off', async () => {
    const { accountId } = await person()
    await service.database.sql.query('UPDATE account SET preferences = $2 WHERE id = $1', [accountId, '{"event_reminders":"none"}'])
    const url = urlFor(accountId)
    for (const method of ['GET', 'HEAD', 'GET']) expect([method, (await fetch(url, { method })).status]).toEqual([method, 200])
    expect(await preferencesOf(accountId)).toEqual({ event_reminders: 'none' })
    const form = new FormData()
    form.set('List-Unsubscribe', 'One-Click')
    for (const body of [undefined, form, ''] as const) {
      const response = await oneClick(url, body)
      expect([response.status, response.headers.get('location'), response.headers.get('set-cookie')]).toEqual([200, null, null])
      expect(await preferencesOf(accountId)).toEqual({ event_reminders: 'none', product_updates: 'none' })
    }
    const changes = await service.database.sql.query(
      `SELECT action, actor_kind, version FROM change_log WHERE type = 'account' AND resource_id = $1`,
      [accountId],
    )
    expect(changes).toEqual([{ action: 'updated', actor_kind: 'person', version: 2 }])
  })

  test('shows a page with one button, in the language of the person, which says what ends and leads to all e-mails', async () => {
    for (const [language, words] of [
      ['en', ['Stop these e-mails', 'News about the school', 'E-mails stopped']],
      ['de', ['E-Mails abbestellen', 'Neuigkeiten der Schule', 'E-Mails abbestellt']],
    ] as const) {
      const { accountId } = await person()
      const browser = createBrowser(service.issuer, { 'accept-language': language })
      const { pathname, search } = new URL(urlFor(accountId))
      const page = await browser.get(pathname + search)
      expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store'])
      expect(page.html).toContain(words[0])
      expect(page.html).toContain(words[1])
      expect(page.html).toContain('href="/account/notifications"')
      expect(page.html.match(/<form/g)).toHaveLength(1)
      const done = await browser.post(pathname + search, {})
      expect([done.status, done.html.includes(words[2])]).toEqual([200, true])
      expect(await preferencesOf(accountId)).toEqual({ product_updates: 'none' })
    }
  })

  test('works from another site without a session, because the token alone is the permission', async () => {
    const { accountId } = await person()
    const response = await oneClick(urlFor(accountId, 'comment_replied'), undefined, { origin: 'https://mail.example', cookie: 'a=b' })
    expect([response.status, await preferencesOf(accountId)]).toEqual([200, { comment_replies: 'none' }])
  })

  test('of another school, another account or another preference, altered or made up, changes nothing and shows a clear page', async () => {
    const [{ accountId }, other, foreign] = [await person(), await person(), await person(service.other)]
    const token = new URL(urlFor(accountId)).searchParams.get('token') ?? ''
    const [account = '', preference = '', signature = ''] = token.split('.')
    const [otherAccount] = (new URL(urlFor(other.accountId)).searchParams.get('token') ?? '').split('.')
    const tokens = [
      ...[
        '',
        'x',
        token.slice(0, -1),
        `${token}A`,
        ` ${token}`,
        token.toUpperCase(),
        `${account}.${preference}`,
        `${account}.${preference}.`,
      ],
      ...[`${otherAccount}.${preference}.${signature}`, `${account}.comment_replies.${signature}`, `${account}.billing.${signature}`],
      `${account}.billing.${createKeyring([rootSecret]).sign('unsubscribe links', `${service.schoolId()} ${account}.billing`)}`,
      `${account}.${preference}.${createKeyring([rootSecret]).sign('csrf', `${service.schoolId()} ${account}.${preference}`)}`,
      `${account}.${preference}.${createKeyring([`${rootSecret}!`]).sign('unsubscribe links', `${service.schoolId()} ${account}.${preference}`)}`,
      new URL(urlFor(foreign.accountId, 'post_published', service.other)).searchParams.get('token') ?? '',
      ...["' OR 1=1 --", '\0', 'é'.repeat(300), '__proto__', `${account}.__proto__.${signature}`],
    ]
    for (const tried of tokens) {
      const url = `${service.issuer}/unsubscribe?token=${encodeURIComponent(tried)}`
      const [shown, sent] = [await fetch(url, { headers: { accept: 'text/html' } }), await oneClick(url)]
      expect([tried, shown.status, sent.status]).toEqual([tried, 404, 404])
      expect(await shown.text()).toContain('This link does not work')
    }
    for (const query of ['', '?token=a&token=b', `?token=${token}&token=${token}`])
      expect((await oneClick(`${service.issuer}/unsubscribe${query}`)).status).toBe(404)
    for (const id of [accountId, other.accountId, foreign.accountId]) expect(await preferencesOf(id)).toEqual({})
    // The school that made a link accepts it.
    expect((await oneClick(urlFor(foreign.accountId, 'post_published', service.other))).status).toBe(200)
    expect(await preferencesOf(foreign.accountId)).toEqual({ product_updates: 'none' })
  })

  test('is accepted only with its exact signature, for any change of its characters', () => {
    const url = urlFor('01942bc1-1a80-7000-8000-000000000001')
    const token = new URL(url).searchParams.get('token') ?? ''
    expect(links.read(service.schoolId(), token)).toEqual({
      accountId: '01942bc1-1a80-7000-8000-000000000001',
      preference: 'product_updates',
    })
    fc.assert(
      fc.property(fc.nat(token.length), fc.nat(3), fc.string({ unit: 'binary', maxLength: 4 }), (at, removed, added) => {
        const changed = token.slice(0, at) + added + token.slice(at + removed)
        fc.pre(changed !== token)
        return links.read(service.schoolId(), changed) === undefined
      }),
      { numRuns: 500 },
    )
  })

  test('of an account that was deleted says the same as before, and creates nothing', async () => {
    const response = await oneClick(urlFor('01942bc1-1a80-7000-8000-0000000000ff'))
    expect([response.status, (await response.text()).includes('E-mails stopped')]).toEqual([200, true])
  })

  test('never shows its token in the log', () => {
    expect(service.log()).not.toMatch(/unsubscribe\?|token=acc_/)
  })
})
