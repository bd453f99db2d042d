// Proves WCAG 2.1.1, 2.4.7: People can sign in and give consent with the keyboard only, in both languages, with and without scripts
// Proves RFC 8252 section 7.3: The code for an app on another machine is shown once, to be copied
// Proves RFC 8252 section 8.6: Permissions allowed before are shown separately from new ones, and every request asks again

import { decodeJwt } from 'jose'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { languages } from '../../src/base/text/languages.ts'
import { type Agent, agentOf, postJson } from '../support/agent.ts'
import { type Callback, listenForCallback } from '../support/callback.ts'
import { hasChromium } from '../support/chromium.ts'
import { duringTests } from '../support/duringTests.ts'
import { until } from '../support/poll.ts'
import { password, startService } from '../support/service.ts'
import { box, openVisitor, signIn, type Visitor } from './visitor.ts'

const learner = 'learner@example.org'
const scope = 'openid email account:read courses:read courses:write school:write'

describe.skipIf(!hasChromium())('in Chromium', () => {
  const service = duringTests(() => startService({ people: [{ email: learner }, { email: 'owner@example.com', role: 'owner' }] }))
  let callback: Callback
  let agent: Agent

  beforeAll(async () => {
    callback = await listenForCallback()
    const metadata = { client_name: 'Course Companion', redirect_uris: [callback.redirectUri] }
    const { body } = await postJson(`${service.issuer}/api/oauth/register`, metadata)
    agent = agentOf(service.issuer, body.client_id, undefined, callback.redirectUri)
  })
  afterAll(() => callback?.close())

  describe.each([
    ['off', false],
    ['on', true],
  ])('with scripts %s', (_name, javaScriptEnabled) => {
    const visitor = duringTests(() => openVisitor({ javaScriptEnabled }))
    beforeEach(() => visitor.startOver())
    afterEach(() => {
      const [complaints, origins] = [visitor.complaints(), visitor.origins()]
      const ours = [service.issuer, new URL(callback.redirectUri).origin]
      expect(origins.filter((origin) => !ours.includes(origin))).toEqual([])
      // The failed sign-in and pages like it: the browser notes every answer above 399.
      expect(complaints.filter((text) => !text.includes('Failed to load resource: the server responded with a status of 4'))).toEqual([])
    })

    const ask = async (parameters: Record<string, string> = {}): Promise<Visitor['page']> => {
      await visitor.page.goto(agent.authorizationUrl({ scope, ...parameters }).href)
      return visitor.page
    }
    const allow = () => visitor.page.getByRole('button', { name: 'Allow selected' }).click()
    const granted = async (): Promise<string[]> => {
      const { status, body } = await agent.redeem(await callback.next())
      expect(status).toBe(200)
      return body.scope.split(' ').toSorted()
    }

    test('a person signs in and consents, and the browser follows the redirect to the app', async () => {
      const page = await ask()
      await signIn(page, learner, password)
      await allow()
      await page.waitForURL(`${callback.redirectUri}?**`)
      const arrived = await callback.next()
      expect([arrived.searchParams.get('state'), arrived.searchParams.get('iss')]).toEqual(['a-state', service.issuer])
      const { body } = await agent.redeem(arrived)
      expect(body.scope.split(' ').toSorted()).toEqual(['account:read', 'courses:read', 'email', 'openid'])
      expect(decodeJwt(body.id_token).email).toBe(learner)
    })

    test('a wrong password says so and keeps the e-mail address, and the next try goes on', async () => {
      const page = await ask()
      await signIn(page, learner, 'not the password')
      expect(await page.getByRole('alert').textContent()).toContain('password is wrong')
      expect(await page.getByLabel('E-mail address').inputValue()).toBe(learner)
      expect(await page.getByLabel('Password').inputValue()).toBe('')
      await page.getByLabel('Password').fill(password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText('Signed in as').waitFor()
    })

    test.each(['before', 'after'])('declining %s signing in sends access_denied to the app', async (when) => {
      const page = await ask()
      if (when === 'after') await signIn(page, learner, password)
      await page.getByRole('button', { name: when === 'after' ? 'Don’t allow' : 'Cancel and go back to the app' }).click()
      const arrived = await callback.next()
      expect(Object.fromEntries(arrived.searchParams)).toMatchObject({ error: 'access_denied', state: 'a-state', iss: service.issuer })
      expect(arrived.searchParams.has('code')).toBe(false)
    })

    test('unticked scopes are not in the token', async () => {
      const page = await ask()
      await signIn(page, learner, password)
      await box(page, 'courses:read').uncheck()
      await box(page, 'account:read').uncheck()
      await allow()
      expect(await granted()).toEqual(['email', 'openid'])
    })

    test('scopes that the role cannot use are struck out and have no box; write scopes start unticked', async () => {
      const page = await ask()
      await signIn(page, learner, password)
      await page.getByText('Signed in as').waitFor()
      for (const refused of ['courses:write', 'school:write']) {
        expect(await box(page, refused).count()).toBe(0)
        const struck = page.locator(`li.struck[data-scope="${refused}"]`)
        expect(await struck.locator('s').count()).toBe(1)
        expect(await struck.isVisible()).toBe(false)
      }
      await page.getByText('2 more are not available to your role').click()
      expect(await page.locator('li.struck[data-scope="school:write"]').isVisible()).toBe(true)
      await page.getByRole('link', { name: 'Use another account' }).click()
      await signIn(page, 'owner@example.com', password)
      await page.getByText('owner@example.com').waitFor()
      expect(await page.locator('li.struck').count()).toBe(0)
      expect([await box(page, 'courses:write').isChecked(), await box(page, 'courses:read').isChecked()]).toEqual([false, true])
      await box(page, 'school:write').check()
      await allow()
      expect(await granted()).toEqual(['account:read', 'courses:read', 'email', 'openid', 'school:write'])
    })

    test('nothing is ticked after "Sign in only", and the line above the buttons says what is', async () => {
      const { body } = await postJson(`${service.issuer}/api/oauth/register`, { redirect_uris: [callback.redirectUri] })
      const page = await ask({ client_id: body.client_id, scope: `${scope} students:read` })
      await signIn(page, 'owner@example.com', password)
      await page.getByText('Signed in as').waitFor()
      const sum = () => page.locator('#sum').textContent()
      const isTicked = (name: string) => box(page, name).isChecked()
      expect([await isTicked('students:read'), await isTicked('courses:read')]).toEqual([false, true])
      expect(await sum()).toBe(javaScriptEnabled ? '3 of 6 permissions selected' : '6 permissions, 1 of them shows other people’s data')
      await page.getByRole('link', { name: 'Sign in only' }).click()
      await expect.poll(() => page.locator('input[name="scope"]:checked').count()).toBe(0)
      await box(page, 'students:read').check()
      if (javaScriptEnabled) expect(await sum()).toBe('1 of 6 permissions selected, showing other people’s data: 1')
      await allow()
      const redeemed = await agent.redeem(await callback.next(), { client_id: body.client_id })
      // openid has no box: it comes with Allow.
      expect(redeemed.body.scope).toBe('openid students:read')
    })

    test('another account can be used from the consent page, and the token is theirs', async () => {
      const page = await ask()
      await signIn(page, 'owner@example.com', password)
      await page.getByRole('link', { name: 'Use another account' }).click()
      await page.getByRole('link', { name: 'Continue with the current account' }).click()
      await page.getByText('owner@example.com').waitFor()
      await page.getByRole('link', { name: 'Use another account' }).click()
      await signIn(page, learner, password)
      await page.getByText(learner).waitFor()
      await allow()
      expect(decodeJwt((await agent.redeem(await callback.next())).body.id_token).email).toBe(learner)
    })

    test.each(languages)('the keyboard is sufficient and the focus is visible, in %s', async (language) => {
      const page = await ask({ ui_locales: language })
      const tabTo = async (selector: string): Promise<void> => {
        const isThere = () => page.evaluate<boolean>(`document.activeElement?.matches(${JSON.stringify(selector)}) ?? false`)
        for (let steps = 0; !(await isThere()); steps += 1) {
          if (steps > 30) throw new Error(`the Tab key does not lead to ${selector}`)
          await page.keyboard.press('Tab')
        }
        expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid')
      }
      await tabTo('#email')
      await page.keyboard.type(learner)
      await tabTo('#password')
      await page.keyboard.type(password)
      await page.keyboard.press('Enter')
      await page.getByText(language === 'de' ? 'Angemeldet als' : 'Signed in as').waitFor()
      expect(await page.locator('html').getAttribute('lang')).toBe(language)
      await tabTo('input[value="courses:read"]')
      await page.keyboard.press('Space')
      await tabTo('button.main')
      await page.keyboard.press('Enter')
      expect(await granted()).toEqual(['account:read', 'email', 'openid'])
    })

    test('the code for an app on another machine can be copied, one click selects it, and reloading hides it', async () => {
      const page = await ask()
      await signIn(page, learner, password)
      await page.getByLabel('The app is on a different computer').check()
      await allow()
      await page.getByRole('heading', { name: 'Copy this into your app' }).waitFor()
      const [address, code] = [page.getByLabel('Address for the app'), page.getByLabel('Only the code')]
      const text = (await address.textContent()) ?? ''
      expect(text.startsWith(`${callback.redirectUri}?code=`)).toBe(true)
      expect(new URL(text).searchParams.get('code')).toBe(await code.textContent())
      expect(page.url()).not.toContain((await code.textContent()) ?? '')
      const selected = () => page.evaluate('getSelection().toString()')
      await address.click({ position: { x: 20, y: 20 } })
      expect(await selected()).toBe(text)
      const copy = page.getByRole('button', { name: 'Copy the code only' })
      expect([await copy.count(), await page.getByRole('timer').count()]).toEqual(javaScriptEnabled ? [1, 1] : [0, 0])
      if (javaScriptEnabled) {
        expect(await page.getByRole('timer').textContent()).toMatch(/^The code is valid for another [45]:\d\d\.$/)
        await page.getByRole('button', { name: 'Copy the address' }).focus()
        await page.keyboard.press('Tab')
        await page.keyboard.press('Tab')
        await page.keyboard.press('Enter')
        await page.getByText('Copied').waitFor()
        expect(await selected()).toBe(await code.textContent())
      }
      await page.reload()
      expect(await code.textContent()).toBe(new URL(text).searchParams.get('code'))
      const { status, body } = await agent.redeem(new URL(text))
      expect([status, body.scope.split(' ').includes('courses:read')]).toEqual([200, true])
    })

    test('declining for an app on another machine stays on this page too', async () => {
      const page = await ask()
      await signIn(page, learner, password)
      await page.getByLabel('The app is on a different computer').check()
      await page.getByRole('button', { name: 'Don’t allow' }).click()
      await page.getByRole('heading', { name: 'The app gets no access' }).waitFor()
      expect(new URL((await page.getByLabel('Address for the app').textContent()) ?? '').searchParams.get('error')).toBe('access_denied')
    })

    test('granted scopes are folded away, and can be opened and unticked', async () => {
      const { body } = await postJson(`${service.issuer}/api/oauth/register`, { redirect_uris: [callback.redirectUri] })
      const page = await ask({ client_id: body.client_id, scope: 'openid email' })
      await signIn(page, learner, password)
      await allow()
      await callback.next()
      await ask({ client_id: body.client_id })
      await page.getByText('You already allowed').waitFor()
      expect([await box(page, 'courses:read').isVisible(), await box(page, 'email').isVisible()]).toEqual([true, false])
      await page.getByText('You already allowed').click()
      await box(page, 'email').uncheck()
      await allow()
      const redeemed = await agent.redeem(await callback.next(), { client_id: body.client_id })
      expect(redeemed.body.scope.split(' ').toSorted()).toEqual(['account:read', 'courses:read', 'openid'])
    })

    test('a second visit for the same is asked again, with nothing new to tick, and ends at the app', async () => {
      const { body } = await postJson(`${service.issuer}/api/oauth/register`, { redirect_uris: [callback.redirectUri] })
      const same = { client_id: body.client_id, scope: 'openid email' }
      const page = await ask(same)
      await signIn(page, learner, password)
      await allow()
      await callback.next()
      await ask(same)
      await page.getByText('already allowed everything that the app asks for').waitFor()
      expect(await page.locator('input[name="scope"]').count()).toBe(await page.locator('details input[name="scope"]').count())
      await allow()
      const redeemed = await agent.redeem(await callback.next(), { client_id: body.client_id })
      expect(redeemed.body.scope.split(' ').toSorted()).toEqual(['email', 'openid'])
    })

    test('the page of an unknown app explains the problem and redirects to no other address', async () => {
      const page = await ask({ client_id: 'cli_gone' })
      await page.getByRole('heading', { name: 'This app is not registered here' }).waitFor()
      // Only the school and its help are linked.
      expect(await page.locator('main a, form').count()).toBe(0)
    })
  })

  test.each([
    ['off', false],
    ['on', true],
  ])(
    'the redirect URI is in form-action because browsers require it: without it they block the redirect, scripts %s',
    async (_name, javaScriptEnabled) => {
      const visitor = await openVisitor({ javaScriptEnabled })
      try {
        const { page } = visitor
        await page.goto(agent.authorizationUrl({ scope }).href)
        await signIn(page, learner, password)
        await page.getByText('Signed in as').waitFor()
        await page.route(page.url(), async (route) => {
          const response = await route.fetch()
          const headers = response.headers()
          const policy = headers['content-security-policy']?.replace(/form-action [^;]*/, "form-action 'self'") ?? ''
          await route.fulfill({ response, headers: { ...headers, 'content-security-policy': policy } })
        })
        await page.reload()
        await page.getByRole('button', { name: 'Allow selected' }).click()
        await until(() => visitor.complaints().some((text) => text.includes('form-action')), {
          what: 'the browser to complain',
        })
        expect(page.url().startsWith(service.issuer)).toBe(true)
      } finally {
        await visitor.close()
      }
    },
  )
})
