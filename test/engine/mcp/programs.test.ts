import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHome, type Home, type ServiceProcess, startProcess } from '../../support/process.ts'

interface Check {
  id: string
  status: string
  errorMessage?: string
}

const packages = resolve(import.meta.dirname, '../../clients/node_modules')
const run = promisify(execFile)
let home: Home
let service: ServiceProcess
let scratch: string
let address: string
beforeAll(async () => {
  home = await createHome()
  service = await startProcess({ home, hasDemo: true })
  address = `${service.issuer}/mcp`
  scratch = await mkdtemp(join(tmpdir(), 'schoolgate-mcp-'))
})
afterAll(async () => {
  await service?.stop()
  await home?.remove()
  if (scratch) await rm(scratch, { recursive: true, force: true })
})

/** The environment of the programs, which keeps their files in a folder of this test. */
const environment = () => ({ PATH: process.env.PATH, HOME: scratch, MCP_REMOTE_CONFIG_DIR: scratch, NO_UPDATE_NOTIFIER: '1' })
const node = (program: string, args: string[]) =>
  run(process.execPath, [join(packages, program), ...args], { env: environment(), cwd: scratch, timeout: 60_000, maxBuffer: 1e8 }).catch(
    (error: { stdout?: string; stderr?: string; code?: number }) => {
      if (error.stdout === undefined) throw error
      return { stdout: error.stdout, stderr: error.stderr ?? '', code: error.code }
    },
  )

describe('the conformance runner of the protocol', () => {
  /** The scenarios of a revision that apply to this server. The others begin with tools, prompts and resources of a test server. */
  const scenarios = {
    '2025-11-25': ['server-initialize', 'ping', 'tools-list', 'resources-list', 'prompts-list', 'dns-rebinding-protection'],
    '2026-07-28': [
      'server-stateless',
      'tools-list',
      'resources-list',
      'prompts-list',
      'sep-2164-resource-not-found',
      'dns-rebinding-protection',
      'caching',
      'http-header-validation',
      'input-required-result-unsupported-methods',
    ],
  } as const
  /** The errors of checks that need the test server. */
  const notHere =
    /There is no (?:tool|prompt) \w+\.|There is nothing at test:|^Not testable: |^Tool 'json_schema_2020_12_tool' not found|InputRequiredResult/
  /** Scenarios of features that this server does not offer, most of them deprecated. */
  const notOffered = /^(?:tasks|logging|tools-call-with-logging|resources-subscribe|resources-unsubscribe)/

  // The runner waits 800 ms for some responses, which is not enough on a loaded machine: it gets three attempts.
  test.each(Object.entries(scenarios))('%s: every check that this server can be asked is passed', { retry: 2 }, async (revision, names) => {
    const output = await mkdtemp(join(scratch, `${revision}-`))
    await node('@modelcontextprotocol/conformance/dist/index.js', ['server', '--url', address, '--requirements', revision, '-o', output])
    const files = (await readdir(output, { recursive: true })).filter((name) => name.endsWith('checks.json'))
    const passed: string[] = []
    const failed: unknown[] = []
    for (const file of files) {
      const scenario = /^(?:server-)?(.+?)-\d{4}-\d{2}-\d{2}T/.exec(file)?.[1] ?? file
      const checks: Check[] = JSON.parse(await readFile(join(output, file), 'utf8'))
      if (checks.some(({ status }) => status === 'SUCCESS')) passed.push(scenario)
      for (const { id, status, errorMessage = '' } of checks)
        if (status === 'FAILURE' && !notHere.test(errorMessage) && !notOffered.test(scenario)) failed.push([scenario, id, errorMessage])
    }
    expect(failed).toEqual([])
    expect(passed).toEqual(expect.arrayContaining([...names]))
  })

  test.each([
    ['2025-11-25', 'sep-2640-skills-enumeration'],
    ['2026-07-28', 'sep-2640-skills-enumeration'],
    ['2026-07-28', 'sep-2640-skills-manifest'],
  ])('%s: every check of %s is passed', { retry: 2 }, async (revision, scenario) => {
    const output = await mkdtemp(join(scratch, `${scenario}-`))
    const options = ['--scenario', scenario, '--spec-version', revision, '--force', '-o', output]
    await node('@modelcontextprotocol/conformance/dist/index.js', ['server', '--url', address, ...options])
    const file = (await readdir(output, { recursive: true })).find((name) => name.endsWith('checks.json'))
    const checks: Check[] = JSON.parse(await readFile(join(output, file ?? 'no checks'), 'utf8'))
    const failed = checks.filter(({ status }) => !['SUCCESS', 'SKIPPED'].includes(status))
    expect(failed.map(({ id, errorMessage }) => [id, errorMessage])).toEqual([])
    expect(checks.filter(({ status }) => status === 'SUCCESS').length).toBeGreaterThan(5)
  })
})

describe("the protocol's own client, over HTTP", () => {
  let client: Client
  beforeAll(async () => {
    client = new Client({ name: 'test', version: '1' })
    await client.connect(new StreamableHTTPClientTransport(new URL(address)) as Transport)
  })
  afterAll(() => client?.close())

  test('lists the tools, whose input schemas are plain objects, as every client can take them', async () => {
    const { tools } = await client.listTools()
    const names = tools.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['list_courses', 'get_course', 'get_school', 'search_catalog']))
    const notPlain = tools.filter(({ inputSchema }) =>
      ['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'enum'].some((keyword) => keyword in inputSchema),
    )
    expect(notPlain).toEqual([])
    expect(tools.filter(({ name }) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name))).toEqual([])
  })

  test('calls a tool and reads a resource', async () => {
    const { structuredContent } = await client.callTool({ name: 'search_catalog', arguments: { query: 'clay' } })
    expect((structuredContent as { results: { slug: string }[] }).results[0]?.slug).toBe('clay-from-scratch')
    const { contents } = await client.readResource({ uri: 'school://about' })
    expect(contents[0]?.mimeType).toBe('text/markdown')
  })
})

test.each(['mcp-remote', 'mcp-remote-0.1'])(
  '%s brings the catalogue to a client that only knows local servers, without any sign-in',
  async (name) => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [join(packages, name, 'dist/proxy.js'), address, '--transport', 'http-only', '--allow-http'],
      env: environment() as Record<string, string>,
      cwd: scratch,
      stderr: 'ignore',
    })
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(transport)
    try {
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toContain('search_catalog')
      const { structuredContent } = await client.callTool({ name: 'get_course', arguments: { id_or_slug: 'clay-from-scratch' } })
      expect((structuredContent as { title: string }).title).toBe('Clay From Scratch')
    } finally {
      await client.close()
    }
  },
)
