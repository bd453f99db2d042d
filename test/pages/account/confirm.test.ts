import { afterEach, describe, expect, test, vi } from 'vitest'
import { duringTests } from '../../support/duringTests.ts'
import { password, startService } from '../../support/service.ts'
import { type Browser, createBrowser } from '../browser.ts'
import { auditOf, send, signedIn } from './account.ts'

const service = duringTests(() => startService({ people: [{ email: 'marlo@example.com' }, { email: 'wren@example.org' }] }))
afterEach(() => vi.useRealTimers())

/** Moves the clock of the service, not the one of its database. */
const later = (minutes: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + minutes * 60_000 })

const everywhere = async (browser: Browser) => send(browser, await browser.get('/account/sessions'), {}, /sign-out-everywhere/)
const confirm = async (browser: Browser, secret = password) =>
  send(browser, await browser.get('/account/confirm?return_to=/account/apps'), { password: secret })

describe('a sensitive change', () => {
  test('needs no confirmation within ten minutes of the sign-in, and one afterwards', async () => {
    const browser = await signedIn(service, 'marlo@example.com')
    later(9)
    expect((await browser.get('/account/confirm?return_to=/account/apps')).location?.pathname).toBe('/account/apps')
    later(2)
    const away = await everywhere(browser)
    expect([away.status, away.location?.pathname]).toEqual([303, '/account/confirm'])
    expect((await browser.get('/account/apps')).status).toBe(200)
  })

  test('is done after the password was entered, which counts for ten minutes', async () => {
    const browser = await signedIn(service, 'marlo@example.com')
    later(11)
    const page = await browser.follow(await everywhere(browser))
    expect(page.html).toContain('Confirm that it is you')
    const back = await browser.follow(await send(browser, page, { password }))
    expect(back.html).toContain('Press the button again to finish.')
    expect((await send(browser, back, {}, /sign-out-everywhere/)).status).toBe(200)
    expect((await browser.get('/account/apps')).location?.pathname).toBe('/account/sign-in')
  })

  test('is asked for again when the confirmation has expired', async () => {
    const browser = await signedIn(service, 'marlo@example.com')
    later(11)
    expect((await confirm(browser)).location?.pathname).toBe('/account/apps')
    later(11)
    expect((await everywhere(browser)).location?.pathname).toBe('/account/confirm')
  })

  test('is not confirmed by the confirmation of another session or another account', async () => {
    const [browser, same, other] = [
      await signedIn(service, 'marlo@example.com'),
      await signedIn(service, 'marlo@example.com'),
      await signedIn(service, 'wren@example.org'),
    ]
    later(11)
    await confirm(browser)
    for (const thief of [same, other]) {
      thief.plant('sg_confirmed', browser.cookie('sg_confirmed') ?? '')
      expect((await everywhere(thief)).location?.pathname).toBe('/account/confirm')
    }
    browser.plant('sg_confirmed', String(browser.cookie('sg_confirmed')).replace(/.{4}(?==)/, 'AAAA'))
    expect((await everywhere(browser)).location?.pathname).toBe('/account/confirm')
  })

  test('is not confirmed by a wrong password, which is recorded', async () => {
    const browser = await signedIn(service, 'marlo@example.com')
    later(11)
    const wrong = await confirm(browser, 'not the password')
    expect([wrong.status, wrong.html.includes('The password is wrong.')]).toEqual([400, true])
    expect((await everywhere(browser)).location?.pathname).toBe('/account/confirm')
    expect(await auditOf(service, 'confirmation.failed')).toHaveLength(1)
  })
})

test('the confirmation leads to pages of this account only, and to the sign-in if nobody is signed in', async () => {
  const browser = await signedIn(service, 'marlo@example.com')
  for (const target of ['https://evil.example', '//evil.example/', '/api/v1/account', '/oauth/logout']) {
    const answer = await browser.get(`/account/confirm?return_to=${encodeURIComponent(target)}`)
    expect(answer.location?.href).toBe(`${service.issuer}/account/apps`)
  }
  const stranger = await createBrowser(service.issuer).get('/account/confirm?return_to=/account/apps')
  expect(stranger.location?.pathname).toBe('/account/sign-in')
})

test('an e-mail address is changed only after a confirmation', async () => {
  const browser = await signedIn(service, 'marlo@example.com')
  later(11)
  expect((await browser.get('/account/email?token=x')).location?.pathname).toBe('/account/confirm')
})
