import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../support/poll.ts'
import { createHome, type Home, rootSecret, type ServiceProcess, startProcess } from '../../support/process.ts'
import { type Cli, createCli, type Outcome } from './cli.ts'

const phrase = 'seven lanterns in the fog'

let home: Home
let service: ServiceProcess
let cli: Cli
let endpoint: { url: string; key: string }
beforeAll(async () => {
  home = await createHome()
  service = await startProcess({ home, environment: { DEMO: 'off' } })
  cli = createCli({
    variables: { CONFIG_DIR: home.config, DATA_DIR: home.data, SECRET_KEY: rootSecret, DEMO: 'off', BASE_URL: service.issuer },
  })
  endpoint = JSON.parse(await readFile(join(home.data, 'operator.json'), 'utf8'))
})
afterAll(async () => {
  await service.stop()
  await home.remove()
})

interface Sent {
  path?: string
  method?: string
  headers?: Record<string, string>
  body?: string
  origin?: string
}

/** Sends a raw request to the private port, by default one that runs `schools list`. */
async function send({ path = '/operator/v1/commands', method = 'POST', headers = {}, body, origin = endpoint.url }: Sent = {}) {
  const command = { args: ['schools', 'list'], operator: 'ops', isInteractive: false }
  const own = { authorization: `Bearer ${endpoint.key}`, 'content-type': 'application/json' }
  const sent = request(`${origin}${path}`, { method, headers: { ...own, ...headers }, agent: false })
  sent.on('error', () => undefined).end(body ?? JSON.stringify(command))
  const [response] = await once(sent, 'response')
  response.resume()
  return response.statusCode as number
}

