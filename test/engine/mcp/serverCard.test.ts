// Proves SEP-2127: The server card and its catalogues describe the server as the handshake does

import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { registryFile } from '../../../src/engine/mcp/serverCard.ts'
import { embeddedDatabase } from '../../support/databases.ts'
import { duringTests } from '../../support/duringTests.ts'
import { startService } from '../../support/service.ts'
import { modern, post } from './rpc.ts'

const service = duringTests(() => startService({}))
let origin: string
beforeAll(() => {
  origin = service.issuer
})

const cardPaths = ['/mcp/server-card', '/.well-known/mcp/server-card.json']
const cataloguePaths = [
  ['/.well-known/mcp/catalog.json', 'application/json', 'draft'],
  ['/.well-known/ai-catalog.json', 'application/ai-catalog+json', '1.0'],
] as const

/** The members that SEP-2127 requires, with its limits. */
const cardSchema = {
  type: 'object',
  required: ['$schema', 'name', 'version', 'description', 'remotes'],
  properties: {
    $schema: { const: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json' },
    name: { type: 'string', minLength: 3, maxLength: 200, pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$' },
    version: { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+$' },
    description: { type: 'string', minLength: 1, maxLength: 100 },
    title: { type: 'string', minLength: 1, maxLength: 100 },
    websiteUrl: { type: 'string' },
    remotes: { type: 'array', minItems: 1 },
  },
  additionalProperties: false,
}

/** A registry also requires an exact version and absolute addresses (schema of `server.json`, 2025-12-11). */
const registrySchema = {
  ...cardSchema,
  properties: {
    ...cardSchema.properties,
    $schema: { const: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json' },
    version: { type: 'string', maxLength: 255, not: { pattern: '^[~^<>=]|[x*]|latest' } },
    websiteUrl: { type: 'string', format: 'uri' },
    remotes: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['type', 'url'],
        properties: { type: { enum: ['streamable-http', 'sse'] }, url: { type: 'string', format: 'uri', pattern: '^https?://[^{}]+$' } },
        additionalProperties: false,
      },
    },
  },
}

test('the file for registries is valid for every host and name of a school, and begins with the domain reversed', () => {
  const ajv = new Ajv2020({ strict: false })
  addFormats.default(ajv)
  const isValid = ajv.compile(registrySchema)
  const file = (issuer: string, name: string) => registryFile({ id: 'x', slug: 'x', issuer }, name) as { name: string; remotes: object[] }
  const found = file('https://learn.school.example', 'School')
  expect([found.name, found.remotes]).toEqual([
    'example.school.learn/mcp',
    [{ type: 'streamable-http', url: 'https://learn.school.example/mcp' }],
  ])
  fc.assert(
    fc.property(fc.webUrl({ withFragments: false, withQueryParameters: false }), fc.string({ unit: 'grapheme' }), (url, name) => {
      expect([isValid(file(new URL(url).origin, name)), isValid.errors]).toEqual([true, null])
    }),
  )
  for (const issuer of ['http://127.0.0.1:4000', 'http://[::1]:4000', 'https://xn--schl-6qa.example'])
    expect(isValid(file(issuer, ''))).toBe(true)
})

test('the card describes the server as the handshake does, at both addresses, with the media type of cards', async () => {
  const isCard = new Ajv2020({ strict: false }).compile(cardSchema)
  for (const path of cardPaths) {
    const response = await fetch(origin + path, { headers: { accept: 'application/mcp-server-card+json' } })
    const card = (await response.json()) as { title: string; version: string; remotes: object[] }
    expect([path, response.status, response.headers.get('content-type')]).toEqual([path, 200, 'application/mcp-server-card+json'])
    expect([isCard(card), isCard.errors]).toEqual([true, null])
    const { result } = (await post(origin, ...modern('server/discover'))).json
    expect(card.remotes).toEqual([
      { type: 'streamable-http', url: `${origin}/mcp`, supportedProtocolVersions: expect.arrayContaining(result.supportedVersions) },
    ])
    const info = result.serverInfo ?? result._meta?.['io.modelcontextprotocol/serverInfo']
    expect([card.title, card.version]).toEqual([info.title, info.version])
  }
})

test('the card is also where earlier scanners look, and is named by an address as it is', async () => {
  const card = await (await fetch(`${origin}/mcp/server-card`)).text()
  for (const path of ['/.well-known/mcp.json', '/.well-known/mcp']) expect(await (await fetch(origin + path)).text()).toBe(card)
  expect(JSON.parse(card).name).toBe('127.0.0.1/mcp')
})

test.each(cataloguePaths)('%s leads to the card', async (path, type, specVersion) => {
  const response = await fetch(origin + path)
  const catalogue = (await response.json()) as { entries: { url: string; type: string; identifier: string }[] }
  expect([response.status, response.headers.get('content-type')?.split(';')[0]]).toEqual([200, type])
  expect(catalogue).toEqual({
    specVersion,
    entries: [
      {
        identifier: `urn:air:${new URL(origin).hostname}:mcp`,
        displayName: expect.any(String),
        type: 'application/mcp-server-card+json',
        url: `${origin}/mcp/server-card`,
      },
    ],
  })
})

test('the documents can be cached and revalidated, are readable from every origin, and take GET and HEAD only', async () => {
  for (const path of [...cardPaths, ...cataloguePaths.map(([one]) => one)]) {
    const response = await fetch(origin + path, { headers: { origin: 'https://elsewhere.example' } })
    const { headers } = response
    expect([headers.get('cache-control'), headers.get('access-control-allow-origin')]).toEqual(['public, max-age=3600', '*'])
    expect(await response.text()).not.toContain('undefined')
    const again = await fetch(origin + path, { headers: { 'if-none-match': headers.get('etag') ?? '' } })
    expect(again.status).toBe(304)
    expect((await fetch(origin + path, { method: 'HEAD' })).status).toBe(200)
    const posted = await fetch(origin + path, { method: 'POST' })
    expect([path, posted.status, posted.headers.get('allow')]).toEqual([path, 405, expect.stringContaining('GET')])
    expect((await fetch(origin + path, { headers: { authorization: 'Bearer garbage' } })).status).toBe(200)
  }
})

test('the next handshake shows a new name of the school', async () => {
  const database = await embeddedDatabase()
  const own = await startService({ database })
  try {
    const name = async (): Promise<string> => {
      const { result } = (await post(own.issuer, ...modern('server/discover'))).json
      return (result.serverInfo ?? result._meta?.['io.modelcontextprotocol/serverInfo'])?.title
    }
    await name()
    for (const next of ['Harbour School', 'School on the Hill']) {
      await database.sql.query('UPDATE school SET name = $1 WHERE id = $2', [next, own.schoolId()])
      expect(await name()).toBe(next)
    }
  } finally {
    await own.stop()
    await database.close()
  }
})
