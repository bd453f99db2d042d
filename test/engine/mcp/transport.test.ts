// Proves MCP transport: GET `/mcp` is 405 before any token is checked
// Proves MCP transport, security: A foreign Origin or a foreign host name gets 403
// Proves MCP transport: Every method but POST is 405 with Allow: no session, no idle stream
// Proves MCP transport: A notification gets 202 and no body
// Proves MCP versioning: An unknown revision is rejected with a list of the supported ones
// Proves MCP 2026-07-28 transport: Headers that contradict the message are rejected
// Proves MCP 2026-07-28 transport: An unknown method of 2026-07-28 is 404
// Proves MCP 2026-07-28: Discovery, result types, and the lifetime and scope of caching
// Proves MCP 2025-03-26 to 2025-11-25: The handshake of the earlier revisions works without state on the server
// Proves MCP transport: Both media types must be acceptable; the response is JSON
// Proves MCP 2025-03-26: Batches are accepted in revision 2025-03-26 only
// Proves JSON-RPC 2.0 section 5.1: Length and depth of a body are bounded; every input gets a response
// Proves Fetch: Browsers may call from configured origins; the preflight allows the headers that clients send
// Proves MCP authorization: A bad token gets the challenge, never a tool error

import { once } from 'node:events'
import { request as sendHttp } from 'node:http'
import * as fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { createAgent, get, personCalled, postJson, withToken } from '../../support/agent.ts'
import { duringTests } from '../../support/duringTests.ts'
import { startService } from '../../support/service.ts'
import { bothTypes, envelope, modern, post, type RpcReply, request } from './rpc.ts'

const service = duringTests(() => startService({ server: { cors: { allowed_origins: ['https://console.example.com'] } } }))
let origin: string
beforeAll(() => {
  origin = service.issuer
})

const ping = request('ping')
const failures = (): string[] =>
  service
    .log()
    .split('\n')
    .filter((line) => line.includes('"level":50'))

