import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { type Agent, createAgent, personCalled, withToken } from '../../support/agent.ts'
import { availableServices, throwawayPostgres } from '../../support/databases.ts'
import { blockOf, documentedCommands } from '../../support/documentedCommand.ts'
import { until } from '../../support/poll.ts'
import { createHome, type Home, rootSecret, type ServiceProcess, startProcess } from '../../support/process.ts'

const root = resolve(import.meta.dirname, '../../..')
const run = promisify(execFile)
const person = 'learner001@example.org'

/** A service in which the things happened that docs/operate.md answers, and a shell with the program and the log, as an operator has it. */
describe.runIf((await availableServices()).postgresql)('an operator who knows docs/operate.md only', () => {
  let home: Home
  let service: ServiceProcess
  let shell: (command: string) => Promise<string>
  let busy: Agent
  let revoked: Agent
  let requestId: string
  const undo: (() => unknown)[] = []

  beforeAll(async () => {
    // It refuses everything but tests for good.
    const receiver = createServer(async (request, response) => {
      response.writeHead((await text(request)).includes('webhook.test') ? 204 : 410).end()
    }).listen(0, '127.0.0.1')
    await once(receiver, 'listening')
    undo.push(() => receiver.close())
    home = await createHome({ server: { rate_limits: { default: { requests: 3, window_seconds: 3600 } } } })
    undo.push(home.remove)
    const database = await throwawayPostgres()
    undo.push(database.drop)
    await writeFile(join(home.directory, 'secret'), `whsec_${randomBytes(32).toString('base64')}\n`)
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
    const school = {
      docs_url: 'https://docs.example.com',
      webhooks: [{ name: 'crm', url, types: ['security.token.revoked'], secrets: [`file:${join(home.directory, 'secret')}`] }],
      webhook_private_hosts: ['127.0.0.1'],
    }
    await writeFile(join(home.config, 'schools/demo.yaml'), stringify(school))
    service = await startProcess({ home, environment: { DATABASE_URL: database.url, LOG_FORMAT: 'json', RATE_LIMITS: 'on' } })
    undo.push(() => service.stop())

    busy = await createAgent(service.issuer)
    const { body } = await busy.tokens(personCalled(person))
    for (let count = 0; count < 8; count += 1) await withToken(`${service.issuer}/api/v1/account`, body.access_token)
    revoked = await createAgent(service.issuer)
    const ended = (await revoked.tokens(personCalled(person))).body
    const answer = await revoked.post('/api/oauth/revoke', { token: ended.refresh_token })
    requestId = String(answer.headers.get('request-id'))
    await until(() => service.output().includes('delivery given up'), { what: 'the delivery to be given up' })

    const programs = join(home.directory, 'bin')
    await mkdir(programs)
    const program = join(programs, 'schoolgate')
    await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${root}/src/operate/cli/main.mjs' "$@"\n`)
    await chmod(program, 0o755)
    const env = {
      ...{ PATH: `${programs}:${process.env.PATH}`, HOME: process.env.HOME, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
      ...{ CONFIG_DIR: home.config, DATA_DIR: home.data, SECRET_KEY: rootSecret, DATABASE_URL: database.url, RUN_FROM: 'bundle' },
      ...{ PORT: new URL(service.issuer).port, ADMIN_PORT: new URL(service.admin).port },
    }
    shell = async (command) => {
      await writeFile(join(home.directory, 'service.log'), service.output())
      return (await run('sh', ['-c', command], { cwd: home.directory, env })).stdout
    }
  })
  afterAll(async () => {
    for (const step of undo.reverse()) await step()
  })

  /** Runs commands one after the other and returns what each prints. */
  async function inTurn(lines: readonly string[]): Promise<string[]> {
    const outputs: string[] = []
    for (const line of lines) outputs.push(await shell(line))
    return outputs
  }

  /** Returns the commands below a question, with the words in angle brackets replaced. */
  const commands = (question: string, values: Record<string, string> = {}): string[] =>
    documentedCommands(question).map((line) => line.replace(/<([^>]+)>/g, (whole, name: string) => values[name] ?? whole))

  test('learns which client gets the 429s, at which limit and operation', async () => {
    const [command = ''] = commands('Which client gets the 429s?')
    const [line = ''] = (await shell(command)).split('\n')
    expect(line.trim().split(/\s+/)).toEqual([expect.stringMatching(/^[1-9]/), busy.clientId, 'default', 'getAccount'])
  })

  test('learns who ended a grant, and finds its id by the person', async () => {
    const listed = await shell(`schoolgate audit --person ${person} --event consent.granted --client ${revoked.clientId} --format ndjson`)
    const { grant_id: grant } = JSON.parse(listed)
    const [command = ''] = commands('Who ended this grant?', { 'grant id': grant })
    const [, newest = ''] = (await shell(command)).split('\n')
    expect(newest).toContain('token.revoked')
    expect(newest).toContain(revoked.clientId)
  })

  test('learns what the receiver of webhooks missed, and why', async () => {
    const [command = ''] = commands('What did the webhook receiver miss?', { endpoint: 'crm' })
    const output = await shell(command)
    expect(output).toContain('security.token.revoked')
    expect(output).toContain('the receiver answered 410')
    expect(await shell('schoolgate webhooks list')).toContain('crm')
  })

  test('learns what a request did, from the audit trail and the log', async () => {
    const [audit = '', log = ''] = commands('What did a request do?', { 'request id': requestId })
    expect(await shell(audit)).toContain('token.revoked')
    expect(JSON.parse((await shell(log)).split('\n')[0] ?? '')).toMatchObject({ request_id: requestId, operation: 'oauth.revocation' })
  })

  test('finds what a receiver missed and sends it again, with the commands of docs/webhooks.md', async () => {
    const block = blockOf('docs/webhooks.md', 'webhooks')
    expect(block.length).toBeGreaterThan(5)
    const outputs = await inTurn(block)
    expect(outputs[1]).toContain('security.token.revoked')
    expect(outputs[4]).toContain('204')
  })

  test('keeps the installation with the commands of docs/deploy.md, and restores it into an empty database', async () => {
    const [create = '', verify = '', restore = ''] = blockOf('docs/deploy.md', 'backup-commands')
    await inTurn([create, verify])
    const { url, drop } = await throwawayPostgres({ migrated: false })
    undo.push(drop)
    const elsewhere = `DATABASE_URL='${url}' DATA_DIR='${join(home.directory, 'restored')}'`
    // The shell has no terminal in which the command could ask.
    await shell(`${elsewhere} ${restore} --yes`)
    expect(await shell(`${elsewhere} schoolgate people list`)).toContain(person)
  })

  test('changes the log level for a while', async () => {
    const [set, shown, reset] = await inTurn(blockOf('docs/operate.md', 'log-level'))
    for (const output of [set, shown]) expect(output).toMatch(/^level +debug$/m)
    expect(reset).toMatch(/^level +info$/m)
  })

  test('gets the first responses with the commands of the README', async () => {
    const block = blockOf('README.md', 'quick-start').filter((line) => line.startsWith('curl'))
    const [courses = '', client = ''] = await inTurn(block.map((line) => line.replaceAll('http://127.0.0.1:3000', service.issuer)))
    expect(JSON.parse(courses).data.length).toBeGreaterThan(0)
    expect(JSON.parse(client).client_id).toMatch(/./)
  })
})
