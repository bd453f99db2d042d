import { describe, expect, test } from 'vitest'
import { notificationPreferences, optionalPreferences } from '../../../src/school/notifications/notificationPreferences.ts'
import { duringTests } from '../../support/duringTests.ts'
import { until } from '../../support/poll.ts'
import { password, startService } from '../../support/service.ts'
import { type Browser, createBrowser, field } from '../browser.ts'
import { auditOf, isSignedIn, lastLink, newPassword, send, signedIn } from './account.ts'

const service = duringTests(() => startService({ schools: 2 }))

let count = 0
/** A person who is signed in. */
async function person(role: 'learner' | 'owner' = 'learner') {
  const email = `own${++count}@example.com`
  const { accountId, personId } = await service.addPerson({ email, role })
  return { email, accountId, personId, browser: await signedIn(service, email) }
}
const rowOf = async (accountId: string) =>
  (await service.database.sql.query<Record<string, unknown>>('SELECT * FROM account WHERE id = $1', [accountId]))[0] ?? {}
const statusOf = ({ html }: { html: string }) => /<p class="done" role="status">([^<]*)/.exec(html)?.[1]
const sessionsOn = (html: string) => [...html.matchAll(/name="session" value="([^"]*)"/g)].map(([, id = '']) => id)

const pixel = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')
/** Sends a picture as the form of the profile page does. */
const sendPicture = async (browser: Browser, csrf: string, bytes: Buffer | string, type = 'image/png', name = 'me.png', headers = {}) => {
  const boundary = 'xxboundaryxx'
  const part = (head: string, body: Buffer | string) =>
    Buffer.concat([Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n`), Buffer.from(body), Buffer.from('\r\n')])
  const body = Buffer.concat([
    part('name="csrf"', csrf),
    part(`name="file"; filename="${name}"\r\nContent-Type: ${type}`, bytes),
    Buffer.from(`--${boundary}--\r\n`),
  ])
  return browser.send('/account/picture', {
    method: 'POST',
    body,
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}`, ...headers },
  })
}

describe('the account pages', () => {
  const pages = [
    '/account',
    '/account/events',
    '/account/membership',
    '/account/orders',
    '/account/profile',
    '/account/login',
    '/account/sessions',
    '/account/apps',
    '/account/notifications',
    '/account/data',
  ]

  test('ask everybody to sign in first, and lead back to the page', async () => {
    const { email } = await person()
    for (const path of pages) {
      const visitor = createBrowser(service.issuer)
      const answer = await visitor.get(path)
      expect([answer.status, answer.headers.get('location')]).toEqual([303, `/account/sign-in?return_to=${encodeURIComponent(path)}`])
      const signed = await send(visitor, await visitor.follow(answer), { email, password })
      expect(signed.location?.pathname).toBe(path)
    }
  })

  test('have one navigation with the current page marked, and name the person whose account it is', async () => {
    const { browser, email } = await person()
    for (const path of pages) {
      const { html, status } = await browser.get(path)
      const links = [...html.matchAll(/<a href="(\/account[^"]*)"( aria-current="page")?>/g)].slice(0, pages.length)
      expect([status, links.map(([, href]) => href)]).toEqual([200, pages])
      expect(links.filter(([, , current]) => current).map(([, href]) => href)).toEqual([path])
      expect(html).toContain(`<bdi>${email}</bdi>`)
    }
  })

  test('link to the privacy policy and the terms whose addresses the school set, and to nothing that is not a web address', async () => {
    const { browser } = await person()
    const { sql } = service.database
    await sql.query('UPDATE school SET legal = $1 WHERE id = $2', [
      { privacy_url: 'https://school.example/privacy', terms_url: 'javascript:alert(1)' },
      service.schoolId(),
    ])
    const { html } = await browser.get('/account/profile')
    expect(html).toContain('<a href="https://school.example/privacy">Privacy policy</a>')
    expect(html).not.toContain('javascript:')
    await sql.query('UPDATE school SET legal = NULL')
  })

  test('refuse every form without the token of this session, of another session, and from another site', async () => {
    const [{ browser, email }, stranger] = [await person(), await person()]
    const own = field((await browser.get('/account/profile')).html, 'csrf')
    const theirs = field((await stranger.browser.get('/account/profile')).html, 'csrf')
    const again = createBrowser(service.issuer)
    again.plant('sg_browser', browser.cookie('sg_browser') ?? '')
    await send(again, await again.get('/account/sign-in'), { email, password })
    const before = field((await again.get('/account/profile')).html, 'csrf')
    for (const path of [
      '/account/profile',
      '/account/picture/remove',
      '/account/enrol',
      '/account/courses/any/certificate',
      '/account/courses/any/lessons/any/progress',
      '/account/courses/any/lessons/any/quiz',
      '/account/membership/cancel',
      '/account/membership/resume',
      '/account/membership/change',
      '/account/membership/keep',
      '/account/download',
      '/account/events/calendar/renew',
      '/account/login/email',
      '/account/login/email/resend',
      '/account/login/email/cancel',
      '/account/login/password',
      '/account/sessions/end',
      '/account/sessions/end-others',
      '/account/notifications',
      '/account/data/download',
      '/account/data/delete',
    ]) {
      const refused = [
        await browser.post(path, { name: 'x', confirmed: 'yes' }),
        await browser.post(path, { csrf: theirs, name: 'x', confirmed: 'yes' }),
        await browser.post(path, { csrf: before, name: 'x', confirmed: 'yes' }),
        await browser.post(path, { csrf: own, name: 'x', confirmed: 'yes' }, { origin: 'https://evil.example' }),
      ]
      // The form of an earlier session of the same person leads back to its page, where nothing is done by itself.
      expect([path, ...refused.map(({ status }) => status)]).toEqual([path, 403, 403, 303, 403])
      expect(refused[2]?.location?.searchParams.has('done')).toBe(false)
    }
    for (const [token, headers] of [
      ['', {}],
      [theirs, {}],
      [own, { origin: 'https://evil.example' }],
    ] as const)
      expect((await sendPicture(browser, token, pixel, 'image/png', 'me.png', headers)).status).toBe(403)
    expect(await isSignedIn(browser)).toBe(true)
  })
})

