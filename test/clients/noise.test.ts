import type { IncomingMessage } from 'node:http'
import { resolve } from 'node:path'
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import * as fc from 'fast-check'
import { Client as FirstClient } from 'mcp-sdk-1.10/client/index.js'
import { StreamableHTTPClientTransport as FirstTransport } from 'mcp-sdk-1.10/client/streamableHttp.js'
import type { Transport as FirstTransportType } from 'mcp-sdk-1.10/shared/transport.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { isObject } from '../../src/base/text/jsonValue.ts'
import { duringTests } from '../support/duringTests.ts'
import { type RecordedRequest, type RecordedResponse, recordRequests, replay } from '../support/recordedRequests.ts'
import { startService } from '../support/service.ts'
import { nodeAdapters } from './adapters/nodeAdapters.ts'
import { integrations, runLibrary } from './fourConsents.ts'
import { nodeLibraries } from './libraries.ts'
import { type Noise, noises, pathOf } from './noise.ts'

const recorded: RecordedRequest[] = []
const service = duringTests(() => startService({ school: { integrations }, watch: recordRequests(recorded) }))
const identity = { name: 'test', version: '1' }
const mcp = (): URL => new URL(`${service.issuer}/mcp`)

/** Has the methods that all clients of MCP share. Their types differ between versions. */
type McpClient = Pick<
  Client,
  'listTools' | 'callTool' | 'listPrompts' | 'getPrompt' | 'listResources' | 'readResource' | 'complete' | 'close'
>

async function callEverything(client: McpClient): Promise<void> {
  await client.listTools()
  await client.callTool({ name: 'list_courses', arguments: {} })
  await client.callTool({ name: 'get_school' })
  await client.callTool({ name: 'search_catalog', arguments: { query: 'clay' } })
  await client.listPrompts()
  await client.getPrompt({ name: 'recommend_course', arguments: { goal: 'a bowl' } })
  await client.listResources()
  await client.readResource({ uri: 'school://about' })
  await client.complete({ ref: { type: 'ref/prompt', name: 'recommend_course' }, argument: { name: 'level', value: 'b' } })
  await client.close()
}

async function viaRemote(packageName: string): Promise<void> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [
      resolve(import.meta.dirname, 'node_modules', packageName, 'dist/proxy.js'),
      mcp().href,
      '--transport',
      'http-only',
      '--allow-http',
    ],
    stderr: 'ignore',
  })
  const client = new Client(identity)
  await client.connect(transport)
  await callEverything(client)
}

const clients: [name: string, run: () => Promise<void>][] = [
  ...nodeLibraries.map((library): [string, () => Promise<void>] => [
    library.name,
    () => runLibrary(service, nodeAdapters[library.id], library),
  ]),
  [
    'the first MCP SDK with Streamable HTTP',
    async () => {
      const client = new FirstClient(identity)
      await client.connect(new FirstTransport(mcp()) as FirstTransportType)
      await callEverything(client as unknown as McpClient)
    },
  ],
  [
    'version 1 of the MCP SDK at /mcp',
    async () => {
      const client = new Client(identity)
      await client.connect(new StreamableHTTPClientTransport(mcp()) as Transport)
      await callEverything(client)
    },
  ],
  [
    'version 2 of the MCP SDK at /mcp',
    async () => {
      const client = new ModernClient(identity, { versionNegotiation: { mode: 'auto' } })
      await client.connect(new ModernTransport(mcp()))
      await callEverything(client as unknown as McpClient)
    },
  ],
  ['the first mcp-remote with Streamable HTTP', () => viaRemote('mcp-remote-0.1')],
  ['the newest mcp-remote', () => viaRemote('mcp-remote')],
]

/** Requests of programs; the pages belong to the browser. */
const isOfClient = (request: RecordedRequest): boolean => /^\/(?:api|mcp|\.well-known|oauth\/authorize$)/.test(pathOf(request))

/** One request of each kind: of a method and path, a grant type, a message. */
function kindOf(request: RecordedRequest): string {
  const form = new URLSearchParams(request.body)
  const message: unknown = request.body.startsWith('{') ? JSON.parse(request.body) : undefined
  const { method, params } = isObject(message) ? message : {}
  const name = isObject(params) ? params.name : undefined
  return [request.method, pathOf(request), form.get('grant_type'), method, name, request.headers['mcp-protocol-version']].join(' ')
}

