import * as client from 'openid-client'
import type { CDPSession, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { hasChromium } from '../support/chromium.ts'
import { password, startService, type TestService } from '../support/service.ts'
import { barriers, htmlErrors } from './findings.ts'
import { addAuthenticator, openVisitor, signIn, type Visitor } from './visitor.ts'

describe.skipIf(!hasChromium())('passkeys, in Chromium with a virtual authenticator', () => {
  let service: TestService
  let visitor: Visitor
  let developer: CDPSession
  let authenticatorId: string
  let people = 0

  beforeAll(async () => {
    // The second school is at localhost, where browsers offer passkeys.
    service = await startService({ schools: 2 })
  })
  afterAll(() => service?.stop())
  beforeEach(async () => {
    visitor = await openVisitor()
    ;({ developer, authenticatorId } = await addAuthenticator(visitor.page))
  })
  afterEach(() => visitor.close())

  const heading = (page: Page) => page.locator('h1').textContent()

  /** Signs a new person in and adds a passkey. */
  const withPasskey = async (): Promise<{ email: string; page: Page }> => {
    people += 1
    const email = `key${people}@example.com`
    await service.addPerson({ email, school: service.other })
    const { page } = visitor
    await page.goto(`${service.other}/account/sign-in`)
    await signIn(page, email, password)
    await page.goto(`${service.other}/account/security/passkey`)
    await page.getByLabel('Name of the passkey').fill('My laptop')
    await page.getByRole('button', { name: 'Create the passkey' }).click()
    await page.getByRole('heading', { name: 'Save your recovery codes' }).waitFor()
    return { email, page }
  }
  /** Signs out in this window. The first page offers the passkey in the field of the address, without a click. */
  const signOut = (page: Page) => page.context().clearCookies()
  const credentials = async () => (await developer.send('WebAuthn.getCredentials', { authenticatorId })).credentials

  /** Returns what is wrong with the page, as `look.test.ts` does for every page. */
  const findings = async (): Promise<unknown[]> => {
    const { page } = visitor
    // The button of a passkey is hidden in the HTML: the script shows it where the browser can use passkeys.
    const found: unknown[] = (await htmlErrors(await visitor.html())).filter((error) => !error.startsWith('wcag/h32'))
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width: 320, height: 800 })
      found.push(...(await barriers(page)))
      const width: number = await page.evaluate('document.documentElement.scrollWidth')
      if (width > 320) found.push(`${colorScheme}: ${width} px wide`)
    }
    return found
  }

  test.each(['en', 'de'])('the pages to add one and to use one are valid, fit and are accessible, in %s', async (locale) => {
    const { page } = visitor
    await service.addPerson({ email: `looks-${locale}@example.com`, school: service.other })
    await page.goto(`${service.other}/account/sign-in?step=passkey&ui_locales=${locale}`)
    expect(await findings()).toEqual([])
    await page.goto(`${service.other}/account/sign-in?return_to=/account/security/passkey`)
    await signIn(page, `looks-${locale}@example.com`, password)
    await page.waitForURL('**/account/security/passkey')
    expect(await findings()).toEqual([])
  })

  test('the set-up of a required second factor during the sign-in is valid, fits and is accessible', async () => {
    const { page } = visitor
    await service.addPerson({ email: 'required@example.com' })
    await service.reload({ schools: 2, school: { second_step: { required_for: ['learner'] } } })
    try {
      await page.goto(`${service.issuer}/account/sign-in`)
      await signIn(page, 'required@example.com', password)
      await page.getByRole('heading', { name: 'Set up an authenticator app' }).waitFor()
      expect(await findings()).toEqual([])
    } finally {
      await service.reload({ schools: 2, school: {} })
    }
  })

  test('are added with a name, and sign in without a password', async () => {
    const { page } = await withPasskey()
    await page.goto(`${service.other}/account/security`)
    expect(await page.getByRole('heading', { name: 'My laptop' }).count()).toBe(1)
    await signOut(page)
    await page.goto(`${service.other}/account/sign-in?step=passkey`)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.waitForURL('**/account')
  })

  test('are the second factor after the password', async () => {
    const { email, page } = await withPasskey()
    await signOut(page)
    await developer.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: false })
    await page.goto(`${service.other}/account/sign-in`)
    await signIn(page, email, password)
    expect(await heading(page)).toBe('Confirm with your second factor')
    const box = async (name: string) => (await page.getByRole('button', { name }).boundingBox()) ?? { y: 0, height: 0 }
    const [code, passkey] = [await box('Continue'), await box('Use a passkey')]
    expect(passkey.y - code.y - code.height).toBeGreaterThanOrEqual(8)
    await developer.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: true })
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.waitForURL('**/account')
  })

  describe('reach the context phr, which an app can demand', () => {
    const redirectUri = 'http://127.0.0.1:53682/callback'
    const claims = JSON.stringify({ id_token: { acr: { essential: true, values: ['phr'] } } })

    /** Begins an authorization request that demands `phr`. Returns what waits for its ID token. */
    const demand = async (page: Page) => {
      const execute = [client.allowInsecureRequests]
      const config = await client.dynamicClientRegistration(new URL(service.other), { redirect_uris: [redirectUri] }, undefined, {
        execute,
      })
      const pkceCodeVerifier = client.randomPKCECodeVerifier()
      const code_challenge = await client.calculatePKCECodeChallenge(pkceCodeVerifier)
      const parameters = {
        redirect_uri: redirectUri,
        scope: 'openid',
        state: 'a-state',
        code_challenge,
        code_challenge_method: 'S256',
        claims,
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

    test('in place of the password', async () => {
      const { page } = await withPasskey()
      await signOut(page)
      // The page of the password uses the passkey without a click.
      const idToken = await demand(page)
      expect(await idToken()).toMatchObject({ acr: 'phr', amr: expect.arrayContaining(['mfa']) })
    })

    test('after the password: the second step then offers no code', async () => {
      const { email, page } = await withPasskey()
      await signOut(page)
      await developer.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: false })
      const idToken = await demand(page)
      await signIn(page, email, password)
      expect([await heading(page), await page.locator('#code').count()]).toEqual(['Confirm with your second factor', 0])
      await developer.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled: true })
      await page.getByRole('button', { name: 'Use a passkey' }).click()
      expect(await idToken()).toMatchObject({ acr: 'phr', amr: expect.arrayContaining(['pwd', 'mfa']) })
    })
  })

  test('that were removed from the account, or answer with an old counter, are rejected', async () => {
    const { page } = await withPasskey()
    await service.database.sql.query('UPDATE passkey SET counter = 1000')
    await signOut(page)
    await page.goto(`${service.other}/account/sign-in?step=passkey`)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByText('This passkey cannot be used.').waitFor()
    expect(await service.database.sql.query("SELECT 1 FROM audit_log WHERE event = 'passkey.copied'")).toHaveLength(1)
    await service.database.sql.query('DELETE FROM passkey')
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByText('This passkey cannot be used.').waitFor()
    expect(await credentials()).toHaveLength(1)
  })

  test('do not sign in if the authenticator has not verified the person', async () => {
    const { page } = await withPasskey()
    await signOut(page)
    await page.goto(`${service.other}/account/sign-in?step=passkey`)
    await page.locator('form.passkey').evaluate((form: { dataset: { options: string } }) => {
      form.dataset.options = form.dataset.options.replace('"required"', '"discouraged"')
    })
    await developer.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByText('This passkey cannot be used.').waitFor()
  })

  test('that fail can be tried again immediately', async () => {
    const { page } = await withPasskey()
    await signOut(page)
    await page.goto(`${service.other}/account/sign-in?step=passkey`)
    await developer.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
    const button = page.getByRole('button', { name: 'Use a passkey' })
    await button.click()
    await page.locator('[data-shown="failed"]').waitFor()
    expect(await button.isEnabled()).toBe(true)
    await developer.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true })
    await button.click()
    await page.waitForURL('**/account')
  })

  test('answer a challenge once: neither again nor in another browser', async () => {
    const { page } = await withPasskey()
    await signOut(page)
    await page.goto(`${service.other}/account/sign-in?step=passkey`)
    const sent = page.waitForRequest((request) => request.method() === 'POST')
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    const body = (await sent).postData() ?? ''
    await page.waitForURL('**/account')
    const cookies = (await page.context().cookies()).filter(({ name }) => name === 'sg_browser')
    const replay = (cookie: string) =>
      fetch(`${service.other}/account/sign-in`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', cookie, origin: service.other },
        body,
        redirect: 'manual',
      })
    const again = await replay(`sg_browser=${cookies[0]?.value}`)
    expect([again.status, (await again.text()).includes('This passkey cannot be used.')]).toEqual([400, true])
    expect((await replay(`sg_browser=${'A'.repeat(43)}`)).status).toBe(403)
  })
})

