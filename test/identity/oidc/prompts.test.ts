// Proves OpenID Connect Core section 3.1.2.1: `prompt` accepts select_account and create, alone and combined; a long `state` comes back unchanged

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Agent, createAgent, get, personCalled } from '../../support/agent.ts'
import { startService, type TestService } from '../../support/service.ts'

const email = 'learner@example.org'
let service: TestService
let agent: Agent
beforeAll(async () => {
  service = await startService()
  await service.addPerson({ email })
  agent = await createAgent(service.issuer)
})
afterAll(() => service.stop())

/** Returns the first page of a new browser, or of one in which the person is signed in. */
const firstPage = async (prompt: string, { isSignedIn = false } = {}) => {
  const person = personCalled(email)
  if (isSignedIn) await agent.tokens(person)
  return person.open(agent.authorizationUrl({ prompt }).href)
}

describe('prompt (OpenID Connect Core section 3.1.2.1)', () => {
  test('the metadata list its values (OpenID Connect Prompt Create section 4.1)', async () => {
    const { body } = await get(`${service.issuer}/.well-known/openid-configuration`)
    expect(body.prompt_values_supported).toEqual(['none', 'login', 'consent', 'select_account', 'create'])
  })

  test.each(['select_account', 'select_account consent', 'consent select_account', ' select_account  consent '])(
    '%j shows the account with a link to another sign-in, and leads to a code',
    async (prompt) => {
      const page = await firstPage(prompt, { isSignedIn: true })
      expect(page.html).toContain(email)
      expect(page.html).toContain('?account=other')
      expect((await firstPage(prompt)).html).toContain('type="password"')
      const redirect = await agent.send(personCalled(email), { prompt })
      expect(redirect.searchParams.get('code')).toBeTruthy()
    },
  )

  test('"login select_account" asks for the password again', async () => {
    expect((await firstPage('login select_account', { isSignedIn: true })).html).toContain('type="password"')
  })

  test.each(['create', 'create consent', 'select_account create'])('%j begins with the sign-up, which leads back', async (prompt) => {
    for (const isSignedIn of [false, true]) {
      const page = await firstPage(prompt, { isSignedIn })
      expect(page.url.pathname).toBe('/account/sign-up')
      const back = page.url.searchParams.get('return_to') ?? ''
      expect(back).toMatch(/^\/oauth\/interaction\/[\w-]+$/)
    }
    const person = personCalled(email)
    const signUp = await person.open(agent.authorizationUrl({ prompt }).href)
    const signIn = await person.open(new URL(signUp.url.searchParams.get('return_to') ?? '', service.issuer).href)
    expect(signIn.html).toContain('type="password"')
  })

  test.each(['none create', 'none select_account', 'select_account none', 'none login'])(
    '%j is an error: none is used alone',
    async (prompt) => {
      const { headers } = await get(agent.authorizationUrl({ prompt }).href)
      const redirect = new URL(headers.get('location') ?? '')
      expect([redirect.searchParams.get('error'), redirect.searchParams.get('state')]).toEqual(['invalid_request', 'a-state'])
    },
  )

  test.each(['selectAccount', 'admin', 'login admin'])('%j is not a value: the error reaches the app', async (prompt) => {
    const { headers } = await get(agent.authorizationUrl({ prompt }).href)
    expect(new URL(headers.get('location') ?? '').searchParams.get('error')).toBe('invalid_request')
  })
})

test.each([2372, 5000])('a state of %i characters comes back unchanged: the limit of the whole request decides', async (length) => {
  const state = 's'.repeat(length)
  const redirect = await agent.send(personCalled(email), { state, scope: 'openid' })
  expect(redirect.searchParams.get('state')).toBe(state)
  expect(redirect.searchParams.get('code')).toBeTruthy()
})