describe('the profile', () => {
  test('saves name, language and time zone, and uses the language from then on', async () => {
    const { browser, accountId } = await person()
    const page = await browser.get('/account/profile')
    const name = 'Änne <script>alert(1)</script> & Söhne'
    const values = { name, given_name: ' Änne ', family_name: '', locale: 'de', time_zone: 'Europe/Berlin' }
    const saved = await browser.follow(await send(browser, page, values, /^\/account\/profile$/))
    expect([saved.status, statusOf(saved)]).toEqual([200, 'Ihr Profil wurde gespeichert.'])
    expect(saved.html).not.toContain('<script>alert')
    expect(saved.html).toContain('Änne &lt;script&gt;')
    expect(await rowOf(accountId)).toMatchObject({ name, given_name: 'Änne', family_name: null, locale: 'de', time_zone: 'Europe/Berlin' })
    expect((await browser.get('/oauth/logout')).html).toContain('<html lang="de">')
  })

  test('shows each error at its field and in a summary that has the focus, with the entered values', async () => {
    const { browser, accountId } = await person()
    const page = await browser.get('/account/profile')
    const wrong = { name: ' ', given_name: 'x'.repeat(61), family_name: '', locale: 'de', time_zone: '' }
    const refused = await send(browser, page, wrong, /^\/account\/profile$/)
    expect(refused.status).toBe(400)
    expect(refused.html).toMatch(/<div class="error summary" id="errors" role="alert" tabindex="-1" autofocus>/)
    expect(refused.html).toContain('<a href="#name">Enter your name, at most 120 characters.</a>')
    expect(refused.html).toMatch(/<input id="given_name"[^>]*aria-invalid="true" aria-describedby="given_name-error"/)
    expect(refused.html).toContain('<title>Error: Profile')
    for (const wild of [
      { locale: '../etc' },
      { locale: 'x'.repeat(50_000) },
      { time_zone: 'Mars/Olympus' },
      { locale: 'en', time_zone: "' OR 1=1 --" },
    ]) {
      const answer = await send(
        browser,
        page,
        { name: 'Wren', given_name: '', family_name: '', locale: '', time_zone: '', ...wild },
        /^\/account\/profile$/,
      )
      expect(Math.floor(answer.status / 100)).toBe(4)
    }
    expect(await rowOf(accountId)).toMatchObject({ version: 1, locale: null, time_zone: null })
  })

  test('does not overwrite what was changed elsewhere since the page was shown', async () => {
    const { browser, accountId } = await person()
    const values = { given_name: '', family_name: '', locale: '', time_zone: '' }
    const page = await browser.get('/account/profile')
    expect((await send(browser, page, { ...values, name: 'First' }, /^\/account\/profile$/)).status).toBe(303)
    const late = await send(browser, page, { ...values, name: 'Second' }, /^\/account\/profile$/)
    expect([late.status, late.html.includes('was changed elsewhere'), late.html.includes('value="First"')]).toEqual([412, true, true])
    expect(await rowOf(accountId)).toMatchObject({ name: 'First' })
  })

  test('takes a picture, shows it, and removes it', async () => {
    const { browser, accountId } = await person()
    const csrf = field((await browser.get('/account/profile')).html, 'csrf')
    const taken = await browser.follow(await sendPicture(browser, csrf, pixel))
    expect(statusOf(taken)).toBe('Your picture has been saved.')
    const source = /<img class="avatar" src="([^"]*)"/.exec(taken.html)?.[1] ?? ''
    expect((await browser.get(source)).headers.get('content-type')).toBe('image/png')
    const removed = await browser.follow(await send(browser, taken, {}, /picture\/remove$/))
    expect([statusOf(removed), (await rowOf(accountId)).avatar_file_id]).toEqual(['Your picture has been removed.', null])
  })

  test('accepts no picture that is too large, empty, of another type, or not what it claims to be', async () => {
    const { browser, accountId } = await person()
    const csrf = field((await browser.get('/account/profile')).html, 'csrf')
    const html = '<script>alert(1)</script>'
    for (const [bytes, type, name, status] of [
      [Buffer.alloc(3 * 1024 * 1024, 1), 'image/png', 'me.png', 413],
      ['', 'image/png', 'me.png', 422],
      [html, 'text/html', 'me.html', 422],
      [html, 'image/png', 'me.png', 422],
      ['<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml', 'me.svg', 422],
    ] as const) {
      const answer = await sendPicture(browser, csrf, bytes, type, name)
      expect([name, type, Math.floor(answer.status / 100), answer.html.includes('id="file-error"')]).toEqual([name, type, 4, true])
      expect(status).toBeGreaterThan(400)
    }
    const form = await browser.post('/account/picture', { csrf })
    expect(form.status).toBe(415)
    expect((await rowOf(accountId)).avatar_file_id).toBeNull()
  })
})