describe('a request to /mcp', () => {
  test.each(['GET', 'DELETE', 'PUT', 'PATCH', 'HEAD'])('by %s is 405 with Allow, before any token is looked at', async (method) => {
    const response = await fetch(`${origin}/mcp`, { method, headers: { authorization: 'Bearer garbage', accept: 'text/event-stream' } })
    expect([response.status, response.headers.get('allow'), response.headers.get('www-authenticate')]).toEqual([405, 'POST', null])
    const text = await response.text()
    if (method !== 'HEAD') expect(JSON.parse(text)).toEqual({ jsonrpc: '2.0', error: expect.objectContaining({ code: -32000 }) })
  })

  test('is refused with 403 where it comes from a page that has no business here', async () => {
    for (const from of ['https://evil.example', 'null', 'http://127.0.0.1.evil.example', 'https://console.example.com.evil.example', 'x']) {
      const { status, json, headers } = await post(origin, ping, { origin: from })
      expect([from, status, json.error.code, headers.get('www-authenticate')]).toEqual([from, 403, -32000, null])
    }
    for (const from of [origin, 'http://localhost:6274', 'http://127.0.0.1:6274', 'http://[::1]:80', 'https://console.example.com']) {
      expect([from, (await post(origin, ping, { origin: from })).status]).toEqual([from, 200])
    }
  })

  test('is refused with 403 where a name of somebody else leads to this machine (DNS rebinding)', async () => {
    const viaHost = async (host: string): Promise<number | undefined> => {
      const sent = sendHttp(`${origin}/mcp`, { method: 'POST', headers: { ...bothTypes, host }, agent: false })
      sent.end(JSON.stringify(ping))
      const [response] = await once(sent, 'response')
      response.resume()
      return response.statusCode
    }
    expect(await viaHost('rebound.evil.example')).toBe(403)
    expect(await viaHost(`localhost:${new URL(origin).port}`)).toBe(200)
  })

  test('has to take JSON or event streams, and to bring JSON', async () => {
    for (const accept of ['text/html', 'image/*', 'application/json;q=0'])
      expect([accept, (await post(origin, ping, { accept })).status]).toEqual([accept, 406])
    for (const accept of ['application/json', 'application/*', 'text/event-stream', 'text/event-stream, application/json;q=0.5', '*/*']) {
      const { status, headers, json } = await post(origin, ping, { accept })
      expect([accept, status, headers.get('content-type'), json.result]).toEqual([accept, 200, 'application/json; charset=utf-8', {}])
    }
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', '']) {
      expect([type, (await post(origin, ping, { 'content-type': type })).status]).toEqual([type, 415])
    }
    expect((await post(origin, ping, { 'content-type': 'application/json; charset=utf-8' })).status).toBe(200)
  })

  test('with a body that is too long, too deep or no JSON is refused as JSON-RPC says', async () => {
    const codes = async (body: string | Uint8Array) => {
      const { status, json } = await post(origin, body)
      return [status, json.error.code]
    }
    for (const body of ['', '{', 'undefined', new Uint8Array([0xff, 0xfe]), '['.repeat(100_000), `${'['.repeat(30)}${']'.repeat(30)}`])
      expect(await codes(body)).toEqual([400, -32700])
    expect(await codes(JSON.stringify(request('ping', { text: 'x'.repeat(300_000) })))).toEqual([413, -32000])
    for (const body of ['null', '1', '{}', '{"jsonrpc":"1.0","id":1,"method":"ping"}', '[]'])
      expect(await codes(body)).toEqual([400, -32600])
  })

  test('may come from a browser: the preflight allows what MCP clients send', async () => {
    const response = await fetch(`${origin}/mcp`, {
      method: 'OPTIONS',
      headers: { origin: 'https://console.example.com', 'access-control-request-method': 'POST' },
    })
    const allowed = response.headers.get('access-control-allow-headers') ?? ''
    for (const name of ['authorization', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name']) expect(allowed).toContain(name)
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([204, 'https://console.example.com'])
    expect((await fetch(`${origin}/mcp`, { method: 'OPTIONS' })).headers.get('allow')).toBe('POST, OPTIONS')
  })

  test('without a token is never challenged, and is shown where tokens come from', async () => {
    const { headers } = await post(origin, ping)
    expect(headers.get('www-authenticate')).toBeNull()
    const address = /<([^>]+)>; rel="oauth-protected-resource"/.exec(headers.get('link') ?? '')?.[1]
    expect((await get(address as string)).body.resource).toBe(`${origin}/mcp`)
  })
})

test('school://pricing is the same text as /pricing.md', async () => {
  const { result } = (await post(origin, request('resources/read', { uri: 'school://pricing' }))).json
  expect(result.contents).toEqual([{ uri: 'school://pricing', mimeType: 'text/markdown', text: (await get(`${origin}/pricing.md`)).body }])
})

describe('a token at /mcp', () => {
  let bound: string
  let unbound: string
  beforeAll(async () => {
    await service.addPerson({ email: 'owner@example.org', role: 'owner' })
    const agent = await createAgent(origin)
    const tokenFor = async (resource?: string): Promise<string> => {
      const { body } = await agent.tokens(
        personCalled('owner@example.org'),
        { resource, scope: 'openid courses:read courses:write' },
        { scopes: 'all' },
      )
      return body.access_token
    }
    bound = await tokenFor(`${origin}/mcp`)
    unbound = await tokenFor()
  })
  const call = (token: string, message: unknown) => post(origin, message, { authorization: `Bearer ${token}` })

  test('bound to /mcp is valid here and not at the API, and one for the API is valid here', async () => {
    expect((await call(bound, ping)).status).toBe(200)
    expect((await call(unbound, ping)).status).toBe(200)
    const refused = await withToken(`${origin}/api/v1/courses`, bound)
    expect([refused.status, refused.body.error_description]).toEqual([401, expect.stringContaining(`resource=${origin} `)])
  })

  test('never widens the view: everything is as without it', async () => {
    const headers = { authorization: `Bearer ${unbound}` }
    expect((await postJson(`${origin}/api/v1/courses`, { title: 'Hidden course', slug: 'hidden' }, headers)).status).toBe(201)
    expect((await withToken(`${origin}/api/v1/courses`, unbound)).body.data.length).toBe(1)
    const messages = [
      request('tools/list'),
      request('tools/call', { name: 'list_courses', arguments: {} }),
      request('tools/call', { name: 'search_catalog', arguments: { query: 'Hidden' } }),
      request('resources/read', { uri: 'school://courses/hidden' }),
      request('tools/call', { name: 'list_courses', arguments: { include: ['total_count'] } }),
    ]
    for (const message of messages) {
      const without = (await post(origin, message)).json
      for (const token of [bound, unbound]) expect((await call(token, message)).json).toEqual(without)
    }
  })

  test('that is invalid gets 401 with the pointer to the metadata of /mcp', async () => {
    for (const authorization of ['Bearer garbage', 'Bearer', 'Basic YTpi', `Bearer ${'x'.repeat(43)}`, `Bearer ${bound} ${bound}`]) {
      const { status, headers, json } = await post(origin, ping, { authorization })
      const challenge = headers.get('www-authenticate')
      expect([authorization, status, json.error]).toEqual([authorization, 401, 'invalid_token'])
      expect(challenge).toContain('error="invalid_token"')
      expect(challenge).toContain(`resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`)
    }
    const elsewhere = (await withToken(`${origin}/api/v1/courses`, 'garbage')).headers.get('www-authenticate')
    expect(elsewhere).toContain(`resource_metadata="${origin}/.well-known/oauth-protected-resource"`)
  })

  test('in the address is not looked at', async () => {
    const response = await fetch(`${origin}/mcp?access_token=garbage`, { method: 'POST', headers: bothTypes, body: JSON.stringify(ping) })
    expect(response.status).toBe(200)
  })
})

describe('the revisions', () => {
  test.each(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])(
    '%s begins with a handshake, and nothing is remembered of it',
    async (revision) => {
      const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'test', version: '1' } }
      const { status, json, headers } = await post(origin, request('initialize', params), { 'mcp-session-id': 'made-up' })
      expect([status, json.result.protocolVersion, headers.get('mcp-session-id')]).toEqual([200, revision, null])
      expect(headers.get('content-type')).toContain('application/json')
      expect(json.result.instructions).toContain(`${origin}/.well-known/oauth-protected-resource`)
      expect(json.result.instructions).toContain('skill://get-a-token/SKILL.md')
      const initialized = await post(origin, { jsonrpc: '2.0', method: 'notifications/initialized' })
      expect([initialized.status, initialized.text]).toEqual([202, ''])
      const { result } = (await post(origin, request('tools/list'), { 'mcp-protocol-version': revision, 'last-event-id': '7' })).json
      expect([result.tools.length > 0, result.resultType, result.ttlMs]).toEqual([true, undefined, undefined])
    },
  )

  test('an unknown one in the handshake is answered with one that is known', async () => {
    const params = { protocolVersion: '1999-01-01', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
    expect((await post(origin, request('initialize', params))).json.result.protocolVersion).toBe('2025-11-25')
  })

  test('an idle one in the header is ignored: initialize negotiates in its body, and an empty one names none', async () => {
    const clientInfo = { name: 'test', version: '1' }
    for (const [revision, answered] of [
      ['2024-11-05', '2024-11-05'],
      ['2025-06-18', '2025-06-18'],
      ['2026-05-11', '2025-11-25'],
      ['2099-01-01', '2025-11-25'],
    ] as const) {
      const initialize = request('initialize', { protocolVersion: revision, capabilities: {}, clientInfo })
      for (const header of [revision, '', '2026-07-28', 'x']) {
        const { status, json } = await post(origin, initialize, { 'mcp-protocol-version': header })
        expect([revision, header, status, json.result?.protocolVersion]).toEqual([revision, header, 200, answered])
      }
    }
    // Claude Code sends its header twice; Node joins the values.
    for (const header of ['', '2025-11-25, 2025-11-25', '2025-06-18,2025-06-18,2025-06-18'])
      expect([header, (await post(origin, ping, { 'mcp-protocol-version': header })).status]).toEqual([header, 200])
    for (const header of ['2025-11-25, 2025-06-18', '2025-11-25,', ',', 'x, x'])
      expect([header, (await post(origin, ping, { 'mcp-protocol-version': header })).status]).toEqual([header, 400])
    const [message, headers] = modern('initialize', { protocolVersion: '2026-07-28', capabilities: {}, clientInfo })
    expect((await post(origin, message, headers)).json.error.code).toBe(-32601)
    expect((await post(origin, message, { ...headers, 'mcp-protocol-version': '2025-11-25' })).json.error.code).toBe(-32020)
  })

  test('an unknown one in the header is refused with those that are known', async () => {
    const old = await post(origin, ping, { 'mcp-protocol-version': '1999-01-01' })
    const known = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']
    expect([old.status, old.json.error.code, old.json.error.data.supported, old.json.id]).toEqual([400, -32022, known, 1])
    const [message] = modern('tools/list')
    const params = { _meta: { ...envelope, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' } }
    const future = await post(origin, { ...message, params }, { 'mcp-protocol-version': '2099-01-01', 'mcp-method': 'tools/list' })
    expect([future.status, future.json.error.code, future.json.error.data.supported]).toEqual([400, -32022, ['2026-07-28']])
  })

  describe('2026-07-28', () => {
    test('is discovered without a handshake; what may be kept says for how long and by whom', async () => {
      const { status, json } = await post(origin, ...modern('server/discover'))
      expect([status, json.result.resultType]).toEqual([200, 'complete'])
      expect(json.result.supportedVersions).toContain('2026-07-28')
      for (const method of ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list']) {
        const { result } = (await post(origin, ...modern(method))).json
        expect([method, result.resultType, result.cacheScope, result.ttlMs > 0]).toEqual([method, 'complete', 'public', true])
      }
      const read = (await post(origin, ...modern('resources/read', { uri: 'school://about' }))).json.result
      expect([read.cacheScope, read.ttlMs > 0]).toEqual(['public', true])
    })

    test('refuses headers that say something else than the message', async () => {
      const [message, headers] = modern('tools/call', { name: 'get_school', arguments: {} })
      expect((await post(origin, message, headers)).status).toBe(200)
      const encoded = { ...headers, 'mcp-name': `=?base64?${Buffer.from('get_school').toString('base64')}?=` }
      expect((await post(origin, message, encoded)).status).toBe(200)
      for (const wrong of [
        { ...headers, 'mcp-method': 'tools/list' },
        { ...headers, 'mcp-name': 'list_courses' },
        { ...headers, 'mcp-protocol-version': '2025-11-25' },
      ]) {
        const { status, json } = await post(origin, message, wrong)
        expect([wrong, status, json.error.code]).toEqual([wrong, 400, -32020])
      }
    })

    test('answers an unknown method with 404, and offers no stream to wait on', async () => {
      for (const method of ['tools/remove', 'subscriptions/listen']) {
        const { status, json } = await post(origin, ...modern(method))
        expect([method, status, json.error.code, json.id]).toEqual([method, 404, -32601, 1])
      }
    })
  })

  test('batches are for 2025-03-26, and no other', async () => {
    const batch = [ping, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }, request('none', {}, 'b')]
    const { status, json } = await post(origin, batch)
    expect([status, json.map(({ id, error }: { id: unknown; error?: { code: number } }) => [id, error?.code])]).toEqual([
      200,
      [
        [1, undefined],
        ['b', -32601],
      ],
    ])
    expect((await post(origin, [{ jsonrpc: '2.0', method: 'notifications/initialized' }])).status).toBe(202)
    const refused = [
      await post(origin, batch, { 'mcp-protocol-version': '2025-06-18' }),
      await post(origin, batch, { 'mcp-protocol-version': '2026-07-28' }),
      await post(origin, Array(21).fill(ping)),
      await post(origin, [
        request('initialize', { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'a', version: '1' } }),
      ]),
    ]
    for (const reply of refused) expect([reply.status, reply.json.error.code]).toEqual([400, -32600])
  })
})

