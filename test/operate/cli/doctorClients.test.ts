import { appendFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import type { CheckResult } from '../../../src/operate/doctor/check.ts'
import { clientShapes } from '../../../src/operate/doctor/clientShapes.ts'
import { createHome, type Home, rootSecret, type ServiceProcess, startProcess } from '../../support/process.ts'
import { type Cli, createCli } from './cli.ts'

/** Answers in place of the service, with the form of the request. */
type Instead = (path: string, form: URLSearchParams) => { status: number; headers?: Record<string, string>; body: object } | undefined

let planted: Instead = () => undefined
let home: Home
let service: ServiceProcess
let cli: Cli

const gateway = createServer(async (near, response) => {
  const body = await text(near)
  const instead = planted(String(near.url), new URLSearchParams(body))
  if (instead) {
    response.writeHead(instead.status, { 'content-type': 'application/json', ...instead.headers })
    return response.end(JSON.stringify(instead.body))
  }
  const far = request(service.issuer + near.url, { method: near.method ?? 'GET', headers: near.headers, agent: false }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  return far.end(body)
})

beforeAll(async () => {
  await new Promise<void>((listening) => gateway.listen(0, '127.0.0.1', listening))
  home = await createHome({
    issuer: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`,
    server: { trusted_proxies: ['loopback'] },
  })
  const integrations = [
    {
      client_id: 'web-app',
      client_name: 'Web app',
      redirect_uris: ['https://app.example.com/callback'],
      post_logout_redirect_uris: ['https://app.example.com/'],
    },
  ]
  await appendFile(join(home.config, 'schools/demo.yaml'), stringify({ integrations }))
  service = await startProcess({ home, environment: { DEMO: 'off', RATE_LIMITS: 'on' } })
  cli = createCli({ variables: { CONFIG_DIR: home.config, DATA_DIR: home.data, SECRET_KEY: rootSecret, DEMO: 'off' } })
})
afterEach(() => {
  planted = () => undefined
})
afterAll(async () => {
  gateway.closeAllConnections()
  gateway.close()
  await service?.stop()
  await home?.remove()
})

const doctor = async (client: string): Promise<{ exitCode: number; checks: CheckResult[] }> => {
  const { exitCode, out } = await cli(['doctor', '--client', client, '--json'])
  return { exitCode, checks: JSON.parse(out).checks }
}

/** The clients that cannot sign people in by the default configuration, with the setting that the command proposes. */
const needOperator: Record<string, RegExp> = {
  'claude-code': /^Add localhost to registration\.loopback_hosts in oauth\.yaml, or add an integration with http:/,
  vscode: /^Add vscode\.dev to client_metadata_documents\.trusted_hosts in oauth\.yaml, or add an integration with/,
  cursor: /^Add an integration with cursor:/,
  chatgpt: /^Add chatgpt\.com to client_metadata_documents\.trusted_hosts/,
  claude: /^Add claude\.ai to client_metadata_documents\.trusted_hosts/,
  'gemini-cli': /^Add localhost to registration\.loopback_hosts in oauth\.yaml/,
  inspector: /^Add localhost to registration\.loopback_hosts/,
}

describe('doctor --client', () => {
  test.each(clientShapes.map(({ name }) => name))('%s: every request passes, or the setting that is missing is named', async (name) => {
    const { exitCode, checks } = await doctor(name)
    const fix = needOperator[name]
    const all = Object.fromEntries(checks.map(({ id, state, detail }) => [id, fix ? state : `${state}: ${detail}`]))
    if (fix) {
      expect(all).toEqual({
        ...{ registration: 'failed', authorization: 'skipped', token: 'passed', refresh: 'passed', revocation: 'passed' },
        sign_out: 'skipped',
      })
      expect(checks[0]?.fix).toMatch(fix)
      expect(exitCode).toBe(1)
    } else {
      expect(all).toEqual({
        registration: expect.stringMatching(/^passed: (registers itself|sent as the integration web-app)$/),
        authorization: 'passed: leads to the sign-in page',
        token: expect.stringMatching(/^passed/),
        refresh: expect.stringMatching(/^passed/),
        revocation: expect.stringMatching(/^passed/),
        sign_out: expect.stringMatching(/^(passed: 1 addresses|skipped: only an integration)/),
      })
      expect(exitCode).toBe(0)
    }
  })

  test('leaves no client behind', async () => {
    expect((await cli(['clients', 'list', '--via', 'self', '--json'])).json()).toEqual([])
  })

  test('help lists the names, and another name is a usage error that lists them', async () => {
    const help = await cli(['doctor', '--client', 'help'])
    expect(help).toMatchObject({ exitCode: 0, err: '', out: `${clientShapes.map(({ name }) => name).join('\n')}\n` })
    const wrong = await cli(['doctor', '--client', 'netscape'])
    expect(wrong).toMatchObject({ exitCode: 2, out: '', err: expect.stringContaining('claude-code, codex, vscode') })
    for (const { name } of clientShapes) expect(wrong.err).toContain(name)
  })

  test('says why a request fails, with the reason of the service', async () => {
    planted = (path, form) =>
      path === '/api/oauth/token' && form.get('scope')
        ? { status: 400, body: { error: 'invalid_scope', error_description: 'scope was not granted' } }
        : undefined
    const { exitCode, checks } = await doctor('codex')
    expect(checks.filter(({ state }) => state === 'failed')).toMatchObject([
      { id: 'refresh', detail: expect.stringContaining('400 invalid_scope: scope was not granted'), fix: expect.stringMatching(/\w/) },
    ])
    expect(exitCode).toBe(1)
  })

  test('says where the sign-out of an integration does not lead back', async () => {
    planted = (path) => (path.startsWith('/oauth/logout') ? { status: 200, body: {} } : undefined)
    const { exitCode, checks } = await doctor('aspnetcore')
    expect(checks.filter(({ state }) => state === 'failed')).toMatchObject([
      { id: 'sign_out', detail: 'web-app: https://app.example.com/ is not reached (status 200)', fix: expect.stringMatching(/Reload/) },
    ])
    expect(exitCode).toBe(1)
  })

  test('says why an authorization request fails', async () => {
    await expect(doctor('aspnetcore')).resolves.toMatchObject({ exitCode: 0 })
    planted = (path) => {
      if (!path.includes('response_mode=form_post')) return undefined
      const location = 'https://app.example.com/callback?error=unsupported_response_mode&error_description=not+supported'
      return { status: 303, headers: { location }, body: {} }
    }
    const { checks } = await doctor('aspnetcore')
    expect(checks.find(({ id }) => id === 'authorization')).toMatchObject({
      state: 'failed',
      detail: expect.stringContaining('unsupported_response_mode: not supported'),
      fix: expect.stringContaining('response_mode=query'),
    })
  })

  test('waits as long as Retry-After says, and gives up if that is long', async () => {
    let refused = 0
    planted = (path) => {
      if (path !== '/api/oauth/revoke' || refused > 0) return undefined
      refused += 1
      return { status: 429, headers: { 'retry-after': '1' }, body: { error: 'rate_limited' } }
    }
    expect((await doctor('codex')).checks.find(({ id }) => id === 'revocation')).toMatchObject({ state: 'passed' })
    expect(refused).toBe(1)
    planted = (path) =>
      path === '/api/oauth/revoke' ? { status: 429, headers: { 'retry-after': '3600' }, body: { error: 'rate_limited' } } : undefined
    expect((await doctor('codex')).checks.find(({ id }) => id === 'revocation')).toMatchObject({ state: 'skipped' })
  })
})