describe('the password', () => {
  test('is changed with the current one: every other browser is signed out, this one stays, and the person is notified', async () => {
    const { browser, email, accountId } = await person()
    const other = await signedIn(service, email)
    const page = await browser.get('/account/login')
    const changed = await browser.follow(
      await send(browser, page, { current: password, password: newPassword, repeated: newPassword }, /login\/password$/),
    )
    expect(statusOf(changed)).toContain('Your password has been changed')
    expect([await isSignedIn(browser), await isSignedIn(other)]).toEqual([true, false])
    expect(await isSignedIn(await signedIn(service, email, newPassword))).toBe(true)
    expect((await service.emails()).some(({ to, subject }) => to === email && /password .*changed/i.test(subject))).toBe(true)
    expect((await auditOf(service, 'password.changed')).filter(({ account_id }) => account_id === accountId)).toHaveLength(1)
    expect((await browser.get('/account/sessions')).html).toContain('127.0.0.0/24')
  })

  test('stays as it is with a wrong current one, a weak, a different, or the same new one', async () => {
    const { browser, accountId } = await person()
    const page = await browser.get('/account/login')
    const before = (await rowOf(accountId)).password_hash
    for (const [fields, at] of [
      [{ current: 'wrong password here', password: newPassword, repeated: newPassword }, 'current'],
      [{ current: password, password: 'short', repeated: 'short' }, 'password'],
      [{ current: password, password: newPassword, repeated: 'another one entirely' }, 'repeated'],
      [{ current: password, password, repeated: password }, 'password'],
      [{ current: 'x'.repeat(2000), password: newPassword, repeated: newPassword }, 'current'],
    ] as const) {
      const refused = await send(browser, page, fields, /login\/password$/)
      expect([refused.status, refused.html.includes(`<a href="#${at}">`)]).toEqual([400, true])
      expect(refused.html).not.toContain(newPassword)
    }
    expect((await rowOf(accountId)).password_hash).toBe(before)
    expect(await auditOf(service, 'confirmation.failed')).not.toHaveLength(0)
  })
})

