import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { allScopes, get } from '../support/agent.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let text: string
beforeAll(async () => {
  service = await startService({ oauth: { lifetimes: { access_token_seconds: 1234 } } })
  text = (await get(`${service.issuer}/auth.md`)).body
})
afterAll(() => service.stop())

describe('/auth.md', () => {
  test('is Markdown, can be cached and revalidated, and answers HEAD', async () => {
    const { status, headers } = await get(`${service.issuer}/auth.md`)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8'])
    expect((await get(`${service.issuer}/auth.md`, { 'if-none-match': headers.get('etag') as string })).status).toBe(304)
    expect((await fetch(`${service.issuer}/auth.md`, { method: 'HEAD' })).status).toBe(200)
    expect(text).toMatch(/^# auth\.md/)
  })

  test('names only addresses that answer, and those of the metadata', async () => {
    const { body: metadata } = await get(`${service.issuer}/.well-known/openid-configuration`)
    const named = [...text.matchAll(/http:\/\/127\.0\.0\.1:\d+(\/[\w./-]*)?/g)]
      .map(([url]) => url)
      .filter((url) => url.startsWith(service.issuer))
    for (const name of ['registration_endpoint', 'authorization_endpoint', 'token_endpoint', 'revocation_endpoint'])
      expect(named).toContain(metadata[name])
    for (const url of new Set(named.filter((url) => new URL(url).pathname !== '/' && !url.endsWith('/mcp')))) {
      expect([url, (await fetch(url, { redirect: 'manual' })).status]).not.toEqual([url, 404])
    }
  })

  test('lists every scope, the lifetimes in force, and nothing that is not supported', () => {
    for (const scope of allScopes.split(' ')) expect(text).toContain(`\`${scope}\``)
    expect(text).toContain('1234 seconds')
    expect(text).not.toMatch(/identity_endpoint|register_uri|agent_auth/)
  })

  test('is what the metadata call documentation', async () => {
    const { body } = await get(`${service.issuer}/.well-known/oauth-protected-resource`)
    expect(body.resource_documentation).toBe('https://docs.example.com')
    const own = await startService({ school: { docs_url: undefined } })
    expect((await get(`${own.issuer}/.well-known/openid-configuration`)).body.service_documentation).toBe(`${own.issuer}/auth.md`)
    await own.stop()
  })
})
