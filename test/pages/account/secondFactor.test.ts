import { TOTP } from 'otpauth'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { duringTests } from '../../support/duringTests.ts'
import { password, startService } from '../../support/service.ts'
import { type Answer, type Browser, createBrowser } from '../browser.ts'
import { auditOf, isSignedIn, send, signedIn } from './account.ts'

const service = duringTests(() => startService())
afterEach(() => vi.useRealTimers())

/** Moves the clock of the service. */
const later = (seconds: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 })

const codeOf = (secret: string, offsetSeconds = 0): string =>
  new TOTP({ secret, algorithm: 'SHA1', digits: 6, period: 30 }).generate({ timestamp: Date.now() + offsetSeconds * 1000 })

const setUpPage = async (browser: Browser): Promise<{ page: Answer; secret: string }> => {
  const page = await browser.get('/account/security/app')
  expect(page.status).toBe(200)
  return { page, secret: (/<output>([A-Z2-7 ]+)<\/output>/.exec(page.html)?.[1] ?? '').replaceAll(' ', '') }
}

/** Creates a person with an authenticator app. */
const withApp = async (email: string) => {
  const { accountId } = await service.addPerson({ email })
  const browser = await signedIn(service, email)
  const { page, secret } = await setUpPage(browser)
  // The code of the step before, so that the current one is not used yet.
  const done = await send(browser, page, { code: codeOf(secret, -30) })
  expect(done.status).toBe(200)
  const codes = [...done.html.matchAll(/<code>([a-z0-9-]+)<\/code>/g)].map(([, code = '']) => code)
  return { accountId, browser, secret, codes, email, html: done.html }
}

const atSecondStep = async (email: string): Promise<{ browser: Browser; page: Answer }> => {
  const browser = createBrowser(service.issuer)
  const page = await browser.follow(await send(browser, await browser.get('/account/sign-in'), { email, password }))
  return { browser, page }
}

describe('an authenticator app', () => {
  test('is set up with its first code, and ten recovery codes are shown once', async () => {
    const { browser, codes, accountId, html } = await withApp('one@example.com')
    expect(new Set(codes).size).toBe(10)
    const file = /<a class="button" href="data:text\/plain;charset=utf-8,([^"]+)" download="recovery-codes.txt">/.exec(html)?.[1] ?? ''
    expect(
      decodeURIComponent(file)
        .split('\r\n')
        .filter((line) => codes.includes(line)),
    ).toEqual(codes)
    const page = await browser.get('/account/security')
    expect(page.html).toContain('10 unused codes left')
    for (const code of codes) expect(page.html).not.toContain(code)
    expect((await auditOf(service, 'authenticator_app.set_up')).map(({ account_id }) => account_id)).toContain(accountId)
    const stored = await service.database.sql.query('SELECT secret FROM authenticator_app UNION ALL SELECT hash FROM recovery_code')
    expect(JSON.stringify(stored)).not.toContain(codes[0]?.replaceAll('-', ''))
  })

  test('is not set up with a wrong code, nor with the page of another person', async () => {
    await service.addPerson({ email: 'two@example.com' })
    await service.addPerson({ email: 'three@example.com' })
    const [browser, other] = [await signedIn(service, 'two@example.com'), await signedIn(service, 'three@example.com')]
    const { page } = await setUpPage(browser)
    const wrong = await send(browser, page, { code: '000000' })
    expect([wrong.status, wrong.html.includes('This code is wrong.')]).toEqual([400, true])
    const { secret } = await setUpPage(browser)
    const setup = /name="setup" value="([^"]*)"/.exec(page.html)?.[1] ?? ''
    const foreign = await send(other, (await setUpPage(other)).page, { code: codeOf(secret), setup })
    expect([foreign.status, foreign.location?.pathname]).toEqual([303, '/account/security/app'])
  })

  test('is asked for after the password, before the person is signed in', async () => {
    const { secret } = await withApp('four@example.com')
    const { browser, page } = await atSecondStep('four@example.com')
    expect(page.html).toContain('Confirm with your second factor')
    expect(await isSignedIn(browser)).toBe(false)
    const wrong = await send(browser, page, { code: '123' })
    expect([wrong.status, wrong.html.includes('This code is wrong')]).toEqual([400, true])
    const done = await send(browser, wrong, { code: codeOf(secret) })
    expect([done.status, done.location?.pathname]).toEqual([303, '/account'])
    expect(await isSignedIn(browser)).toBe(true)
    expect(await auditOf(service, 'second_factor.failed')).not.toEqual([])
  })

  test('accepts each code once, also from two browsers at the same time', async () => {
    const { secret } = await withApp('five@example.com')
    const [one, two] = [await atSecondStep('five@example.com'), await atSecondStep('five@example.com')]
    const code = codeOf(secret)
    const answers = await Promise.all([one, two].map(({ browser, page }) => send(browser, page, { code })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 400])
    const third = await atSecondStep('five@example.com')
    expect((await send(third.browser, third.page, { code })).status).toBe(400)
  })

  test('accepts a code of the neighbouring time step, and none that is older', async () => {
    const { secret } = await withApp('six@example.com')
    const { browser, page } = await atSecondStep('six@example.com')
    expect((await send(browser, page, { code: codeOf(secret, -90) })).status).toBe(400)
    expect((await send(browser, page, { code: codeOf(secret, 90) })).status).toBe(400)
    expect((await send(browser, page, { code: codeOf(secret, 30) })).status).toBe(303)
  })
})

