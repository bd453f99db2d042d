// Proves RFC 8252 section 7: An integration of an installed app gets codes at loopback (any port), https and private-use addresses, and at no other

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { agentOf, get, personCalled } from '../../support/agent.ts'
import { createPerson } from '../../support/person.ts'
import { password, startService, type TestService } from '../../support/service.ts'

const [https, loopback, cursor] = ['https://vscode.dev/redirect', 'http://127.0.0.1:33418/', 'cursor://anysphere.cursor-mcp/oauth/callback']
const person = 'ada@example.org'

let service: TestService
beforeAll(async () => {
  service = await startService({
    school: {
      integrations: [
        { client_id: 'editor', client_name: 'Editor', redirect_uris: [https, loopback, cursor, 'http://localhost:8787/callback'] },
      ],
    },
  })
  await service.addPerson({ email: person, role: 'owner' })
})
afterAll(() => service.stop())

describe('an integration of an installed app (RFC 8252)', () => {
  test.each([
    ['its HTTPS address', https],
    ['its loopback address', loopback],
    ['another port of its loopback address', 'http://127.0.0.1:59656/'],
    ['another port of its localhost address', 'http://localhost:1/callback'],
    ['its private-use scheme', cursor],
  ])('gets a code at %s and redeems it', async (_what, redirectUri) => {
    const agent = agentOf(service.issuer, 'editor', undefined, redirectUri)
    const redirect = await agent.send(personCalled(person))
    expect(redirect.href.startsWith(redirectUri)).toBe(true)
    expect(redirect.searchParams.get('iss')).toBe(service.issuer)
    const { status, body } = await agent.redeem(redirect, { redirect_uri: redirectUri })
    expect([status, body.token_type]).toEqual([200, 'Bearer'])
  })

  test.each([
    'http://127.0.0.1:33418/other',
    'http://[::1]:33418/',
    'http://localhost:33418/',
    'https://vscode.dev:444/redirect',
    'cursor://anysphere.cursor-mcp/oauth/callback2',
    'cursor://evil/oauth/callback',
    'claude://anysphere.cursor-mcp/oauth/callback',
  ])('is not redirected to %s', async (redirectUri) => {
    const answer = await get(agentOf(service.issuer, 'editor', undefined, redirectUri).authorizationUrl().href, {
      accept: 'application/json',
    })
    expect([answer.status, answer.headers.get('location'), answer.body.error]).toEqual([400, null, 'invalid_redirect_uri'])
  })

  test('its consent page says that another program can pretend to be it, and write permissions start unticked', async () => {
    for (const [redirectUri, source] of [
      [loopback, 'http://127.0.0.1:33418'],
      [cursor, 'cursor:'],
      [https, 'https://vscode.dev'],
    ] as const) {
      const visitor = createPerson({ email: person, password })
      const agent = agentOf(service.issuer, 'editor', undefined, redirectUri)
      const signIn = await visitor.open(agent.authorizationUrl({ scope: 'openid courses:read courses:write' }).href)
      const page = await visitor.submit(signIn, /sign-in$/, { email: person, password })
      const isInstalled = redirectUri !== https
      expect(page.html.includes('another program can pretend to be this app')).toBe(isInstalled)
      expect(/value="courses:write"[^>]*\schecked/.test(page.html)).toBe(!isInstalled)
      expect(page.headers.get('content-security-policy')).toContain(`form-action 'self' ${source};`)
    }
  })
})

test('a client id that is a URL gets a page about metadata documents, not about lost registrations', async () => {
  const agent = agentOf(service.issuer, 'https://vscode.dev/oauth/client-metadata.json', undefined, loopback)
  const json = await get(agent.authorizationUrl().href, { accept: 'application/json' })
  expect([json.status, json.body.error]).toEqual([400, 'invalid_client'])
  expect(json.body.error_description).toContain('client_id_metadata_document_supported is false')
  const neither = await get(agent.authorizationUrl().href, { accept: 'application/x-ndjson' })
  expect([neither.status, neither.body.error]).toEqual([400, 'invalid_client'])
  const page = await get(agent.authorizationUrl().href, { accept: 'text/html' })
  expect(page.body).toContain('without signing in')
  expect(page.body).not.toContain('Clear authentication')
})
