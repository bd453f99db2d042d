import type { Locator } from 'playwright-core'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Agent, agentOf, createAgent } from '../support/agent.ts'
import { type Callback, listenForCallback } from '../support/callback.ts'
import { hasChromium } from '../support/chromium.ts'
import { duringTests } from '../support/duringTests.ts'
import { password, startService } from '../support/service.ts'
import { openVisitor, sendSignIn, type Visitor } from './visitor.ts'

const email = 'learner@example.org'

/** The request of the browser during which the person presses the button again. */
const moments = {
  immediately: undefined,
  'while the form is sent': /^POST .*\/consent$/,
  'while the browser returns to the service': /^GET .*\/oauth\/authorize\/[^?]+$/,
  'while the browser opens the app': /^GET .*\/callback\?/,
}

describe.skipIf(!hasChromium())('in Chromium', () => {
  const service = duringTests(() => startService({ people: [{ email }] }))
  let callback: Callback
  let agent: Agent
  let clientId: string
  beforeAll(async () => {
    clientId = (await createAgent(service.issuer)).clientId
  })

  describe.each([
    { scripts: 'off', latency: 0 },
    { scripts: 'off', latency: 150 },
    { scripts: 'on', latency: 0 },
    { scripts: 'on', latency: 150 },
  ])('with scripts $scripts and $latency ms to the service', ({ scripts, latency }) => {
    let visitor: Visitor
    let requests: string[]
    let pages: string[]
    beforeEach(async () => {
      callback = await listenForCallback()
      agent = agentOf(service.issuer, clientId, undefined, callback.redirectUri)
      visitor = await openVisitor({ javaScriptEnabled: scripts === 'on' })
      requests = []
      pages = []
      visitor.page.on('request', (request) => requests.push(`${request.method()} ${request.url()}`))
      visitor.page.on('response', (response) => {
        if (response.status() >= 400) pages.push(`${response.status()} ${response.url()}`)
      })
      const developer = await visitor.page.context().newCDPSession(visitor.page)
      await developer.send('Network.enable')
      const conditions = { offline: false, latency, downloadThroughput: -1, uploadThroughput: -1 }
      await developer.send('Network.emulateNetworkConditions', conditions)
    })
    afterEach(async () => {
      await visitor.close()
      await callback.close()
    })

    /** Presses the mouse button twice at the place of a button, the second time while the browser sends the request. */
    const pressTwice = async (button: Locator, during: RegExp | undefined): Promise<void> => {
      const { page } = visitor
      await button.scrollIntoViewIfNeeded()
      const place = await button.boundingBox()
      if (!place) throw new Error('the button has no place')
      const [x, y] = [place.x + place.width / 2, place.y + place.height / 2]
      if (!during) return page.mouse.dblclick(x, y)
      const sent = page.waitForRequest((request) => during.test(`${request.method()} ${request.url()}`))
      await page.mouse.click(x, y)
      await sent
      await page.mouse.click(x, y)
    }

    test.each(Object.entries(moments))('a second press on Allow, %s, leads to the app with the one code', async (_when, during) => {
      const { page } = visitor
      await page.goto(await sendSignIn(page, agent.authorizationUrl().href, email, password))
      await pressTwice(page.getByRole('button', { name: 'Allow selected' }), during)
      await page.getByText('You can close this page.').waitFor()
      const arrived = await callback.next()
      const shown = new URL(page.url())
      expect(shown.searchParams.get('code')).toBe(arrived.searchParams.get('code'))
      expect((await agent.redeem(arrived)).status).toBe(200)
      expect(pages).toEqual([])
      if (scripts === 'on') expect(requests.filter((request) => request.startsWith('POST'))).toHaveLength(1)
    })

    test('a second press on Sign in leads to the consent page', async () => {
      const { page } = visitor
      await page.goto(agent.authorizationUrl().href)
      await page.locator('#email').fill(email)
      await page.locator('#password').fill(password)
      await pressTwice(page.locator('button.main'), /^POST .*\/sign-in$/)
      await page.getByText('Signed in as').waitFor()
      expect(pages).toEqual([])
    })
  })
})