describe('without a script', () => {
  test.skipIf(!hasChromium())(
    'a link on the page of the password leads to passkeys, which need JavaScript, and an IP address has none',
    async () => {
      const service = await startService({ schools: 2 })
      const { page, close } = await openVisitor({ javaScriptEnabled: false })
      try {
        for (const school of [service.issuer, service.other]) await service.addPerson({ email: 'plain@example.com', school })
        await page.goto(`${service.issuer}/account/sign-in`)
        expect(await page.getByRole('link', { name: 'Sign in with a passkey' }).count()).toBe(0)
        await page.goto(`${service.other}/account/sign-in`)
        await page.getByRole('link', { name: 'Sign in with a passkey' }).click()
        await page.getByText('Passkeys need JavaScript').waitFor()
        await page.getByRole('link', { name: 'Use the password instead' }).click()
        await page.locator('#password').waitFor()
        await page.goto(`${service.other}/account/sign-in?return_to=/account/security/passkey`)
        await signIn(page, 'plain@example.com', password)
        await page.getByText('Passkeys need JavaScript').waitFor()
        await page.goto(`${service.issuer}/account/sign-in?return_to=/account/security`)
        await signIn(page, 'plain@example.com', password)
        await page.getByText('Passkeys need a secure address (https). They are not available here.').waitFor()
      } finally {
        await close()
        await service.stop()
      }
    },
  )
})