describe('while a service has opened the embedded database', () => {
  test('commands that read and commands that write run in the service', async () => {
    expect(await cli(['migrate', 'status', '--json'])).toMatchObject({ exitCode: 0, err: '' })
    const create = ['people', 'create', 'ada@example.org', '--name', 'Ada', '--role', 'owner', '--password-stdin']
    expect(await cli(create, { input: `${phrase}\n` })).toMatchObject({ exitCode: 0, out: expect.stringContaining('acc_') })
    const list = await cli(['people', 'list', '--json'])
    expect(list.json()).toMatchObject([{ email: 'ada@example.org', role: 'owner' }])
    const typed = await cli(['people', 'create', 'bob@example.org', '--name', 'Bob'], { secrets: [phrase, phrase] })
    expect(typed, typed.err).toMatchObject({ exitCode: 0 })
  })

  test('questions and their answers reach the operator, and no changes nothing', async () => {
    const disable = ['people', 'disable', 'bob@example.org']
    const refused = await cli(disable, { answers: ['n'] })
    expect(refused).toMatchObject({ exitCode: 1, err: expect.stringContaining('Disable bob@example.org') })
    expect((await cli(['people', 'list', '--json'])).json()).toMatchObject([{}, { state: 'enabled' }])
    expect(await cli(disable, { answers: ['yes'] })).toMatchObject({ exitCode: 0 })
    expect((await cli(['people', 'list', '--json'])).json()).toMatchObject([{}, { state: 'disabled' }])
    expect(await cli(disable)).toMatchObject({ exitCode: 2, err: expect.stringContaining('--yes') })
  })

  test('an operator without an answer cancels the command', async () => {
    const left = await cli(['people', 'disable', 'ada@example.org'], { answers: [] })
    expect(left).toMatchObject({ exitCode: 1, out: '' })
    expect((await cli(['people', 'list', '--json'])).json()).toMatchObject([{ email: 'ada@example.org', state: 'enabled' }, {}])
  })

  test('exit codes and messages are those of the command', async () => {
    expect(await cli(['clients', 'show', 'nothing'])).toMatchObject({
      exitCode: 1,
      err: 'schoolgate: client nothing does not exist: see clients list\n',
    })
    expect(await cli(['clients', 'list', '--via', 'magic'])).toMatchObject({ exitCode: 2, out: '' })
    expect(await cli(['people', 'erase', 'x', '--yes'])).toMatchObject({ exitCode: 2, out: '' })
  })

  test('commands are in the log and in the audit trail, without their arguments', async () => {
    await cli(['people', 'list'])
    const lines = service
      .output()
      .split('\n')
      .filter((line) => line.includes('"operator command"'))
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ operator: 'ops', command: 'people list', exit_code: 0 })
    expect(lines.join()).not.toContain('ada@example.org')
    const audit = (await cli(['audit', '--event', 'operator.command', '--json'])).json()
    expect(audit.length).toBeGreaterThan(0)
    expect(JSON.stringify(audit)).toContain('people list')
  })

  test('a school is created, served, exported and removed without a restart', async () => {
    const issuer = service.issuer.replace('127.0.0.1', 'localhost')
    const created = await cli(['schools', 'create', 'harbour', '--issuer', issuer, '--name', 'Harbour School', '--currency', 'USD'])
    expect(created, created.err).toMatchObject({ exitCode: 0, out: expect.stringContaining(`serves ${issuer}`) })
    const metadata = await fetch(`${issuer}/.well-known/oauth-authorization-server`)
    expect(await metadata.json()).toMatchObject({ issuer })
    expect(await cli(['keys', 'list', '--school', 'harbour', '--json'])).toMatchObject({ exitCode: 0 })
    for (const wrong of [
      ['harbour', '--issuer', 'https://other.example.com'],
      ['other', '--issuer', issuer],
    ])
      expect(await cli(['schools', 'create', ...wrong])).toMatchObject({ exitCode: 1, out: '' })
    for (const wrong of [
      ['Other', '--issuer', issuer],
      ['other', '--issuer', 'nonsense'],
      ['other', '--issuer', 'https://other.example.com', '--currency', 'XXX1'],
      ['other'],
    ])
      expect(await cli(['schools', 'create', ...wrong])).toMatchObject({ exitCode: 2, out: '' })
    expect(await readdir(join(home.config, 'schools'))).toEqual(['demo.yaml', 'harbour.yaml'])
    await cli(['people', 'create', 'eve@example.org', '--name', 'Eve', '--school', 'harbour', '--password-stdin'], { input: phrase })

    const output = join(await mkdtemp(join(tmpdir(), 'schoolgate-export-')), 'harbour')
    const exported = await cli(['schools', 'export', 'harbour', '--output', output])
    expect(exported, exported.err).toMatchObject({ exitCode: 0 })
    const manifest = JSON.parse(await readFile(join(output, 'manifest.json'), 'utf8'))
    expect(manifest).toMatchObject({ slug: 'harbour', tables: { person: { rows: 1 }, account: { rows: 1 }, school: { rows: 1 } } })
    expect(await readFile(join(output, 'tables/person.ndjson'), 'utf8')).toContain('eve@example.org')
    expect(await readFile(join(output, 'tables/account.ndjson'), 'utf8')).not.toContain('ada@example.org')
    expect((await stat(join(output, 'tables/account.ndjson'))).mode & 0o777).toBe(0o600)
    expect(await cli(['schools', 'export', 'harbour', '--output', output])).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('exists'),
    })
    await rm(output, { recursive: true })

    expect(await cli(['schools', 'remove', 'harbour'])).toMatchObject({ exitCode: 2, err: expect.stringContaining('--confirm harbour') })
    expect(await cli(['schools', 'remove', 'harbour', '--confirm', 'demo'])).toMatchObject({ exitCode: 2 })
    expect(await cli(['schools', 'remove', 'harbour'], { answers: ['y'] })).toMatchObject({ exitCode: 1 })
    expect(await cli(['schools', 'remove', 'harbour'], { answers: ['harbour'] })).toMatchObject({ exitCode: 0 })
    expect(await readdir(join(home.config, 'schools'))).toEqual(['demo.yaml'])
    expect((await cli(['schools', 'list', '--json'])).json()).toMatchObject([{ slug: 'demo' }])
    expect(await cli(['schools', 'remove', 'demo', '--confirm', 'demo'])).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('only school'),
    })
  })
})

