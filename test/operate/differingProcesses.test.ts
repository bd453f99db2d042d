import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createLog } from '../../src/base/log/log.ts'
import { reloadService } from '../../src/operate/serve/runService.ts'
import { type Service, serve } from '../../src/operate/serve/serve.ts'
import { migrationsDirectory, readSettings } from '../../src/operate/serve/start.ts'
import { get } from '../support/agent.ts'
import { availableServices, throwawayPostgres } from '../support/databases.ts'
import { until } from '../support/poll.ts'
import { freePort } from '../support/process.ts'
import { rootSecret } from '../support/service.ts'
import { createCli, schoolFile, writeConfig } from './cli/cli.ts'

const { postgresql } = await availableServices()
const password = 'hunter2-hunter2'
let directory: string
let database: Awaited<ReturnType<typeof throwawayPostgres>>
const undo: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  if (postgresql) database = await throwawayPostgres()
})
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step()
})
afterAll(() => database?.drop())

interface Process {
  service: Service
  variables: Record<string, string>
  admin: string
  log(): string
  reload(): Promise<void>
}

/** Starts one of several processes of the installation: with its own ports, and the same configuration and database. */
async function start(more: Record<string, string> = {}): Promise<Process> {
  const [port, adminPort] = [await freePort(), await freePort()]
  const variables = {
    ...{ PORT: String(port), ADMIN_PORT: String(adminPort), CONFIG_DIR: directory, DATA_DIR: join(directory, '.data') },
    ...{ DATABASE_URL: database.url, SECRET_KEY: rootSecret, SMTP_URL: `smtp://mailer:${password}@127.0.0.1:1` },
    ...more,
  }
  const lines: string[] = []
  const log = createLog('info', new Writable({ write: (chunk, _encoding, done) => done(void lines.push(String(chunk))) }))
  const settings = readSettings(variables)
  const service = await serve({ ...settings, rootSecrets: [rootSecret], log, migrations: migrationsDirectory })
  undo.push(() => service.stop({ drainSeconds: 0 }))
  const reload = () => reloadService(service, { variables, trigger: 'signal', log })
  return { service, variables, admin: `http://127.0.0.1:${adminPort}`, log: () => lines.join(''), reload }
}

const hashOf = async ({ admin }: Process): Promise<string> => (await get(`${admin}/readyz`)).body.configuration.hash
const auditOf = ({ service }: Process): Promise<{ slug: string; event: string; details: Record<string, unknown> }[]> =>
  service.database.sql.query(
    `SELECT slug, event, details FROM audit_log a JOIN school s ON s.id = a.school_id WHERE event LIKE 'configuration.%' ORDER BY a.id`,
  )

