import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { integration } from '../../src/config/integration.ts'
import { knownApps } from '../../src/identity/apps/apps.ts'
import { agentOf, get, personCalled, postJson } from '../support/agent.ts'
import { type DocumentHost, startDocumentHost } from '../support/documentHost.ts'
import { type ServiceOptions, startService, type TestService } from '../support/service.ts'

const person = 'ada@example.org'
const app = (id: string) => knownApps.find((one) => one.id === id) as (typeof knownApps)[number]
const scope = 'openid courses:read'

let host: DocumentHost
beforeAll(async () => {
  host = await startDocumentHost(['claude.ai', 'chatgpt.com', 'vscode.dev'])
  for (const { document } of knownApps) if (document) host.pages.set(document.client_id, document)
})
afterAll(() => host.stop())

/** Signs a person in with the app at each of its redirect URIs. Returns the number of tokens. */
async function tokensOf(service: TestService, clientId: string, redirectUris: readonly string[]): Promise<number> {
  let tokens = 0
  for (const redirectUri of redirectUris) {
    const { status, body } = await agentOf(service.issuer, clientId, undefined, redirectUri).tokens(personCalled(person), { scope })
    if (status === 200 && typeof body.access_token === 'string') tokens += 1
  }
  return tokens
}

type Way = 'document' | 'registration' | 'integration' | 'owner' | 'none'
type Ways = Record<string, Way>

