// Proves OAuth 2.0 Form Post Response Mode: `response_mode=form_post` posts to the registered https address alone, and a repeated decision gets the same form

import { describe, expect, test } from 'vitest'
import { signIn } from '../../browser/visitor.ts'
import { fieldsOf, toConsent } from '../../security/browsing.ts'
import { agentOf, createAgent, get, personCalled } from '../../support/agent.ts'
import { hasChromium, sharedChromium } from '../../support/chromium.ts'
import { duringTests } from '../../support/duringTests.ts'
import { formsOf } from '../../support/person.ts'
import { password, startService } from '../../support/service.ts'

const email = 'learner@example.org'
const callback = 'https://rp.example.com/signin-oidc'
const integrations = [{ client_id: 'aspnet', client_name: 'Relying party', redirect_uris: [callback] }]

const service = duringTests(() => startService({ school: { integrations }, people: [{ email }] }))

const integration = () => agentOf(service.issuer, 'aspnet', undefined, callback)
const state = `"><script>alert(1)</script>'&amp; ${'s'.repeat(2000)}`

/** Signs the person in and answers the consent page. Returns the page that posts the response. */
async function lastPage({ isRefused = false } = {}) {
  const agent = integration()
  const person = personCalled(email)
  const consent = await toConsent(agent, person, { email, parameters: { response_mode: 'form_post', state } })
  return { agent, page: await person.submit(consent, isRefused ? /refuse$/ : /consent$/) }
}

describe('response_mode=form_post (OAuth 2.0 Form Post Response Mode)', () => {
  test('is in the metadata', async () => {
    const { body } = await get(`${service.issuer}/.well-known/openid-configuration`)
    expect(body.response_modes_supported).toEqual(['query', 'form_post'])
  })

  test('posts code, state and iss to the app, which redeems the code', async () => {
    const { agent, page } = await lastPage()
    expect([page.status, page.leftFor]).toEqual([200, undefined])
    const { address, fields } = fieldsOf(page, /signin-oidc$/)
    expect([address, formsOf(page.html).length]).toEqual([callback, 1])
    expect([...fields.keys()].sort()).toEqual(['code', 'iss', 'state'])
    expect([fields.get('state'), fields.get('iss')]).toEqual([state, service.issuer])
    const { status } = await agent.redeem(new URL(`${callback}?${fields}`))
    expect(status).toBe(200)
  })

  test('shows a page that may post to the app alone, is not stored and has no other script', async () => {
    const { page } = await lastPage()
    expect(page.headers.get('content-security-policy')).toContain(`form-action 'self' https://rp.example.com; frame-ancestors 'none'`)
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.headers.get('referrer-policy')).toBe('strict-origin')
    expect(page.html).not.toContain('<script>')
  })

  test('reports that the person did not allow access in the same way', async () => {
    const { page } = await lastPage({ isRefused: true })
    const { fields } = fieldsOf(page, /signin-oidc$/)
    expect([fields.get('error'), fields.get('state'), fields.get('iss')]).toEqual(['access_denied', state, service.issuer])
  })

  test.each([/consent$/, /refuse$/])('repeats the same form for a minute when the person repeats %s', async (action) => {
    const agent = integration()
    const person = personCalled(email)
    const consent = await toConsent(agent, person, { email, parameters: { response_mode: 'form_post', state } })
    const [first, again] = [await person.submit(consent, action), await person.submit(consent, action)]
    const [one, two] = [first, again].map((page) => fieldsOf(page, /signin-oidc$/))
    expect([again.status, two?.address, String(two?.fields)]).toEqual([200, callback, String(one?.fields)])
    for (const name of ['content-security-policy', 'cache-control', 'referrer-policy'])
      expect(again.headers.get(name)).toBe(first.headers.get(name))
    if (two?.fields.has('code')) expect((await agent.redeem(new URL(`${callback}?${two.fields}`))).status).toBe(200)
  })

  test('reports an error of the request in the same way', async () => {
    const page = await personCalled(email).open(integration().authorizationUrl({ response_mode: 'form_post', scope: 'nonsense' }).href)
    expect(fieldsOf(page, /signin-oidc$/).fields.get('error')).toBe('invalid_scope')
  })

  test('is refused for an app on the computer of the person, which cannot be posted to from https', async () => {
    const { headers } = await get((await createAgent(service.issuer)).authorizationUrl({ response_mode: 'form_post' }).href)
    const redirect = new URL(headers.get('location') ?? '')
    expect(redirect.searchParams.get('error')).toBe('unsupported_response_mode')
    expect(redirect.searchParams.get('error_description')).toContain('https redirect URIs')
  })

  test.skipIf(!hasChromium())('submits itself in Chromium, and by its button without script', async () => {
    const browser = await sharedChromium()
    for (const javaScriptEnabled of [true, false]) {
      const context = await browser.newContext({ javaScriptEnabled })
      const page = await context.newPage()
      const posted: { method: string; body: string | null; origin: string | undefined }[] = []
      await page.route('https://rp.example.com/**', async (route) => {
        const request = route.request()
        posted.push({ method: request.method(), body: request.postData(), origin: (await request.allHeaders()).origin })
        await route.fulfill({ contentType: 'text/html', body: '<p>signed in</p>' })
      })
      await page.goto(integration().authorizationUrl({ response_mode: 'form_post' }).href)
      await signIn(page, email, password)
      await page.getByRole('button', { name: 'Allow selected' }).click()
      if (!javaScriptEnabled) await page.getByRole('button', { name: 'Continue to the app' }).click()
      await page.getByText('signed in').waitFor()
      expect(posted).toEqual([{ method: 'POST', body: expect.stringContaining('code='), origin: service.issuer }])
      await context.close()
    }
  })
})
