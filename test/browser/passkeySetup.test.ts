// Proves Web Authentication section 7.1: A required second factor can be a passkey that is created during the sign-in; races, replayed challenges and unverified authenticators fail

import * as client from 'openid-client'
import type { CDPSession, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { hasChromium } from '../support/chromium.ts'
import { password, startService, type TestService } from '../support/service.ts'
import { barriers, htmlErrors } from './findings.ts'
import { addAuthenticator, openVisitor, signIn, type Visitor } from './visitor.ts'

describe.skipIf(!hasChromium())('a person whose role needs a second factor, at a school where browsers offer passkeys', () => {
  let service: TestService
  let visitor: Visitor
  let developer: CDPSession
  let authenticatorId: string
  let people = 0

  beforeAll(async () => {
    // The second school is at localhost, where browsers offer passkeys.
    service = await startService({ schools: 2, otherSchool: { second_step: { required_for: ['owner'] } } })
  })
  afterAll(() => service?.stop())
  beforeEach(async () => {
    visitor = await openVisitor()
    ;({ developer, authenticatorId } = await addAuthenticator(visitor.page))
  })
  afterEach(() => visitor.close())

  const newOwner = async () => {
    people += 1
    const email = `owner${people}@example.com`
    return { email, ...(await service.addPerson({ email, role: 'owner', school: service.other })) }
  }
  const button = (page: Page, name: string) => page.getByRole('button', { name })
  const heading = (page: Page) => page.locator('h1').textContent()
  const passkeysOf = (accountId: string) =>
    service.database.sql.query<{ name: string; last_used_at: Date | null }>(
      'SELECT name, last_used_at FROM passkey WHERE account_id = $1',
      [accountId],
    )
  const isSignedIn = async (page: Page) => {
    const answer = await page.request.get(`${service.other}/account/security`, { maxRedirects: 0 })
    return answer.status() === 200
  }

  /** Begins an authorization request. Returns what answers the consent page and waits for the ID token. */
  const beginFlow = async (page: Page, acr?: string) => {
    const redirectUri = 'http://127.0.0.1:53682/callback'
    const config = await client.dynamicClientRegistration(new URL(service.other), { redirect_uris: [redirectUri] }, undefined, {
      execute: [client.allowInsecureRequests],
    })
    const pkceCodeVerifier = client.randomPKCECodeVerifier()
    const parameters = {
      ...{ redirect_uri: redirectUri, scope: 'openid', state: 'a-state', code_challenge_method: 'S256' },
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      ...(acr && { claims: JSON.stringify({ id_token: { acr: { essential: true, values: [acr] } } }) }),
    }
    await page.route(`${redirectUri}**`, (route) => route.fulfill({ body: 'done' }))
    await page.goto(client.buildAuthorizationUrl(config, parameters).href)
    return async (): Promise<client.IDToken | undefined> => {
      await page.locator('form[action$="/consent"]').waitFor()
      await page.locator('button.main').click()
      await page.waitForURL(`${redirectUri}**`)
      const checks = { pkceCodeVerifier, expectedState: 'a-state', idTokenExpected: true }
      return (await client.authorizationCodeGrant(config, new URL(page.url()), checks)).claims()
    }
  }

  test.each(['en', 'de'])('sees a page that is valid, fits and is accessible, in %s', async (locale) => {
    const { page } = visitor
    const { email } = await newOwner()
    await page.goto(`${service.other}/account/sign-in?ui_locales=${locale}&lang=${locale}`)
    await signIn(page, email, password)
    await page.locator('#passkey-name').waitFor()
    expect(await page.evaluate('document.documentElement.lang')).toBe(locale)
    // The button of a passkey is hidden in the HTML: the script shows it where the browser can use passkeys.
    expect((await htmlErrors(await visitor.html())).filter((error) => !error.startsWith('wcag/h32'))).toEqual([])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width: 320, height: 800 })
      expect([await barriers(page), await page.evaluate('document.documentElement.scrollWidth')]).toEqual([[], 320])
    }
    expect(visitor.complaints()).toEqual([])
  })

  test('creates a passkey, saves the recovery codes, uses the passkey, and only then is signed in; the app gets acr and amr of a passkey', async () => {
    const { page } = visitor
    const { email, accountId } = await newOwner()
    const idToken = await beginFlow(page)
    await signIn(page, email, password)
    expect(await heading(page)).toBe('Set up a second factor')
    expect(await page.locator('#code').count()).toBe(1)
    await page.getByLabel('Name of the passkey').fill('My laptop')
    await button(page, 'Create the passkey').click()
    await page.getByRole('heading', { name: 'Save your recovery codes' }).waitFor()
    expect(await page.locator('.codes li').count()).toBe(10)
    expect(await passkeysOf(accountId)).toEqual([{ name: 'My laptop', last_used_at: null }])
    expect(await isSignedIn(page)).toBe(false)
    await button(page, 'I have saved them').click()
    await page.getByRole('heading', { name: 'Confirm with your second factor' }).waitFor()
    expect(await isSignedIn(page)).toBe(false)
    await button(page, 'Use a passkey').click()
    const claims = await idToken()
    expect(claims).toMatchObject({ acr: 'phr', amr: expect.arrayContaining(['pwd', 'user', 'mfa']) })
    expect(claims?.amr).not.toContain('otp')
    expect((await passkeysOf(accountId))[0]?.last_used_at).toBeInstanceOf(Date)
    expect(await isSignedIn(page)).toBe(true)
    const entries = await service.database.sql.query("SELECT details FROM audit_log WHERE event = 'passkey.added' AND account_id = $1", [
      accountId,
    ])
    expect(entries).toEqual([{ details: { name: 'My laptop' } }])
    const subjects = (await service.emails()).filter(({ to }) => to === email).map(({ subject }) => subject)
    expect(subjects).toEqual(expect.arrayContaining([expect.stringContaining('passkey')]))
  })

  test('is offered only a passkey if the app demands one, because a code cannot satisfy it', async () => {
    const { page } = visitor
    const { email } = await newOwner()
    const idToken = await beginFlow(page, 'phr')
    await signIn(page, email, password)
    expect([await heading(page), await page.locator('#code').count()]).toEqual(['Add a passkey', 0])
    await button(page, 'Create the passkey').click()
    await button(page, 'I have saved them').click()
    await button(page, 'Use a passkey').click()
    expect(await idToken()).toMatchObject({ acr: 'phr' })
  })

  test('cannot skip the use of the passkey: the recovery codes page leads to it, in this browser only', async () => {
    const { page } = visitor
    const { email } = await newOwner()
    await page.goto(`${service.other}/account/sign-in`)
    await signIn(page, email, password)
    await button(page, 'Create the passkey').click()
    await page.getByRole('heading', { name: 'Save your recovery codes' }).waitFor()
    await developer.send('WebAuthn.clearCredentials', { authenticatorId })
    await button(page, 'I have saved them').click()
    await button(page, 'Use a passkey').click()
    await page.getByText('No passkey was used.').waitFor()
    expect(await isSignedIn(page)).toBe(false)
    await page.goto(`${service.other}/account/sign-in`)
    expect(await heading(page)).toBe('Confirm with your second factor')
  })

  test('gets the page again if the browser creates no passkey or its answer is not for this page', async () => {
    const { page } = visitor
    const { email, accountId } = await newOwner()
    await page.goto(`${service.other}/account/sign-in`)
    await signIn(page, email, password)
    await developer.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
    await button(page, 'Create the passkey').click()
    await page.getByText('No passkey was used.').waitFor()
    await developer.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true })
    // Another challenge, as in an answer that was recorded elsewhere.
    await page.locator('form.passkey').evaluate((form: { dataset: { options: string } }) => {
      form.dataset.options = JSON.stringify({ ...JSON.parse(form.dataset.options), challenge: 'AAAA' })
    })
    await button(page, 'Create the passkey').click()
    await page.getByText('The passkey was not added.').waitFor()
    expect(await passkeysOf(accountId)).toEqual([])
    await button(page, 'Create the passkey').click()
    await page.getByRole('heading', { name: 'Save your recovery codes' }).waitFor()
  })

  test('cannot add a passkey to a factor that was set up meanwhile: the password alone is not enough for that', async () => {
    const { email, accountId } = await newOwner()
    const thief = await openVisitor()
    try {
      await addAuthenticator(thief.page)
      for (const { page } of [visitor, thief]) {
        await page.goto(`${service.other}/account/sign-in`)
        await signIn(page, email, password)
        await page.locator('#passkey-name').waitFor()
      }
      await Promise.all([visitor, thief].map(({ page }) => button(page, 'Create the passkey').click()))
      await Promise.all([visitor, thief].map(({ page }) => page.getByRole('heading', { name: /^(Save your|Sign in)/ }).waitFor()))
      const saved = await Promise.all([visitor, thief].map(({ page }) => page.locator('.codes').count()))
      expect(saved.toSorted()).toEqual([0, 1])
      expect(await passkeysOf(accountId)).toHaveLength(1)
    } finally {
      await thief.close()
    }
  })

  test('sets up an authenticator app without JavaScript: the page says that passkeys need it', async () => {
    const plain = await openVisitor({ javaScriptEnabled: false })
    try {
      const { page } = plain
      const { email } = await newOwner()
      await page.goto(`${service.other}/account/sign-in`)
      await signIn(page, email, password)
      await page.getByText('Passkeys need JavaScript').waitFor()
      expect(await button(page, 'Create the passkey').isVisible()).toBe(false)
      expect(await button(page, 'Set up').isVisible()).toBe(true)
      expect(await page.locator('output').textContent()).toMatch(/^[A-Z2-7 ]+$/)
    } finally {
      await plain.close()
    }
  })
})
