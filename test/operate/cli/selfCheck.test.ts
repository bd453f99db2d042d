import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import packageJson from '../../../package.json' with { type: 'json' }
import { duringTests } from '../../support/duringTests.ts'
import { freePort } from '../../support/process.ts'
import { rootSecret, startService } from '../../support/service.ts'
import { type Cli, createCli, schoolFile, writeConfig } from './cli.ts'

const service = duringTests(() => startService())
let directory: string
let cli: Cli
const cliAt = (port: string): Cli =>
  createCli({ variables: { CONFIG_DIR: directory, DATA_DIR: directory, SECRET_KEY: rootSecret, PORT: port } })
beforeAll(async () => {
  directory = await writeConfig({ 'schools/first.yaml': schoolFile(service.issuer, 'First School') })
  cli = cliAt(new URL(service.issuer).port)
})
afterAll(async () => {
  await rm(directory, { recursive: true })
})

test('self-check checks the running service and exits with 0', async () => {
  expect(await cli(['self-check'])).toMatchObject({ exitCode: 0, out: expect.stringMatching(/^first +passed +\d+$/m) })
  const json = await cli(['self-check', '--school', 'first', '--json'])
  expect(json.exitCode).toBe(0)
  expect(json.json()).toEqual([{ school: 'first', state: 'passed', problems: [], milliseconds: expect.any(Number) }])
})

test('self-check exits with 1 and lists the errors of a document', async () => {
  const oauth = { registration: { enabled: false } }
  await service.reload({ oauth })
  const failed = await cli(['self-check'])
  await service.reload({})
  expect(failed).toMatchObject({
    exitCode: 1,
    out: expect.stringContaining('first: registration_endpoint does not follow the configuration'),
    err: expect.stringContaining('schoolgate: the self-check did not pass: first failed\n'),
  })
})

test('self-check exits with 1 if the service is not running, and shows its expected address', async () => {
  const port = String(await freePort())
  const { exitCode, err } = await cliAt(port)(['self-check'])
  expect(exitCode).toBe(1)
  expect(err).toContain(
    `schoolgate: the self-check did not pass: first unknown; check that the service is running on 127.0.0.1 port ${port}\n`,
  )
})

test.each([[['--school', 'third']], [['--scool', 'first']], [['first']]])('self-check %j exits with 2 and one line', async (args) => {
  const { exitCode, out, err } = await cli(['self-check', ...args])
  expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' })
  expect(err.trim().split('\n')[0]).not.toBe('')
})

test('--version prints the version', async () => {
  expect(await cli(['--version'])).toEqual(expect.objectContaining({ exitCode: 0, out: `${packageJson.version}\n`, err: '' }))
})
