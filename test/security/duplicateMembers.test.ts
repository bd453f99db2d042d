import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parsePasskeyResponse } from '../../src/identity/factors/passkeyResponse.ts'
import { bothTypes } from '../engine/mcp/rpc.ts'
import { type Agent, createAgent, get, personCalled } from '../support/agent.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let agent: Agent
let token: string
beforeAll(async () => {
  service = await startService()
  await service.addPerson({ email: 'owner@example.com', role: 'owner' })
  agent = await createAgent(service.issuer)
  const { body } = await agent.tokens(
    personCalled('owner@example.com'),
    { scope: 'openid courses:write courses:read school:write' },
    { scopes: 'all' },
  )
  token = body.access_token
})
afterAll(() => service.stop())

/** Gateways and services that read another one of two members would see another request (RFC 8259 section 4). */
describe('JSON that names a member of an object twice is refused', () => {
  test.each([
    ['POST', '/api/v1/courses', 'application/json', '{"title":"First","title":"Second"}', 'invalid_json'],
    ['POST', '/api/v1/courses', 'application/json', '{"title":"First","price":{"amount":0,"currency":"EUR","amount":5}}', 'invalid_json'],
    ['PATCH', '/api/v1/school', 'application/merge-patch+json', '{"name":"First","\\u006eame":"Second"}', 'invalid_json'],
    [
      'POST',
      '/api/oauth/register',
      'application/json',
      '{"redirect_uris":["http://127.0.0.1/a"],"redirect_uris":["http://127.0.0.1/b"]}',
      'invalid_request',
    ],
  ])('%s %s as %s: %s', async (method, path, type, body, error) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': type, 'if-match': '*' }
    const response = await fetch(service.issuer + path, { method, body, headers })
    const json = (await response.json()) as { error: string; error_description: string }
    expect([response.status, json.error, json.error_description]).toEqual([400, error, expect.stringContaining('occurs twice')])
  })

  test('by /mcp, with a parse error', async () => {
    const body = '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}'
    const response = await fetch(`${service.issuer}/mcp`, { method: 'POST', body, headers: bothTypes })
    const { error } = (await response.json()) as { error: { code: number; message: string } }
    expect([response.status, error.code, error.message]).toEqual([400, -32700, expect.stringContaining('method occurs twice')])
  })

  test('in the parameter claims', async () => {
    const claims = '{"id_token":{"acr":{"essential":true},"acr":null}}'
    const response = await get(agent.authorizationUrl({ claims }).href, { accept: 'application/json' })
    const location = response.headers.get('location')
    const text = location === null ? JSON.stringify(response.body) : new URL(location).searchParams.get('error_description')
    expect(text).toContain('the member acr twice')
  })

  test('in the response of a passkey', () => {
    const response = '{"id":"YQ","rawId":"YQ","type":"public-key","response":{"clientDataJSON":"YQ"}}'
    expect(parsePasskeyResponse(response)).toMatchObject({ id: 'YQ' })
    expect(parsePasskeyResponse(response.replace('"id":"YQ"', '"id":"YQ","id":"YQ"'))).toBeUndefined()
  })
})