describe('params that a method does not take', () => {
  const nowhere = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  const answered = [
    ['initialize', nowhere, 'protocolVersion'],
    ['ping', {}, '_meta'],
    ['tools/list', {}, 'cursor'],
    ['tools/call', { name: 'get_school' }, 'name'],
    ['resources/list', {}, 'cursor'],
    ['resources/templates/list', {}, 'cursor'],
    ['resources/read', { uri: 'school://about' }, 'uri'],
    ['prompts/list', {}, 'cursor'],
    ['prompts/get', { name: 'recommend_course' }, 'name'],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'plan_my_week' }, argument: { name: 'course', value: '' } }, 'argument'],
  ] as const

  test.each(answered)('for %s are invalid params, never an internal error', async (method, good, field) => {
    const wrong: unknown[] = [[good], [null], 'x', 1, true, { ...good, [field]: 1 }, { ...good, [field]: [null] }, { ...good, _meta: 1 }]
    // A member that is null is absent.
    if (field in good) wrong.push(null, {}, [], { ...good, [field]: null })
    for (const params of wrong) {
      for (const headers of [{}, { 'mcp-protocol-version': '2025-06-18' }]) {
        const { status, json } = await post(origin, { jsonrpc: '2.0', id: 0, method, params }, headers as Record<string, string>)
        expect([params, status, json.id, json.error?.code]).toEqual([params, 200, 0, -32602])
      }
    }
  })

  test.each(answered)('for %s count as absent where they are null', async (method, good, field) => {
    if (field in good) return
    const send = async (params: unknown) => (await post(origin, { jsonrpc: '2.0', id: 0, method, params })).json
    const expected = await send(good)
    for (const params of [
      null,
      [],
      { ...good, [field]: null },
      { ...good, _meta: null },
      { ...good, _meta: [] },
      { _meta: { progressToken: null } },
    ])
      expect([params, await send(params)]).toEqual([params, expected])
  })

  test('of a tool that are null or empty are absent if they are optional, and named if they are required', async () => {
    const call = async (name: string, values: unknown) =>
      (await post(origin, request('tools/call', { name, arguments: values }))).json.result
    for (const values of [null, [], { limit: null }, { limit: '' }, { cursor: '' }, { sort: '', fields: null }, { unknown: null }])
      expect([values, await call('list_courses', values)]).toEqual([values, await call('list_courses', {})])
    for (const [name, values, field] of [
      ['list_courses', { limit: 'many' }, 'limit'],
      ['list_courses', { limit: 0 }, 'limit'],
      ['list_courses', { fields: [null] }, 'fields'],
      ['list_courses', { unknown: 1 }, 'unknown'],
      ['get_course', { id_or_slug: '' }, 'id_or_slug'],
      ['get_course', { id_or_slug: null }, 'id_or_slug'],
      ['search_catalog', { query: null, types: null }, 'query'],
    ] as const) {
      const { isError, content } = await call(name, values)
      expect([name, values, isError, content[0].text]).toEqual([name, values, true, expect.stringContaining(field)])
    }
    for (const required of [null, '']) {
      const { error } = (await post(origin, request('prompts/get', { name: 'recommend_course', arguments: { goal: required, level: '' } })))
        .json
      expect([error.code, error.message]).toEqual([-32602, expect.stringContaining('goal')])
    }
    const prompts = ['', null].map((level) => request('prompts/get', { name: 'recommend_course', arguments: { goal: 'a bowl', level } }))
    for (const prompt of prompts) expect((await post(origin, prompt)).json.result.messages[0].content.text).not.toContain('Level')
  })

  test('of a tool that are lists may be JSON in a text, as several clients send them', async () => {
    const call = async (name: string, values: unknown) =>
      (await post(origin, request('tools/call', { name, arguments: values }))).json.result
    const expected = await call('list_courses', { fields: ['title', 'slug'] })
    expect(expected.isError).toBeUndefined()
    for (const fields of ['["title","slug"]', '[ "title", "slug" ]', 'title,slug'])
      expect([fields, await call('list_courses', { fields })]).toEqual([fields, expected])
    const types = await call('search_catalog', { query: 'clay', types: ['course'] })
    expect(await call('search_catalog', { query: 'clay', types: '["course"]' })).toEqual(types)
    for (const fields of [
      '[',
      '["title"',
      '[{"a":1}]',
      '[null]',
      '['.repeat(100_000),
      `${'['.repeat(4000)}${']'.repeat(4000)}`,
      '["nothing"]',
    ]) {
      const { isError, content } = await call('list_courses', { fields })
      expect([fields.slice(0, 20), isError, content[0].text]).toEqual([fields.slice(0, 20), true, expect.stringContaining('fields')])
    }
    // A text is not a list, whatever it looks like.
    expect((await call('search_catalog', { query: '["clay"]' })).isError).toBeUndefined()
  })

  test.each(['initialize', 'tools/call', 'resources/read', 'prompts/get'])('are missed where %s comes without any', async (method) => {
    const bare = { jsonrpc: '2.0', id: 0, method }
    const refusal = { id: 0, error: { code: -32602, message: expect.stringContaining('params') } }
    expect((await post(origin, bare)).json).toMatchObject(refusal)
    if (method !== 'initialize') expect((await post(origin, [bare, ping])).json[0]).toMatchObject(refusal)
  })

  test('are reported to a client of 2026-07-28 too', async () => {
    for (const [method, , field] of answered.slice(2)) {
      const [message, headers] = modern(method, { [field]: 1 })
      expect([method, (await post(origin, message, headers)).json]).toMatchObject([method, { id: 1, error: { code: -32602 } }])
    }
  })
})

