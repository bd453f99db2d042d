import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../../src/database/connection/database.ts'
import type { CheckResult } from '../../../src/operate/doctor/check.ts'
import { embeddedDatabase } from '../../support/databases.ts'
import { trustedCertificate } from '../../support/nginx.ts'
import { rootSecret } from '../../support/process.ts'
import { type SmtpServer, startSmtpServer } from '../../support/smtpServer.ts'
import { createCli, schoolFile, writeConfig } from './cli.ts'

let database: Database
let directory: string
let folder: string
beforeAll(async () => {
  database = await embeddedDatabase()
  directory = await writeConfig({ 'schools/demo.yaml': schoolFile('http://127.0.0.1:1', 'Demo School') })
  folder = await mkdtemp(join(tmpdir(), 'schoolgate-smtp-'))
})
afterAll(async () => {
  await database.close()
  await rm(directory, { recursive: true })
  await rm(folder, { recursive: true })
})

async function check(
  id: string,
  { variables = {}, more = [] }: { variables?: Record<string, string>; more?: string[] } = {},
): Promise<CheckResult> {
  const cli = createCli({
    variables: { CONFIG_DIR: directory, DATA_DIR: join(directory, '.data'), SECRET_KEY: rootSecret, ...variables },
    database,
  })
  const { checks } = (await cli(['doctor', '--json', '--only', id, ...more])).json()
  expect(checks).toHaveLength(1)
  return checks[0]
}

describe('the clock of the database', () => {
  const plant = (seconds: number): Promise<unknown> =>
    database.sql.query(`CREATE OR REPLACE FUNCTION planted.clock_timestamp() RETURNS timestamptz LANGUAGE sql
      AS $$ SELECT pg_catalog.clock_timestamp() + interval '${seconds} s' $$`)
  beforeAll(async () => {
    await database.sql.query('CREATE SCHEMA planted')
    await plant(0)
    await database.sql.query('SET search_path = planted, pg_catalog, public')
  })
  afterAll(() => database.sql.query('RESET search_path'))

  test.each([
    [0, 'passed', null],
    [10, 'warned', 'NTP'],
    [-10, 'warned', 'NTP'],
    [300, 'failed', 'NTP'],
    [-3600, 'failed', 'NTP'],
  ])('that differs by %i seconds has %s', async (seconds, state, fix) => {
    await plant(seconds)
    expect(await check('database_clock')).toMatchObject({ state, fix: fix === null ? null : expect.stringContaining(fix) })
  })
})

describe('the mail server', () => {
  const ask = (server: SmtpServer, ...more: string[]): Promise<CheckResult> =>
    check('mail', { variables: { SMTP_URL: `smtp://127.0.0.1:${server.port}`, MAIL_FROM: 'school@example.com' }, more })
  const recipients = ({ heard }: SmtpServer): string[] => heard.map(({ line }) => line).filter((line) => line.startsWith('RCPT'))

  test('that offers STARTTLS passes, and gets the test message of --mail-to once, encrypted', async () => {
    const { key, certificate } = await trustedCertificate(folder)
    const server = await startSmtpServer({ key: await readFile(key), cert: await readFile(certificate) })
    expect(await ask(server)).toMatchObject({ state: 'passed' })
    expect(recipients(server)).toEqual([])
    expect(await ask(server, '--mail-to', 'ops@example.com')).toMatchObject({
      state: 'passed',
      detail: expect.stringContaining('ops@example.com'),
    })
    expect(recipients(server)).toEqual(['RCPT TO:<ops@example.com>'])
    const subject = server.heard.filter(({ line }) => line.startsWith('Subject:'))
    expect(subject).toEqual([{ line: 'Subject: Test message of Schoolgate', isEncrypted: true }])
    await server.stop()
  })

  test('that offers no STARTTLS is a warning with the way out', async () => {
    const server = await startSmtpServer()
    expect(await ask(server)).toMatchObject({ state: 'warned', fix: expect.stringContaining('STARTTLS') })
    await server.stop()
  })
})