describe('the e-mail address', () => {
  test('is changed with a link that is sent to the new one, which can be sent again or cancelled', async () => {
    const { browser, accountId, email } = await person()
    const wanted = `new-${email}`
    const asked = await browser.follow(await send(browser, await browser.get('/account/login'), { email: wanted }, /login\/email$/))
    expect([statusOf(asked), asked.html.includes(`sent a link to <bdi>${wanted}</bdi>`)]).toEqual([
      'We have sent a link to your new address.',
      true,
    ])
    const first = await lastLink(service, wanted)
    const resent = await browser.follow(await send(browser, asked, {}, /email\/resend$/))
    expect(statusOf(resent)).toBe('We have sent a link to your new address.')
    expect((await browser.get(first.pathname + first.search)).status).toBe(410)
    const link = await lastLink(service, wanted)
    const confirmed = await send(browser, await browser.get(link.pathname + link.search), {}, /^\/account\/email$/)
    expect([confirmed.status, (await rowOf(accountId)).email]).toEqual([200, wanted])
    const pending = await browser.follow(await send(browser, await browser.get('/account/login'), { email }, /login\/email$/))
    const kept = await browser.follow(await send(browser, pending, {}, /email\/cancel$/))
    expect([statusOf(kept), (await rowOf(accountId)).pending_email]).toEqual(['Your e-mail address stays as it is.', null])
    const links = (await service.emails()).flatMap(({ to, text }) =>
      to === email ? (/\S+\/account\/email\?\S+/.exec(text)?.[0] ?? []) : [],
    )
    expect([links.length, (await browser.get(links[0] ?? '/')).status]).toEqual([1, 410])
  })

  test('rejects text that is not an address, and reveals no address of others', async () => {
    const [{ browser, email }, other] = [await person(), await person()]
    const page = await browser.get('/account/login')
    for (const wrong of ['', 'nobody', 'a@b@c', '<b>@example.com', 'x'.repeat(5000), email]) {
      const refused = await send(browser, page, { email: wrong }, /login\/email$/)
      expect([wrong.slice(0, 20), refused.status, refused.html.includes('<a href="#email">')]).toEqual([wrong.slice(0, 20), 400, true])
    }
    const taken = await browser.follow(await send(browser, page, { email: other.email }, /login\/email$/))
    expect(statusOf(taken)).toBe('We have sent a link to your new address.')
  })
})

describe('the sign-ins', () => {
  test('are listed with device and network, this browser first, and can be ended one by one', async () => {
    const { browser, email } = await person()
    const firefox = createBrowser(service.issuer, {
      'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0',
    })
    // Sign-ins in the same second look alike.
    const second = (): number => Math.floor(Date.now() / 1000)
    const first = second()
    await until(() => second() > first, { what: 'the next second' })
    await send(firefox, await firefox.get('/account/sign-in'), { email, password })
    const page = await browser.get('/account/sessions')
    expect(page.html).toMatch(/<strong>[^<]*<\/strong> <span class="mark current">This browser/)
    expect(page.html).toMatch(/<strong><bdi>Firefox<\/bdi> on <bdi>Windows<\/bdi>\s*<\/strong>/)
    expect(page.html).toContain('network <bdi>127.0.0.0/24</bdi>')
    const [id = '', ...more] = sessionsOn(page.html)
    expect([id.startsWith('ses_'), more]).toEqual([true, []])
    const ended = await browser.follow(await send(browser, page, {}, /sessions\/end$/))
    expect([statusOf(ended), sessionsOn(ended.html)]).toEqual(['The browser has been signed out.', []])
    expect([await isSignedIn(browser), await isSignedIn(firefox)]).toEqual([true, false])
  })

  test('of another person, of another school and made-up ones are answered in the same way, and stay', async () => {
    const [thief, owner] = [await person(), await person()]
    const second = await signedIn(service, owner.email)
    const foreign = sessionsOn((await owner.browser.get('/account/sessions')).html)[0] ?? ''
    const elsewhere = { email: `elsewhere${count}@example.com`, school: service.other }
    await service.addPerson(elsewhere)
    const there = await signedIn(service, elsewhere.email, password, service.other)
    await signedIn(service, elsewhere.email, password, service.other)
    const ofOther = sessionsOn((await there.get('/account/sessions')).html)[0] ?? ''
    expect([foreign.length, ofOther.length]).toEqual([30, 30])
    const csrf = field((await thief.browser.get('/account/sessions')).html, 'csrf')
    for (const session of [foreign, ofOther, 'ses_made-up', '', "' OR 1=1 --", 'x'.repeat(5000)])
      expect((await thief.browser.post('/account/sessions/end', { csrf, session })).status).toBe(404)
    expect([await isSignedIn(second), await isSignedIn(owner.browser), await isSignedIn(there)]).toEqual([true, true, true])
  })

  test('end everywhere else: this browser stays signed in', async () => {
    const { browser, email } = await person()
    const others = [await signedIn(service, email), await signedIn(service, email)]
    const done = await browser.follow(await send(browser, await browser.get('/account/sessions'), {}, /end-others$/))
    expect([statusOf(done), sessionsOn(done.html), done.html.includes('/account/sessions/end-others')]).toEqual([
      'You are signed out in every other browser.',
      [],
      false,
    ])
    expect([await isSignedIn(browser), ...(await Promise.all(others.map(isSignedIn)))]).toEqual([true, false, false])
  })
})