/** The texts with which the English page describes each way. */
const sentences: Record<Way, RegExp> = {
  document: /Possible: the school accepts the app’s description on [a-z.]+\./,
  registration: /Possible: the app registers itself\./,
  integration: /Possible with the client ID [a-z-]+: enter it/,
  owner: /An owner of the school can allow it here: `http:[^`]+\/account\/school\/allowed-apps`/,
  none: /Not possible at this school\. If you need it, ask the school for one of the changes below: <https:\/\/docs\.example\.com>/,
}

/** The document of Claude Code names localhost, which the defaults do not accept. */
const none: Ways = {
  ...Object.fromEntries(knownApps.map(({ id, document }) => [id, document ? 'owner' : 'none'])),
  'claude-code': 'none',
}
const loopbackApps: Ways = { ...none, codex: 'registration', 'mcp-remote': 'registration', other: 'registration' }
const localhostApps: Ways = { ...loopbackApps, 'claude-code': 'registration', 'gemini-cli': 'registration', inspector: 'registration' }
const hosts = ['claude.ai', 'chatgpt.com', 'vscode.dev']

const configurations: [name: string, options: ServiceOptions, ways: Ways][] = [
  ['the defaults', {}, loopbackApps],
  ['localhost', { oauth: { registration: { loopback_hosts: ['127.0.0.1', 'localhost'] } } }, localhostApps],
  [
    'metadata documents',
    { oauth: { client_metadata_documents: { trusted_hosts: hosts } } },
    { ...loopbackApps, codex: 'document', vscode: 'document', chatgpt: 'document', 'claude-ai': 'document' },
  ],
  [
    'metadata documents and localhost',
    { oauth: { client_metadata_documents: { trusted_hosts: ['any'] }, registration: { loopback_hosts: ['127.0.0.1', 'localhost'] } } },
    { ...localhostApps, 'claude-code': 'document', codex: 'document', vscode: 'document', chatgpt: 'document', 'claude-ai': 'document' },
  ],
  [
    'an integration for each app, and no self-registration',
    {
      oauth: { registration: { enabled: false } },
      school: { integrations: knownApps.map(({ id, name, uses }) => ({ client_id: id, client_name: name, redirect_uris: uses })) },
    },
    Object.fromEntries(knownApps.map(({ id }) => [id, 'integration'])),
  ],
]

describe.each(configurations)('with %s', (_name, options, ways) => {
  let service: TestService
  let markdown: string
  beforeAll(async () => {
    service = await startService({ ...options, network: host.network })
    await service.addPerson({ email: person })
    markdown = (await get(`${service.issuer}/docs/apps.md`)).body
  })
  afterAll(() => service.stop())

  test.each(Object.entries(ways))('%s: %s, as the page says', async (id, way) => {
    const { registration, document, uses, name } = app(id)
    const section =
      markdown.split('\n## ').find((part) => part.startsWith(id === 'other' ? 'Any other app' : name.replace(/[.]/g, '.'))) ?? ''
    expect(section.replaceAll('\\', '')).toMatch(sentences[way])
    // The catalogue needs no sign-in, whatever the school allows.
    expect(section).toContain('No sign-in needed')
    expect(section).toContain(`${service.issuer}/mcp`)
    const registered = await postJson(`${service.issuer}/api/oauth/register`, registration)
    if (way === 'registration') {
      expect(registered.status).toBe(201)
      expect(await tokensOf(service, registered.body.client_id, registration.redirect_uris.slice(0, 1))).toBe(1)
    }
    if (way === 'document') expect(await tokensOf(service, document?.client_id as string, uses)).toBe(uses.length)
    if (way === 'integration') expect(await tokensOf(service, id, uses)).toBe(uses.length)
    if (way === 'owner') expect(registered.status).toBe(400)
    if (way === 'none') {
      expect(section).toContain('For the school’s operator')
      expect([registered.status, registered.body.error]).toEqual([400, 'invalid_redirect_uri'])
      expect(registered.body.error_description).toContain(`${service.issuer}/mcp needs no sign-in, so connect without one`)
      for (const uri of registration.redirect_uris) {
        const isAccepted = uri.startsWith('http://127.0.0.1') || (uri.startsWith('http://localhost') && _name.includes('localhost'))
        expect(registered.body.error_description.includes(`'${uri}'`), uri).toBe(!isAccepted)
      }
      expect(registered.body.error_description).toMatch(/ask the school|Ask the school/)
    }
  })
})

test('every change that the page proposes to the operator lets the app sign people in', async () => {
  const service = await startService({ network: host.network, oauth: { client_metadata_documents: { offered_apps: [] } } })
  try {
    await service.addPerson({ email: person })
    for (const { id, name, uses } of knownApps) {
      expect(integration.safeParse({ client_id: id, client_name: name, redirect_uris: [...uses] }).success).toBe(true)
    }
    const { body } = await get(`${service.issuer}/docs/apps.md`)
    const proposed = [...body.matchAll(/oauth\\?\.yaml:\n\n```text\n([\s\S]*?)\n```/g)].map(([, yaml]) => yaml)
    expect(new Set(proposed)).toEqual(
      new Set([
        'registration:\n  loopback_hosts:\n    - 127.0.0.1\n    - localhost',
        ...['vscode.dev', 'chatgpt.com', 'claude.ai'].map((name) => `client_metadata_documents:\n  trusted_hosts:\n    - ${name}`),
      ]),
    )
  } finally {
    await service.stop()
  }
})

describe('the page about connecting apps', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.stop())
  const at = (path: string, headers: Record<string, string> = {}) => get(service.issuer + path, headers)

  test('is HTML for browsers, and Markdown by its path and by Accept', async () => {
    const page = await at('/docs/apps', { accept: 'text/html,*/*;q=0.8' })
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(page.headers.get('vary')).toMatch(/Accept/)
    expect(page.headers.get('link')).toContain('/docs/apps.md>; rel="alternate"; type="text/markdown"')
    for (const path of ['/docs/apps.md', '/docs/apps']) {
      const text = await at(path, { accept: 'text/markdown' })
      expect([text.status, text.headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8'])
      for (const { id, name } of knownApps) if (id !== 'other') expect(text.body.replaceAll('\\', '')).toContain(`\n## ${name}\n`)
    }
    expect((await at('/docs/apps.md', { 'if-none-match': (await at('/docs/apps.md')).headers.get('etag') ?? '' })).status).toBe(304)
    expect((await fetch(`${service.issuer}/docs/apps`, { method: 'POST' })).status).toBe(405)
  })

  test('has the commands of the apps with the address of the school', async () => {
    const { body } = await at('/docs/apps.md')
    const mcp = `${service.issuer}/mcp`
    for (const command of [
      `claude mcp add --transport http school ${mcp}`,
      `codex mcp add school --url ${mcp}`,
      `code --add-mcp '{"name":"school","type":"http","url":"${mcp}"}'`,
      `gemini mcp add --transport http school ${mcp}`,
      `npx @modelcontextprotocol/inspector --cli ${mcp} --transport http --method tools/list`,
      `npx mcp-remote ${mcp}`,
      `"url": "${mcp}"`,
    ])
      expect(body).toContain(command)
    expect(body).not.toContain('{mcp}')
    // URLs have no escapes, which a reader would copy.
    expect(body).not.toContain('\\://')
  })

  test('is in the language of the reader', async () => {
    const german = await at('/docs/apps.md', { 'accept-language': 'de' })
    expect([german.headers.get('content-language'), german.body]).toEqual(['de', expect.stringContaining('Keine Anmeldung nötig')])
    const page = await at('/docs/apps?lang=de', { accept: 'text/html' })
    expect(page.body).toContain('Keine Anmeldung nötig')
    expect(page.headers.getSetCookie().join()).toContain('sg_language=de')
  })
})
