import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startDemoApi } from '../../school/demoApi.ts'
import { openTestDatabase } from '../../support/databases.ts'
import { duringTests } from '../../support/duringTests.ts'

const api = duringTests(async () => startDemoApi(await openTestDatabase()))
let address: URL
beforeAll(() => {
  address = new URL(`${api.school.issuer}/mcp`)
})

const identity = { name: 'test', version: '1' }

const connections: [name: string, revision: string, connect: () => Promise<ModernClient | OldClient>][] = [
  [
    'the SDK of 2026-07-28',
    '2026-07-28',
    async () => {
      const client = new ModernClient(identity, { versionNegotiation: { mode: 'auto' } })
      await client.connect(new ModernTransport(address))
      return client
    },
  ],
  [
    'the same SDK with a handshake',
    '2025-11-25',
    async () => {
      const client = new ModernClient(identity)
      await client.connect(new ModernTransport(address))
      return client
    },
  ],
  [
    'the SDK of 2025-11-25',
    '2025-11-25',
    async () => {
      const client = new OldClient(identity)
      await client.connect(new OldTransport(address))
      return client
    },
  ],
]

describe.each(connections)('%s', (_name, revision, connect) => {
  // The two clients have the same methods, with different types.
  let client: ModernClient
  beforeAll(async () => {
    client = (await connect()) as unknown as ModernClient
  })
  afterAll(() => client.close())

  test('connects without a token, and learns where to get one', () => {
    expect(client.getInstructions()).toContain('/.well-known/oauth-protected-resource')
    expect(client.getServerCapabilities()).toMatchObject({ tools: {}, resources: {}, prompts: {}, completions: {} })
    if ('getNegotiatedProtocolVersion' in client) expect(client.getNegotiatedProtocolVersion()).toBe(revision)
  })

  test('calls every list tool and finds the promised shape', async () => {
    // The SDK checks structured content against the output schema of the tools that it has listed.
    const { tools } = await client.listTools()
    for (const { name, inputSchema } of tools.filter((tool) => tool.name.startsWith('list_') && !tool.inputSchema.required?.length)) {
      const { structuredContent, isError } = await client.callTool({ name, arguments: inputSchema.properties?.limit ? { limit: 50 } : {} })
      expect([name, isError ?? false]).toEqual([name, false])
      expect((structuredContent as { object: string }).object).toBe('list')
    }
    const found = await client.callTool({ name: 'search_catalog', arguments: { query: 'clay' } })
    expect((found.structuredContent as { results: { slug: string }[] }).results[0]?.slug).toBe('clay-from-scratch')
    const wrong = await client.callTool({ name: 'list_courses', arguments: { limit: 0 } })
    expect(wrong.isError).toBe(true)
    await expect(client.callTool({ name: 'none' })).rejects.toMatchObject({ code: -32602 })
  })

  test('reads resources and prompts', async () => {
    const { resources } = await client.listResources()
    const { contents } = await client.readResource({ uri: resources[0]?.uri as string })
    expect(contents[0]).toMatchObject({ mimeType: 'text/markdown', text: expect.stringMatching(/^# /) })
    await expect(client.readResource({ uri: 'school://nothing' })).rejects.toMatchObject({ code: -32602 })
    const slug = { name: 'slug', value: 'clay' }
    const { completion } = await client.complete({ ref: { type: 'ref/resource', uri: 'school://courses/{slug}' }, argument: slug })
    expect(completion.values).toEqual(['clay-from-scratch'])
    const { messages } = await client.getPrompt({ name: 'recommend_course', arguments: { goal: 'make a bowl' } })
    expect(messages).toHaveLength(1)
  })
})
