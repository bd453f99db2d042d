import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { lastLink, startEmailChange } from '../pages/account/account.ts'
import { type Agent, agentOf, postJson, withToken } from '../support/agent.ts'
import { type Callback, listenForCallback } from '../support/callback.ts'
import { hasChromium } from '../support/chromium.ts'
import { duringTests } from '../support/duringTests.ts'
import { password, startService } from '../support/service.ts'
import { box, openVisitor, signIn } from './visitor.ts'

const chosen = 'four lanterns over the quiet pond'

describe.skipIf(!hasChromium())('a person looks after their account, in Chromium without scripts', () => {
  let callback: Callback
  let agent: Agent
  const visitor = duringTests(() => openVisitor({ javaScriptEnabled: false }))

  const service = duringTests(() => startService())
  beforeAll(async () => {
    await service.database.sql.query("UPDATE school SET registration = 'open'")
    callback = await listenForCallback()
    const metadata = { client_name: 'Course Companion', redirect_uris: [callback.redirectUri] }
    const { body } = await postJson(`${service.issuer}/api/oauth/register`, metadata)
    agent = agentOf(service.issuer, body.client_id, undefined, callback.redirectUri)
  })
  afterAll(async () => {
    await callback?.close()
  })
  beforeEach(() => visitor.startOver())
  afterEach(() => {
    const complaints = visitor.complaints()
    expect(complaints.filter((text) => !text.includes('the server responded with a status of 4'))).toEqual([])
  })

  /** Signs in if the page requires it, allows the selected permissions, and returns the token. */
  const connect = async (email: string, ...writing: string[]): Promise<string> => {
    const { page } = visitor
    await page.goto(agent.authorizationUrl({ scope: ['openid account:read', ...writing].join(' ') }).href)
    await signIn(page, email, password)
    for (const scope of writing) await box(page, scope).check()
    await page.locator('button.main').click()
    const { body } = await agent.redeem(await callback.next())
    return body.access_token
  }
  const statusWith = async (token: string): Promise<number> =>
    (await fetch(`${service.issuer}/api/v1/account`, { headers: { authorization: `Bearer ${token}` } })).status
  const heading = async (): Promise<string | null> => visitor.page.locator('h1').textContent()

  test('disconnects an app, and its token is invalid from that moment', async () => {
    await service.addPerson({ email: 'ending@example.com' })
    const token = await connect('ending@example.com')
    expect(await statusWith(token)).toBe(200)
    const { page } = visitor
    await page.goto(`${service.issuer}/account/apps`)
    await page.getByRole('heading', { name: 'Course Companion' }).waitFor()
    await page.getByRole('button', { name: 'Remove this app' }).click()
    expect(await page.getByRole('status').textContent()).toBe('The app no longer has access.')
    expect(await statusWith(token)).toBe(401)
  })

  test('keeps an account that an app put down for deletion, on the page that the mail leads to', async () => {
    await service.addPerson({ email: 'staying@example.com' })
    const headers = { authorization: `Bearer ${await connect('staying@example.com', 'account:write')}` }
    const { status } = await fetch(`${service.issuer}/api/v1/account`, { method: 'DELETE', headers })
    expect(status).toBeLessThan(300)
    const { page } = visitor
    await page.goto((await lastLink(service, 'staying@example.com')).href)
    await page.getByRole('region', { name: 'Your account will be deleted' }).getByRole('button', { name: 'Keep my account' }).click()
    expect(await page.getByRole('status').textContent()).toBe('Your account will not be deleted.')
    expect(await page.getByRole('button', { name: 'Keep my account' }).count()).toBe(0)
    const { body } = await withToken(`${service.issuer}/api/v1/account`, headers.authorization.slice('Bearer '.length))
    expect(body.deletion_scheduled_at).toBeNull()
  })

  test('signs out everywhere: another browser is asked to sign in, and apps too where that was ticked', async () => {
    await service.addPerson({ email: 'leaving@example.com' })
    const token = await connect('leaving@example.com')
    const other = await openVisitor({ javaScriptEnabled: false })
    try {
      await other.page.goto(`${service.issuer}/account/apps`)
      await signIn(other.page, 'leaving@example.com', password)
      const { page } = visitor
      await page.goto(`${service.issuer}/account/sessions`)
      await page.getByLabel('Also remove the access of all apps').check()
      await page.getByRole('button', { name: 'Sign out everywhere', exact: true }).click()
      expect(await heading()).toBe('You are signed out everywhere')
      await other.page.reload()
      expect(new URL(other.page.url()).pathname).toBe('/account/sign-in')
      expect(await statusWith(token)).toBe(401)
    } finally {
      await other.close()
    }
  })

  test('signs up during an app’s request: the mailed link creates the account, signs in, and leads on to the consent page', async () => {
    const { page } = visitor
    await page.goto(agent.authorizationUrl({ scope: 'openid account:read' }).href)
    await page.getByRole('link', { name: 'Create an account' }).click()
    await page.getByLabel('E-mail address').fill('new@example.com')
    await page.getByLabel('Your name').fill('Wren Applegarth')
    await page.getByRole('button', { name: 'Send me the link' }).click()
    expect(await heading()).toBe('Check your e-mail')
    await page.goto((await lastLink(service, 'new@example.com')).href)
    await page.getByLabel('New password').fill(chosen)
    await page.getByLabel('Repeat the password').fill(chosen)
    await page.getByRole('button', { name: 'Create the account' }).click()
    await page.getByText('Signed in as').waitFor()
    await page.locator('button.main').click()
    expect((await agent.redeem(await callback.next())).status).toBe(200)
  })

  test('chooses a new password in German from beginning to end, by a choice at the foot of the page', async () => {
    await service.addPerson({ email: 'forgetting@example.com' })
    const { page } = visitor
    await page.goto(`${service.issuer}/account/sign-in`)
    await page.getByRole('link', { name: 'Deutsch' }).click()
    await page.getByRole('link', { name: 'Passwort vergessen' }).click()
    await page.getByLabel('E-Mail-Adresse').fill('forgetting@example.com')
    await page.getByRole('button', { name: 'Link zusenden' }).click()
    expect(await heading()).toBe('Sehen Sie in Ihr Postfach')
    await page.goto((await lastLink(service, 'forgetting@example.com')).href)
    await page.getByLabel('Neues Passwort').fill(chosen)
    await page.getByLabel('Passwort wiederholen').fill(chosen)
    await page.getByRole('button', { name: 'Passwort festlegen' }).click()
    await page.getByRole('link', { name: 'Weiter zur Anmeldung' }).click()
    await signIn(page, 'forgetting@example.com', chosen)
    expect(await heading()).toBe('Mein Lernen')
    expect(await page.locator('html').getAttribute('lang')).toBe('de')
  })

  test('confirms a new address with the mailed link, and signs in with it from then on', async () => {
    const { accountId } = await service.addPerson({ email: 'before@example.com' })
    const school = { id: service.schoolId(), slug: 'first', issuer: service.issuer }
    const [email] = await startEmailChange(service, school, { accountId, email: 'after@example.com' })
    const { page } = visitor
    await page.goto(/https?:\/\/\S+/.exec(email?.text ?? '')?.[0] ?? '')
    await signIn(page, 'before@example.com', password)
    expect(await heading()).toBe('Use this e-mail address from now on?')
    await page.getByRole('button', { name: 'Use the new address' }).click()
    expect(await heading()).toBe('Your e-mail address has been changed')
    await page.context().clearCookies()
    await page.goto(`${service.issuer}/account/apps`)
    await signIn(page, 'after@example.com', password)
    expect(await heading()).toBe('Apps that have access to your account')
  })
})