describe('the private port', () => {
  test('runs commands only with the key of the data directory, which its owner alone can read', async () => {
    expect((await stat(join(home.data, 'operator.json'))).mode & 0o777).toBe(0o600)
    expect(await send()).toBe(200)
    for (const authorization of ['', 'Bearer ', `Bearer ${'x'.repeat(43)}`, endpoint.key, `bearer ${endpoint.key}`])
      expect(await send({ headers: { authorization } })).toBe(403)
  })

  test('refuses browsers: other hosts, origins and content types', async () => {
    const { port } = new URL(endpoint.url)
    for (const host of [`attacker.example:${port}`, `localhost:${port}`, '127.0.0.1', `127.0.0.1:${Number(port) + 1}`])
      expect(await send({ headers: { host } })).toBe(421)
    expect(await send({ headers: { origin: 'http://attacker.example' } })).toBe(403)
    expect(await send({ headers: { 'sec-fetch-site': 'same-origin' } })).toBe(403)
    expect(await send({ headers: { 'content-type': 'text/plain' } })).toBe(415)
    expect(await send({ method: 'GET', body: '' })).toBe(405)
  })

  test('refuses bodies that are too large or no commands, and unknown paths', async () => {
    expect(await send({ body: JSON.stringify({ args: ['x'.repeat(200_000)], operator: 'ops', isInteractive: false }) })).toBe(413)
    for (const body of [
      '',
      '{',
      '[]',
      '{"args":"people list","operator":"ops","isInteractive":false}',
      '{"args":[1],"operator":"ops","isInteractive":true}',
    ])
      expect(await send({ body })).toBe(400)
    expect(await send({ path: '/operator/v1/commands/unknown-command-id/answers', body: '{"ask":1,"answer":"y"}' })).toBe(404)
    expect(await send({ path: '/operator/v2' })).toBe(404)
  })

  test('runs a bounded number of commands at a time', async () => {
    const waiting = Array.from({ length: 4 }, () => {
      const command = { args: ['people', 'disable', 'ada@example.org'], operator: 'ops', isInteractive: true }
      const headers = { authorization: `Bearer ${endpoint.key}`, 'content-type': 'application/json' }
      const sent = request(`${endpoint.url}/operator/v1/commands`, { method: 'POST', headers, agent: false }).on('error', () => undefined)
      sent.end(JSON.stringify(command))
      return sent
    })
    await Promise.all(waiting.map((sent) => once(sent, 'response')))
    expect(await send()).toBe(503)
    for (const sent of waiting) sent.destroy()
    const people = (): Promise<Outcome> => cli(['people', 'list', '--json'])
    await until(async () => (await people()).exitCode === 0, { what: 'the commands of operators who left to end' })
    expect((await people()).json()).toMatchObject([{ email: 'ada@example.org', state: 'enabled' }, {}])
  })

  test('is not reachable through the public port', async () => {
    for (const path of ['/operator/v1/commands', '/operator/v1/identity']) expect(await send({ path, origin: service.issuer })).toBe(404)
  })
})

test('a key that a dead service left behind reaches no other program, and commands open the database themselves', async () => {
  const other = await createHome()
  const seen: unknown[] = []
  const stranger = createServer(async (incoming, response) => {
    seen.push([incoming.url, incoming.headers, await json(incoming).catch(() => undefined)])
    response.end('{"proof":"guessed"}')
  })
  stranger.listen(0, '127.0.0.1')
  await once(stranger, 'listening')
  const { port } = stranger.address() as { port: number }
  const variables = { CONFIG_DIR: other.config, DATA_DIR: other.data, SECRET_KEY: rootSecret }
  await createCli({ variables })(['migrate', 'up'])
  await writeFile(join(other.data, 'operator.json'), JSON.stringify({ url: `http://127.0.0.1:${port}`, key: 'left-behind-key' }))
  const create = ['people', 'create', 'ada@example.org', '--name', 'Ada', '--password-stdin']
  expect(await createCli({ variables })(create, { input: phrase })).toMatchObject({ exitCode: 0 })
  expect(seen.length).toBeGreaterThan(0)
  for (const secret of ['left-behind-key', phrase, 'ada@example.org']) expect(JSON.stringify(seen)).not.toContain(secret)
  stranger.close()
  await other.remove()
})
