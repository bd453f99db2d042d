import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { get } from '../../support/agent.ts'
import { duringTests } from '../../support/duringTests.ts'
import { startService } from '../../support/service.ts'
import { modern, post, type RpcReply, request } from './rpc.ts'

const service = duringTests(() => startService())

const forms: [revision: string, send: (method: string, params?: Record<string, unknown>) => Promise<RpcReply>][] = [
  ['2025-11-25', (method, params) => post(service.issuer, request(method, params), { 'mcp-protocol-version': '2025-11-25' })],
  ['2026-07-28', (method, params) => post(service.issuer, ...modern(method, params))],
]

interface Entry {
  uri: string
  frontmatter: { name: string; description: string }
  resources: { uri: string; digest: string; size: number }[]
}

describe.each(forms)('skills in revision %s (SEP-2640)', (revision, send) => {
  test('are announced, and listed with the digest and size of each file', async () => {
    const hello =
      revision === '2026-07-28'
        ? await send('server/discover')
        : await send('initialize', { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'test', version: '1' } })
    expect(hello.json.result.capabilities.extensions).toEqual({ 'io.modelcontextprotocol/skills': {} })
    const { skills } = (await send('skills/list')).json.result as { skills: Entry[] }
    const published = (await get(`${service.issuer}/.well-known/agent-skills/index.json`)).body.skills
    expect(skills.length).toBeGreaterThan(4)
    expect(skills.map(({ frontmatter }) => frontmatter)).toEqual(
      published.map(({ name, description }: Entry['frontmatter']) => ({ name, description })),
    )
    for (const { uri, frontmatter, resources } of skills) {
      expect(uri).toBe(`skill://${frontmatter.name}/SKILL.md`)
      const { contents } = (await send('resources/read', { uri })).json.result
      expect(contents).toMatchObject([{ uri, mimeType: 'text/markdown' }])
      const digest = `sha256:${createHash('sha256').update(contents[0].text).digest('hex')}`
      expect(resources).toEqual([{ uri, digest, size: Buffer.byteLength(contents[0].text) }])
      expect(published).toContainEqual(expect.objectContaining({ name: frontmatter.name, digest }))
    }
  })

  test('are returned one by one; an unknown URI is invalid', async () => {
    const uri = 'skill://get-a-token/SKILL.md'
    const { skills } = (await send('skills/list')).json.result as { skills: Entry[] }
    const { skill, nextCursor } = (await send('skills/get', { uri })).json.result
    expect([skill, nextCursor]).toEqual([skills.find((one) => one.uri === uri), undefined])
    for (const params of [{ uri: 'skill://bake-bread/SKILL.md' }, { uri: 7 }, {}]) {
      expect((await send('skills/get', params)).json.error.code).toBe(-32602)
    }
    expect((await send('resources/read', { uri: 'skill://bake-bread/SKILL.md' })).json.error).toBeDefined()
  })

  test('are resources for clients without the extension', async () => {
    const { resources } = (await send('resources/list')).json.result as { resources: { uri: string; mimeType: string }[] }
    const { skills } = (await send('skills/list')).json.result as { skills: Entry[] }
    const uris = resources.map(({ uri }) => uri).filter((uri) => uri.startsWith('skill://'))
    expect(uris).toEqual(skills.map(({ uri }) => uri))
  })
})
