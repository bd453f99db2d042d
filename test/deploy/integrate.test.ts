import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openApiTypes } from '../clients/openApiTypes.ts'
import { createAgent, personCalled } from '../support/agent.ts'
import { until } from '../support/poll.ts'
import { startService, type TestService } from '../support/service.ts'

const root = resolve(import.meta.dirname, '../..')
const run = promisify(execFile)

const [clientId, clientSecret] = ['course-list', 'a secret of an integration that is long enough']
const integration = {
  client_id: clientId,
  client_name: 'Course list',
  redirect_uris: ['https://app.example.com/callback'],
  token_endpoint_auth_method: 'client_secret_post',
  secret_hash: `sha256:${createHash('sha256').update(clientSecret).digest('base64url')}`,
}
/** A Python with Authlib and requests: that of Debian, with its packages. */
const python = process.env.TEST_PYTHON ?? '/usr/bin/python3'
const hasAuthlib = await run(python, ['-c', 'import authlib, requests']).then(
  () => true,
  (cause) => {
    if (process.env.REQUIRE_SERVICES === '1')
      throw new Error('Authlib (python3-authlib, TEST_PYTHON) is required and not installed', { cause })
    process.stderr.write('NOT RUN: the sample for Authlib, which is not installed (python3-authlib, TEST_PYTHON)\n')
    return false
  },
)

let service: TestService
let directory: string
let token: string
let page: string
/** Returns the programs of docs/integrate.md that are marked with this name, in order. */
const programs = (name: string): string[] =>
  [...page.matchAll(new RegExp(`\`\`\`\\w+ run=${name}\\n(.*?)\`\`\``, 'gs'))].map(([, text]) => String(text))

beforeAll(async () => {
  page = await readFile(join(root, 'docs/integrate.md'), 'utf8')
  service = await startService({ school: { integrations: [integration] } })
  directory = await mkdtemp(join(tmpdir(), 'schoolgate-integrate-'))
  await symlink(join(root, 'node_modules'), join(directory, 'node_modules'))
  await writeFile(join(directory, 'package.json'), '{"type":"module"}')
  await service.addPerson({ email: 'owner@example.com', role: 'owner' })
  const agent = await createAgent(service.issuer)
  const scope = 'openid courses:read courses:write'
  const { body } = await agent.tokens(personCalled('owner@example.com'), { scope }, { scopes: 'all' })
  token = body.access_token
})
afterAll(async () => {
  await rm(directory, { recursive: true, force: true })
  await service?.stop()
})

test('the commands for curl run: as a visitor, for a single course however often it is repeated, and as a dry run', async () => {
  const [visit, create, tried, ...others] = programs('curl')
  expect(others).toEqual([])
  const env = { PATH: process.env.PATH, ISSUER: service.issuer, TOKEN: token }
  const shell = async (command: string | undefined) => JSON.parse((await run('sh', ['-c', String(command)], { env })).stdout)
  expect(await shell(visit)).toMatchObject({ object: 'list' })
  const first = await shell(create)
  expect([first.title, (await shell(create)).id]).toEqual(['Bread from scratch', first.id])
  expect((await shell(tried)).dry_run).toMatchObject({ status: 201, emails: 0 })
})

test('the program for openid-client signs in and calls the API', async () => {
  const [program = ''] = programs('openid-client')
  await writeFile(join(directory, 'signIn.ts'), program)
  const child = spawn(process.execPath, ['signIn.ts', service.issuer], { cwd: directory })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  const closed = once(child, 'close')
  const address = await until(() => /Open (\S+)/.exec(output)?.[1], { what: 'the address to open' })
  await fetch(await personCalled('owner@example.com').authorize(address, { scopes: 'all' }))
  await closed
  expect([child.exitCode, output]).toEqual([0, expect.stringContaining('owner@example.com 200')])
})

test('the program for openapi-fetch is typed by the description, and reads every page', async () => {
  const [program = ''] = programs('openapi-fetch')
  await writeFile(join(directory, 'courses.ts'), program)
  await writeFile(join(directory, 'api.d.ts'), await openApiTypes(service.issuer))
  const { stdout } = await run(process.execPath, ['courses.ts', service.issuer, token], { cwd: directory })
  expect(stdout).toContain('Bread from scratch')
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'esnext', '--types', 'node']
  await run(join(root, 'node_modules/.bin/tsc'), [...options, '--allowImportingTsExtensions', 'courses.ts', 'signIn.ts'], {
    cwd: directory,
  })
})

test.runIf(hasAuthlib)('the program for Authlib exchanges the code, calls the API, refreshes and revokes', async () => {
  const [program = ''] = programs('authlib')
  await writeFile(join(directory, 'sample.py'), program)
  const env = {
    PATH: process.env.PATH,
    ISSUER: service.issuer,
    CLIENT_ID: clientId,
    CLIENT_SECRET: clientSecret,
    AUTHLIB_INSECURE_TRANSPORT: '1',
  }
  const child = spawn(python, ['sample.py'], { cwd: directory, env })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  const closed = once(child, 'close')
  const address = await until(() => /Open (\S+)/.exec(output)?.[1], { what: 'the address to open' })
  const redirect = await personCalled('owner@example.com').authorize(address, { scopes: 'all' })
  child.stdin.end(`${redirect.href}\n`)
  await closed
  expect([child.exitCode, output]).toEqual([0, expect.stringMatching(/^200 \d+$/m)])
  const granted = await service.database.sql.query(`SELECT revoked_at FROM oidc_grant WHERE client_id = $1`, [clientId])
  expect(granted).toEqual([{ revoked_at: expect.anything() }])
})