describe('notifications and deletion', () => {
  test('the e-mails can be chosen: there is a switch for each preference of the API, and none for e-mails that cannot be turned off', async () => {
    const { browser, accountId } = await person()
    const page = await browser.get('/account/notifications')
    const switches = [...page.html.matchAll(/<input type="checkbox"[^>]*\bname="(\w+)"[^>]*>/g)]
    const free = switches.filter(([tag]) => !/\bdisabled\b/.test(tag)).map(([, name]) => name)
    expect(free).toEqual(optionalPreferences)
    const names = Object.keys(notificationPreferences)
    expect(switches.map(([, name]) => name).filter((name) => name !== 'security')).toEqual(names)
    // News of the school are for people who chose them.
    expect(switches.filter(([tag]) => !/\bchecked\b/.test(tag)).map(([, name]) => name)).toEqual(['product_updates'])
    const saved = await browser.follow(await send(browser, page, {}, /notifications$/))
    expect(statusOf(saved)).toBe('Your choice has been saved.')
    expect((await rowOf(accountId)).preferences).toMatchObject({ event_reminders: 'none', billing: 'email' })
    expect(saved.html).not.toMatch(/id="event_reminders"[^>]*checked/)
    const again = await browser.follow(await send(browser, saved, { event_reminders: 'yes' }, /notifications$/))
    expect(again.html).toMatch(/id="event_reminders" name="event_reminders" value="yes" checked/)
  })

  test('the account is deleted after 14 days, unless the person changes their mind', async () => {
    const { browser, accountId, email } = await person()
    const page = await browser.get('/account/data')
    const unconfirmed = await send(browser, page, {}, /data\/delete$/)
    expect([unconfirmed.status, unconfirmed.html.includes('<a href="#confirmed">')]).toEqual([400, true])
    const asked = await browser.follow(await send(browser, page, { confirmed: 'yes' }, /data\/delete$/))
    expect([statusOf(asked), asked.html.includes('/account/data/delete')]).toEqual([
      'Your account will be deleted. We have sent you an e-mail about it.',
      false,
    ])
    const days = (new Date(String((await rowOf(accountId)).deletion_scheduled_at)).getTime() - Date.now()) / 86_400_000
    expect(days).toBeCloseTo(14, 1)
    const message = (await service.emails()).find(({ to, subject }) => to === email && subject.includes('will be deleted'))
    expect(message?.text).toContain('requested on the page of your account')
    const kept = await browser.follow(await send(browser, asked, {}, /keep$/))
    expect([statusOf(kept), (await rowOf(accountId)).deletion_scheduled_at]).toEqual(['Your account will not be deleted.', null])
    expect((await auditOf(service, 'account.deleted')).find(({ account_id }) => account_id === accountId)).toBeDefined()
  })

  test('the only owner learns why their account cannot be deleted', async () => {
    const { browser } = await person('owner')
    const refused = await send(browser, await browser.get('/account/data'), { confirmed: 'yes' }, /data\/delete$/)
    expect([refused.status, refused.html.includes('only owner of the school')]).toEqual([409, true])
  })
})