test('any JSON, with any headers, gets a response that is not an internal error', async () => {
  const ofPrototype = { name: 'constructor', value: '' }
  const method = fc.constantFrom(
    'initialize',
    'ping',
    'tools/list',
    'tools/call',
    'resources/list',
    'resources/templates/list',
    'resources/read',
    'prompts/list',
    'prompts/get',
    'completion/complete',
    'server/discover',
    'skills/list',
    'skills/get',
    'x',
    '',
  )
  // Names that every object inherits, and objects that cannot be converted to text.
  const inherited = fc.constantFrom('constructor', 'toString', '__proto__')
  const wild = fc.oneof(
    { weight: 4, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
    fc.oneof(inherited, fc.constant<unknown>({ toString: {} }), fc.constant({ valueOf: 1, toJSON: null })),
  )
  const message = fc.oneof(
    wild,
    fc.record(
      {
        jsonrpc: fc.oneof({ weight: 5, arbitrary: fc.constant<unknown>('2.0') }, { weight: 1, arbitrary: wild }),
        id: fc.oneof(fc.integer(), fc.string(), wild),
        method: fc.oneof({ weight: 5, arbitrary: method }, { weight: 1, arbitrary: wild }),
        params: fc.oneof(
          wild,
          fc.record(
            {
              name: fc.oneof(fc.constantFrom('list_courses', 'get_course', 'search', 'fetch', 'recommend_course'), wild),
              arguments: fc.oneof(fc.dictionary(fc.constantFrom('id_or_slug', 'query', 'fields', 'expand', 'cursor', 'id'), wild), wild),
              uri: wild,
              cursor: wild,
              ref: fc.constantFrom<unknown>({ type: 'ref/prompt', name: 'recommend_course' }, { type: 'ref/prompt', name: 'constructor' }),
              argument: fc.record({ name: fc.oneof(fc.constant('level'), inherited), value: fc.constant('') }),
              _meta: fc.oneof(fc.constant(envelope), wild),
            },
            { requiredKeys: [] },
          ),
        ),
        result: wild,
        error: wild,
      },
      { requiredKeys: [] },
    ),
  )
  const headers = fc.record(
    {
      'mcp-protocol-version': fc.constantFrom('2026-07-28', '2025-03-26', 'x', ''),
      'mcp-method': fc.oneof(method, fc.constant('=?base64?%%%?=')),
      'mcp-name': fc.constantFrom('list_courses', '', '\u00e9', 'x'.repeat(2000)),
    },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(fc.oneof(message, fc.array(message, { maxLength: 4 })), headers, async (body, sent) => {
      const reply: RpcReply = await post(origin, body, sent, { signal: AbortSignal.timeout(60_000) })
      expect([200, 202, 400, 404]).toContain(reply.status)
      const answers = reply.text === '' ? [] : [reply.json].flat()
      for (const answer of answers) {
        expect(answer.jsonrpc).toBe('2.0')
        if (answer.error) expect([answer.error.code, answer.error.message]).not.toContain(-32603)
      }
    }),
    {
      numRuns: 300,
      examples: [
        [{ method: { toString: {} } }, {}],
        [request('skills/get', { uri: { toString: {} } }), {}],
        [request('completion/complete', { ref: { type: 'ref/prompt', name: 'recommend_course' }, argument: ofPrototype }), {}],
      ],
    },
  )
  expect(failures()).toEqual([])
  expect((await post(origin, ping)).json.result).toEqual({})
})

test('visitors are counted by address, and a batch for as many as it holds', async () => {
  const limited = await startService({ isLimited: true, server: { rate_limits: { mcp: { requests: 6, window_seconds: 3600 } } } })
  try {
    const { status, headers } = await post(limited.issuer, [ping, ping, ping, ping])
    expect([status, headers.get('ratelimit')]).toEqual([200, expect.stringContaining('r=2')])
    expect((await post(limited.issuer, [ping, ping, ping])).status).toBe(429)
    const refused = await post(limited.issuer, ping, { authorization: 'Bearer garbage' })
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true])
    expect(refused.json).toMatchObject({ jsonrpc: '2.0', error: { code: -32000, data: { error: 'rate_limited' } } })
  } finally {
    await limited.stop()
  }
})