describe('recovery codes', () => {
  test('replace the second factor once each, in capitals and without dashes as well', async () => {
    const { codes } = await withApp('seven@example.com')
    const [first = '', second = ''] = codes
    const { browser, page } = await atSecondStep('seven@example.com')
    expect((await send(browser, page, { code: first })).status).toBe(303)
    const again = await atSecondStep('seven@example.com')
    expect((await send(again.browser, again.page, { code: first })).status).toBe(400)
    expect((await send(again.browser, again.page, { code: second.toUpperCase().replaceAll('-', '') })).status).toBe(303)
  })

  test('are renewed: earlier ones no longer work', async () => {
    const { browser, codes } = await withApp('eight@example.com')
    const renewed = await send(browser, await browser.get('/account/security'), {}, /recovery-codes/)
    expect(renewed.html).toContain('Save your recovery codes')
    const { browser: other, page } = await atSecondStep('eight@example.com')
    expect((await send(other, page, { code: codes[0] ?? '' })).status).toBe(400)
  })
})

describe('the confirmation of a sensitive change', () => {
  test('asks for the second factor, and the password alone is not enough', async () => {
    const { browser, secret } = await withApp('nine@example.com')
    later(660)
    const page = await browser.follow(await send(browser, await browser.get('/account/security'), {}, /app\/remove/))
    expect(page.html).toContain('confirm with your second factor')
    expect((await send(browser, page, { password, code: '' })).status).toBe(400)
    const back = await browser.follow(await send(browser, page, { code: codeOf(secret) }))
    const removed = await browser.follow(await send(browser, back, {}, /app\/remove/))
    expect(removed.html).toContain('The authenticator app has been removed.')
    const { browser: other } = await atSecondStep('nine@example.com')
    expect(await isSignedIn(other)).toBe(true)
  })
})

test('a school that does not use second factors hides them and does not ask', async () => {
  const { browser } = await withApp('ten@example.com')
  await service.reload({ school: { second_step: 'off' } })
  try {
    for (const path of ['/account/security', '/account/security/app', '/account/security/passkey'])
      expect((await browser.get(path)).status).toBe(404)
    expect((await browser.get('/account/login')).html).not.toContain('/account/security')
    const { browser: other } = await atSecondStep('ten@example.com')
    expect(await isSignedIn(other)).toBe(true)
  } finally {
    await service.reload({ school: {} })
  }
})