/** Returns the response without what differs between two responses to the same request: tokens, ids, times. */
function comparable({ status, headers, body }: RecordedResponse, [first, second]: readonly [RecordedResponse, RecordedResponse]): unknown {
  const { location = '' } = headers
  const parsed = [body, first.body, second.body].map((text): unknown => (/^[{[]/.test(text) ? JSON.parse(text) : text))
  return {
    status,
    type: headers['content-type'],
    challenge: headers['www-authenticate'],
    location: location.replaceAll(/[\w-]{20,}/g, '*'),
    body: masked(parsed[0], parsed[1], parsed[2]),
  }
}

function masked(value: unknown, first: unknown, second: unknown): unknown {
  if (isObject(value) && isObject(first) && isObject(second))
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, masked(inner, first[name], second[name])]))
  const isTime = typeof value === 'number' && value > 1_600_000_000
  return JSON.stringify(first) === JSON.stringify(second) && !isTime ? value : '*'
}

interface Kind {
  request: RecordedRequest
  plain: readonly [RecordedResponse, RecordedResponse]
}

async function kindsOf(run: () => Promise<void>): Promise<Kind[]> {
  recorded.length = 0
  await run()
  const distinct = new Map(recorded.filter(isOfClient).map((request) => [kindOf(request), request]))
  const kinds: Kind[] = []
  for (const request of distinct.values()) {
    // The first repetition spends what can be spent once.
    await replay(service.issuer, request)
    kinds.push({ request, plain: [await replay(service.issuer, request), await replay(service.issuer, request)] })
  }
  return kinds
}

const withNoise = (request: RecordedRequest, added: readonly Noise[]): RecordedRequest =>
  added.reduce((noisy, noise) => noise.add(noisy) ?? noisy, request)

describe.each(clients)('%s', (_name, run) => {
  let kinds: Kind[]
  beforeAll(async () => {
    kinds = await kindsOf(run)
  })

  test('gets the same response to each of its requests, whatever harmless noise is added to it', async () => {
    expect(kinds.length).toBeGreaterThan(2)
    const differing: unknown[] = []
    const compare = async ({ request, plain }: Kind, added: readonly Noise[]): Promise<void> => {
      const noisy = comparable(await replay(service.issuer, withNoise(request, added)), plain)
      const expected = comparable(plain[0], plain)
      if (JSON.stringify(noisy) !== JSON.stringify(expected))
        differing.push({ request: kindOf(request), noise: added.map(({ name }) => name), noisy, expected })
    }
    for (const kind of kinds) for (const noise of noises) if (noise.add(kind.request)) await compare(kind, [noise])
    expect(differing).toEqual([])
    const some = fc.record({ kind: fc.constantFrom(...kinds), added: fc.subarray([...noises], { minLength: 2 }) })
    await fc.assert(
      fc.asyncProperty(some, async ({ kind, added }) => {
        await compare(kind, added)
        expect(differing).toEqual([])
      }),
      { numRuns: 25 },
    )
  })

  test('may send each of its requests from a page of another origin, with the headers of that noise', async () => {
    const ofBrowser = new Set([
      'host',
      'connection',
      'content-length',
      'cookie',
      'user-agent',
      'te',
      'origin',
      'dnt',
      'upgrade-insecure-requests',
    ])
    for (const { request } of kinds.filter((kind) => !pathOf(kind.request).startsWith('/oauth/'))) {
      const { headers: noisy } = withNoise(request, noises)
      const names = Object.keys(noisy).filter((name) => !ofBrowser.has(name) && !name.startsWith('sec-'))
      const headers = {
        origin: 'http://localhost:5173',
        'access-control-request-method': request.method,
        'access-control-request-headers': names.join(','),
      }
      const response = await replay(service.issuer, { method: 'OPTIONS', target: request.target, headers, body: '' })
      const allowed = new Set(response.headers['access-control-allow-headers']?.split(', '))
      const refused = names.filter((name) => !allowed.has(name))
      expect([kindOf(request), response.status, refused]).toEqual([kindOf(request), 204, []])
      expect(['*', headers.origin]).toContain(response.headers['access-control-allow-origin'])
    }
  })
})

/** Adds all noise to the head of a request on its way to the service. */
function addNoise(incoming: IncomingMessage): void {
  const sent = Object.entries(incoming.headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []))
  let noisy: RecordedRequest = { method: incoming.method ?? '', target: incoming.url ?? '', headers: Object.fromEntries(sent), body: '' }
  if (!isOfClient(noisy)) return
  for (const noise of noises) {
    const next = noise.add(noisy)
    if (next?.body === '') noisy = next
  }
  incoming.url = noisy.target
  for (const [name, value] of Object.entries(noisy.headers)) {
    if (incoming.headers[name] === value) continue
    incoming.rawHeaders.push(name, value)
    Object.assign(incoming.headers, { [name]: value })
    Object.assign(incoming.headersDistinct, { [name]: [value] })
  }
}

describe('with noise on every request', () => {
  const noisy = duringTests(() => startService({ school: { integrations }, watch: addNoise }))

  test.each(nodeLibraries)('$name signs in, calls, refreshes, asks for more, revokes and signs out as without it', async (library) => {
    await runLibrary(noisy, nodeAdapters[library.id], library)
  })
})
