import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from '../../../src/base/log/log.ts'
import { readSettings, startService } from '../../../src/operate/serve/start.ts'
import { type Cli, createCli, schoolFile, writeConfig } from './cli.ts'

let directory: string
let cli: Cli
const withVariables = (more: Record<string, string>): Cli =>
  createCli({ variables: { CONFIG_DIR: directory, DATA_DIR: join(directory, '.data'), ...more } })
beforeAll(async () => {
  const school = `${schoolFile('http://127.0.0.1:3000', 'Demo School')}integrations:
  - { client_id: reports-server, client_name: Reports, redirect_uris: [https://reports.example.com/cb] }
`
  directory = await writeConfig({ 'schools/demo.yaml': school })
  cli = withVariables({})
})
afterAll(() => rm(directory, { recursive: true }))

test('config check --json lists the schools, and leaves no directory behind', async () => {
  const checked = await cli(['config', 'check', '--json'])
  expect(checked).toMatchObject({ exitCode: 0, err: '' })
  expect(checked.json()).toEqual({ ok: true, directory, schools: [{ slug: 'demo', issuer: 'http://127.0.0.1:3000' }], warnings: [] })
  expect(existsSync(join(directory, '.data'))).toBe(false)
})

test('config check --json lists every error with file, line and key, and exits with 1', async () => {
  await writeFile(join(directory, 'oauth.yaml'), 'lifetimes:\n  acces_token_seconds: 5\n')
  const checked = await cli(['config', 'check', '--json'])
  await rm(join(directory, 'oauth.yaml'))
  expect(checked).toMatchObject({ exitCode: 1, err: 'schoolgate: the configuration has 1 error\n' })
  expect(checked.json()).toEqual({
    ok: false,
    issues: [
      {
        file: join(directory, 'oauth.yaml'),
        line: 2,
        key: 'lifetimes.acces_token_seconds',
        expected: 'is not a known key',
        nearest: 'access_token_seconds',
      },
    ],
  })
})

test('config check warns of an introspection client that is not an integration of any school, with the nearest one', async () => {
  const server = (id: string) => `resource_servers: [{ identifier: 'urn:r', name: R, scopes: [openid], introspection_clients: [${id}] }]\n`
  await writeFile(join(directory, 'resources.yaml'), server('reports-sever'))
  const [text, json] = [await cli(['config', 'check']), await cli(['config', 'check', '--json'])]
  await writeFile(join(directory, 'resources.yaml'), server('reports-server'))
  const right = await cli(['config', 'check'])
  await rm(join(directory, 'resources.yaml'))
  expect(text.exitCode).toBe(0)
  expect(text.err).toMatch(
    /^warning: resources\.yaml {2}resource_servers\[0\]\.introspection_clients\[0\] {2}is reports-sever, .*did you mean reports-server\?\n$/,
  )
  expect(json.json().warnings).toMatchObject([{ nearest: 'reports-server' }])
  expect(right).toMatchObject({ exitCode: 0, err: '' })
})

test.each([
  ['a directory that cannot be created', () => '/proc/schoolgate'],
  ['a file', () => join(directory, 'schools/demo.yaml')],
])('config check reports DATA_DIR if it is %s', async (_what, path) => {
  const checked = await withVariables({ DATA_DIR: path() })(['config', 'check'])
  expect(checked).toMatchObject({ exitCode: 1, out: '' })
  const settings = readSettings({ CONFIG_DIR: directory, DATA_DIR: path() })
  await expect(startService(settings, createLog('silent')), 'a start').rejects.toThrow(`DATA_DIR  ${path()} must be writable`)
  expect(checked.err).toContain(`environment  DATA_DIR  ${path()} must be writable`)
  expect(checked.err).toContain('must be writable to store the database, files, e-mails, the secret key')
})

test('config check does not need DATA_DIR if everything is kept on servers', async () => {
  const servers = {
    SECRET_KEY: 'x'.repeat(32),
    DATABASE_URL: 'postgres://127.0.0.1:1/x',
    STORAGE_URL: 's3://bucket-of-files',
    SMTP_URL: 'smtp://mail.example.com',
  }
  expect(await withVariables({ ...servers, DATA_DIR: '/proc/schoolgate' })(['config', 'check'])).toMatchObject({ exitCode: 0 })
})

test('config check reports a HOST that is not an address', async () => {
  expect(await withVariables({ HOST: 'foo bar' })(['config', 'check'])).toMatchObject({
    exitCode: 1,
    err: expect.stringContaining('environment  HOST  must be an IP address or a host name'),
  })
})

test.each([[['config', 'check', 'x']], [['config', 'check', '--jsn']]])('%j exits with 2', async (args) => {
  expect(await cli(args)).toMatchObject({ exitCode: 2, out: '' })
})