describe.runIf(postgresql)('processes of one installation', () => {
  beforeAll(async () => {
    directory = await writeConfig({
      'schools/north.yaml': schoolFile('http://127.0.0.1:3000', 'North'),
      'schools/south.yaml': schoolFile('http://127.0.0.2:3000', 'South'),
    })
  })
  afterAll(() => rm(directory, { recursive: true }))

  test('do not start with another storage of files, and an operator can move it', async () => {
    const first = await start()
    const DATA_DIR = join(directory, '.other')
    const refused = start({ DATA_DIR })
    await expect(refused).rejects.toThrow(/files are stored in .*\.other\/files, which are not the files of this database/)
    await until(async () => (await get(`${first.admin}/readyz`)).status === 200, { what: 'the first process to be ready' })

    const cli = createCli({ variables: { ...first.variables, DATA_DIR } })
    expect(await cli(['demo', 'load'])).toMatchObject({ exitCode: 1 })
    expect(await cli(['storage', 'accept', '--yes'])).toMatchObject({ exitCode: 0, out: expect.stringContaining('.other/files') })
    expect((await start({ DATA_DIR })).log()).toContain('.other/files')
  }, 180_000)

  test('follow the log level that an operator sets, and go back by themselves when the time is over', async () => {
    const [left, right] = [await start(), await start()]
    const cli = createCli({ variables: left.variables })
    const logsDebug = ({ log }: Process): boolean => log().includes('"level_now":"debug"')
    expect((await cli(['log', 'level', '--json'])).json()).toEqual({ level: 'info', until: null, level_after: null })
    expect((await cli(['log', 'level', 'debug', '--for', '12s', '--json'])).json()).toMatchObject({ level: 'debug', level_after: 'info' })
    await until(() => logsDebug(left) && logsDebug(right), { what: 'both processes to follow' })
    for (const { log } of [left, right]) expect(log()).toContain('log level changed')
    const isBack = ({ log }: Process): boolean => log().includes('"level_before":"debug","level_now":"info"')
    await until(() => isBack(left) && isBack(right), { what: 'both processes to go back' })
    expect((await cli(['log', 'level', '--json'])).json()).toMatchObject({ level: 'info', until: null })

    expect(await cli(['log', 'level', 'error'])).toMatchObject({ exitCode: 0, out: expect.stringMatching(/^level +error\nuntil +\d{4}-/) })
    expect((await cli(['log', 'level', '--reset', '--json'])).json()).toMatchObject({ level: 'info', until: null })
    const events = await left.service.database.sql.query<{ details: object }>(
      `SELECT DISTINCT details FROM audit_log WHERE event = 'operator.log_level_set'`,
    )
    expect(events.map(({ details }) => details)).toContainEqual({ level: 'error', seconds: 900, operator: 'ops' })
  }, 180_000)

  test.each([
    [['loud'], "value 'loud' is invalid for argument 'level'. Allowed choices are trace, debug, info, warn, error."],
    [['debug', '--for', '25h'], '--for must be a time such as 90s, 10m or 2h, at most 24h, not 25h'],
    [['--for', '10m'], '--for requires a level'],
    [['debug', '--reset'], 'give either a level or --reset'],
  ])('log level %j is a usage error', async (args, sentence) => {
    const cli = createCli({ variables: { CONFIG_DIR: directory, DATABASE_URL: database.url, SECRET_KEY: rootSecret } })
    expect(await cli(['log', 'level', ...args])).toMatchObject({ exitCode: 2, err: expect.stringContaining(sentence) })
  })

  test('have the same hash of the configuration, whatever their ports, and another one with other settings', async () => {
    const [left, right, other] = [await start(), await start({ LOG_FORMAT: 'json' }), await start({ MAIL_FROM: 'other@example.com' })]
    const hashes = await Promise.all([left, right, other].map(hashOf))
    expect(hashes[0]).toMatch(/^[\w-]{12}$/)
    expect(hashes[1]).toBe(hashes[0])
    expect(hashes[2]).not.toBe(hashes[0])
    expect((await get(`${other.admin}/metrics`)).body).toContain(`schoolgate_configuration_info{hash="${hashes[2]}"} 1`)
    const entries = (await auditOf(left)).filter(({ details }) => (details.keys as string[]).includes('environment.MAIL_FROM'))
    expect(entries.map(({ slug }) => slug).toSorted()).toEqual(['north', 'south'])
    expect(entries[0]?.details).toMatchObject({ trigger: 'start', hash: hashes[2], process: expect.stringMatching(/.+/) })
  }, 180_000)

  test('record which keys changed, for each school its own, and never a value or a secret', async () => {
    const before = (await auditOf(await start())).length
    const later = await start({ SMTP_URL: `smtp://mailer:${password}-2@127.0.0.1:1`, SECRET_KEY: rootSecret })
    const north = schoolFile('http://127.0.0.1:3000', 'North')
    await writeFile(join(directory, 'schools/north.yaml'), `${north}pricing_note: A very private note.\n`)
    await later.reload()
    await writeFile(join(directory, 'schools/north.yaml'), north)
    const entries = (await auditOf(later)).slice(before)
    expect(entries.map(({ slug, details }) => [slug, details.trigger, details.keys]).toSorted()).toEqual([
      ['north', 'signal', ['schools.north.pricing_note']],
      ['north', 'start', ['environment.SMTP_URL']],
      ['south', 'start', ['environment.SMTP_URL']],
    ])
    const stored = JSON.stringify([entries, await later.service.database.sql.query('SELECT * FROM installation')])
    for (const value of [password, 'private note', 'mailer', rootSecret]) expect(stored).not.toContain(value)
  }, 180_000)

  test('count reloads, and report a failed one until the next one succeeds', async () => {
    const running = await start()
    const hash = await hashOf(running)
    const metrics = async () => (await get(`${running.admin}/metrics`)).body
    expect(await metrics()).toContain('schoolgate_configuration_reload_failed 0')
    await writeFile(join(directory, 'oauth.yaml'), 'lifetimes: {acces_token_seconds: 60}\nwibble: 1\n')
    await expect(running.reload()).rejects.toThrow('acces_token_seconds')
    expect(await metrics()).toContain('schoolgate_configuration_reload_failed 1')
    expect(await metrics()).toContain('schoolgate_configuration_reloads_total{outcome="failed"} 1')
    const { status, body } = await get(`${running.admin}/readyz`)
    expect([status, body.configuration]).toMatchObject([200, { hash, last_reload: { outcome: 'failed' } }])
    const rejected = (await auditOf(running)).filter(({ event }) => event === 'configuration.rejected')
    expect(rejected.map(({ slug, details }) => [slug, details.errors, details.hash])).toEqual([
      ['north', 2, hash],
      ['south', 2, hash],
    ])
    await writeFile(join(directory, 'oauth.yaml'), 'lifetimes: {access_token_seconds: 60}\n')
    await running.reload()
    await rm(join(directory, 'oauth.yaml'))
    expect(await metrics()).toContain('schoolgate_configuration_reload_failed 0')
    expect(await metrics()).toContain('schoolgate_configuration_reloads_total{outcome="applied"} 1')
    expect(await hashOf(running)).not.toBe(hash)
  }, 180_000)
})
