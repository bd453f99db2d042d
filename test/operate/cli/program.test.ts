import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createKeyring } from '../../../src/base/keyring.ts'
import { ensureSchool } from '../../../src/database/tables/schools.ts'
import { openTestDatabase, type TestDatabase, unpackEmbedded } from '../../support/databases.ts'
import { duringTests } from '../../support/duringTests.ts'
import { type Cli, createCli, schoolFile, writeConfig } from './cli.ts'
import { describedCommands, examplesIn } from './examples.ts'

const root = resolve(import.meta.dirname, '../../..')

interface Ran {
  exitCode: number | null
  out: string
  err: string
}

/** Runs the program from the bundle in a separate process without a terminal. */
async function schoolgate(args: string[], environment: Record<string, string> = {}, input = ''): Promise<Ran> {
  const child = spawn(process.execPath, ['src/operate/cli/main.mjs', ...args], {
    cwd: root,
    stdio: 'pipe',
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      RUN_FROM: 'bundle',
      ...environment,
    },
  })
  child.stdin.on('error', () => undefined).end(input)
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { exitCode: child.exitCode, out, err }
}

/** The same program in this process, which starts faster. */
const inThisProcess = (args: string[], variables: Record<string, string>, input = ''): Promise<Ran> =>
  createCli({ variables })(args, { input })

const commands = describedCommands().map(({ path }) => path)
const listings = commands.filter(([, verb = '']) => ['list', 'status', 'show', 'print'].includes(verb))

let home: string
let environment: Record<string, string>
beforeAll(async () => {
  home = await writeConfig({ 'schools/demo.yaml': schoolFile('http://127.0.0.1:3000', 'Demo School') })
  environment = { CONFIG_DIR: home, DATA_DIR: join(home, '.data') }
})
afterAll(() => rm(home, { recursive: true }))

describe('as a process', () => {
  test('--help lists the commands, and exits with 0', async () => {
    const { exitCode, out, err } = await schoolgate(['--help'])
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' })
    for (const [name = ''] of commands) expect(out).toContain(name)
    expect(out).toContain('Examples:')
  })

  test('a usage error exits with 2', async () => {
    const { exitCode, out, err } = await schoolgate(['keyz', 'list'], environment)
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' })
    expect(err).toContain('Did you mean keys?')
  })

  test('config check accepts a valid directory', async () => {
    expect(await schoolgate(['config', 'check'], environment)).toEqual({
      exitCode: 0,
      out: expect.stringContaining('http://127.0.0.1:3000'),
      err: '',
    })
  })

  test('an embedded database without migrations is reported with the command that applies them', async () => {
    const variables = { ...environment, DATA_DIR: join(home, '.new') }
    expect(await inThisProcess(['people', 'list'], variables)).toMatchObject({ exitCode: 1, err: expect.stringContaining('migrate up') })
    expect(existsSync(variables.DATA_DIR)).toBe(false)
    expect(await schoolgate(['migrate', 'up'], variables)).toMatchObject({ exitCode: 0, out: expect.stringContaining('applied') })
    expect(await inThisProcess(['people', 'list'], variables)).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('has no data yet'),
    })
  })

  test('with an embedded database a person is created, and if another process holds it the error contains the fix', async () => {
    await unpackEmbedded(environment.DATA_DIR as string)
    const create = ['people', 'create', 'ada@example.org', '--name', 'Ada', '--role', 'owner', '--password-stdin']
    expect(await schoolgate(create, environment, 'seven lanterns in the fog\n')).toMatchObject({ exitCode: 0 })
    expect(await schoolgate(['people', 'list'], environment)).toMatchObject({
      exitCode: 0,
      out: expect.stringMatching(/^ada@example\.org +Ada +owner/m),
    })

    const { lockDirectory } = await import('../../../src/database/connection/directoryLock.ts')
    const lock = await lockDirectory(join(environment.DATA_DIR as string, 'db'))
    const refused = await schoolgate(['people', 'list'], environment)
    lock.release()
    expect(refused).toMatchObject({ exitCode: 1, out: '', err: expect.stringContaining(`process ${process.pid}`) })
    expect(refused.err).toContain('Stop that process first')
    expect(refused.err).not.toMatch(/^\s+at /m)
  })
})

describe('without the environment of the service', () => {
  test.each(commands.filter(([, verb]) => verb === 'list' || verb === 'status').map((path) => [path.join(' '), path]))(
    '%s creates nothing, and names the missing variable',
    async (_name, path) => {
      const DATA_DIR = join(home, '.nothing')
      const { exitCode, out, err } = await inThisProcess(path, { ...environment, DATA_DIR })
      expect({ exitCode, out }, err).toEqual({ exitCode: 1, out: '' })
      expect(err).toMatch(/^schoolgate: there is no database: DATABASE_URL is not set, and .*nothing contains no embedded database/)
      expect(existsSync(DATA_DIR)).toBe(false)
    },
  )

  test('no command generates a second SECRET_KEY', async () => {
    const DATA_DIR = join(home, '.without-key')
    await unpackEmbedded(DATA_DIR)
    const { exitCode, err } = await inThisProcess(['keys', 'rotate'], { ...environment, DATA_DIR })
    expect({ exitCode, err }).toEqual({ exitCode: 1, err: expect.stringContaining(`SECRET_KEY  is not set, and ${DATA_DIR}/secret_key`) })
    expect(existsSync(join(DATA_DIR, 'secret_key'))).toBe(false)
  })

  test('a misspelt variable is reported before the error that it causes', async () => {
    const { err } = await inThisProcess(['people', 'list'], {
      ...environment,
      DATA_DIR: join(home, '.nothing'),
      DATABSE_URL: 'postgres://x',
    })
    expect(err).toMatch(/^warning: environment {2}DATABSE_URL {2}is not a known variable and is ignored; did you mean DATABASE_URL\?\n/)
    expect(err).toContain('there is no database')
    const secret = await inThisProcess(['config', 'check'], {
      CONFIG_DIR: 'config',
      BASE_URL: 'https://school.example.com',
      SECRETKEY: 'x',
    })
    expect(secret.err).toContain('SECRETKEY  is not a known variable and is ignored; did you mean SECRET_KEY?')
  })
})

describe('without a terminal', () => {
  test('config check reports every error of a configuration, and exits with 1', async () => {
    const wrong = await writeConfig({
      'oauth.yaml': 'lifetimes:\n  acces_token_seconds: 5\n',
      'schools/demo.yaml': 'issuer: nonsense\n',
      'notes.txt': '',
    })
    const { exitCode, out, err } = await inThisProcess(['config', 'check'], { CONFIG_DIR: wrong })
    await rm(wrong, { recursive: true })
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: '' })
    for (const named of ['oauth.yaml:2', 'did you mean access_token_seconds?', 'demo.yaml:1', 'notes.txt']) expect(err).toContain(named)
    expect(err).not.toMatch(/^\s+at /m)
  })

  test.each([
    ['no directory', { CONFIG_DIR: '/nowhere/at/all' }, 'CONFIG_DIR'],
    ['a wrong variable', { PORT: 'high' }, 'PORT'],
    ['a secret that is too short', { SECRET_KEY: 'hunter2' }, 'SECRET_KEY'],
    ['a missing secret file', { SECRET_KEY_FILE: '/nowhere/secret' }, 'SECRET_KEY_FILE'],
  ])('config check with %s exits with 1 and names the variable', async (_what, more, named) => {
    const { exitCode, err } = await inThisProcess(['config', 'check'], { ...environment, ...more })
    expect(exitCode).toBe(1)
    expect(err).toContain(named)
    expect(err).not.toContain('hunter2')
  })

  test('config print masks secrets', async () => {
    const secret = 'a root secret that nobody may ever read'
    const { exitCode, out, err } = await inThisProcess(['config', 'print'], {
      ...environment,
      SECRET_KEY: secret,
      DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:1/school',
    })
    expect(exitCode, err).toBe(0)
    expect(out).toContain('access_token_seconds: 3600')
    for (const hidden of [secret, 'hunter2']) expect(out + err).not.toContain(hidden)
  })

  test('a command does not wait for a password without a terminal', async () => {
    const { exitCode, err } = await inThisProcess(['people', 'create', 'a@example.org', '--name', 'A'], environment)
    expect(exitCode).toBe(2)
    expect(err).toContain('--password-stdin')
  })

  test('the error of a server that does not respond is one sentence without the password', async () => {
    const { exitCode, out, err } = await inThisProcess(['clients', 'list'], {
      ...environment,
      DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:1/school',
    })
    expect({ exitCode, out }).toEqual({ exitCode: 1, out: '' })
    expect(err).toMatch(/^schoolgate: the database cannot be opened: .*DATABASE_URL.*\n$/)
    expect(err).not.toContain('hunter2')
  })
})

describe('in process', () => {
  let cli: Cli
  const opened = duringTests(openTestDatabase)
  let database: TestDatabase['database']
  beforeAll(() => {
    database = opened.database
    cli = createCli({ variables: { ...environment, SECRET_KEY: 's'.repeat(32) }, database })
  })

  test.each(commands.map((path) => [path.join(' '), path]))(
    '%s --help has a sentence and examples that begin with it',
    async (name, path) => {
      const { exitCode, out } = await cli([...path, '--help'])
      expect(exitCode).toBe(0)
      expect(out).toMatch(new RegExp(`^Usage: schoolgate ${name}( |$)`, 'm'))
      const examples = examplesIn(out)
      expect(examples.length).toBeGreaterThan(0)
      expect(examples.filter(({ line }) => !line.startsWith(name))).toEqual([])
    },
  )

  test.each(commands.map((path) => [path.join(' '), path]))('the examples of %s are valid', async (_name, path) => {
    // A valid command fails when it opens the database.
    const cli = createCli({ variables: { ...environment, DATABASE_URL: 'postgres://127.0.0.1:1/nothing' }, signal: AbortSignal.abort() })
    const { out } = await cli([...path, '--help'])
    for (const { args } of examplesIn(out)) {
      // Judged by the parser alone; missing names and terminals are tested elsewhere.
      const { err } = await cli(args, { input: 'seven lanterns in the fog' })
      expect(err).not.toMatch(/^error: /m)
    }
  })

  test.each(listings.map((path) => [path.join(' ')]))('%s has --json', async (name) => {
    expect((await cli([...name.split(' '), '--help'])).out).toContain('--json')
  })

  test.each([
    ['nothing', []],
    ['a group alone', ['keys']],
    ['an unknown command', ['keyz', 'list']],
    ['an unknown option', ['keys', 'list', '--jsn']],
    ['an argument too few', ['clients', 'show']],
    ['an argument too many', ['clients', 'list', 'x']],
    ['an unknown choice', ['clients', 'list', '--via', 'magic']],
  ])('%s is a usage error: 2, said on stderr', async (_what, args) => {
    const { exitCode, out, err } = await cli(args)
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' })
    expect(err).not.toBe('')
    expect(err).not.toMatch(/^\s+at /m)
  })

  test.each([
    [['clients', 'disable', 'x']],
    [['clients', 'delete', 'x']],
    [['integrations', 'remove', 'x']],
    [['people', 'disable', 'a@example.org']],
    [['people', 'erase', 'a@example.org']],
    [['grants', 'revoke', 'x']],
    [['grants', 'revoke']],
    [['keys', 'retire', 'x']],
    [['outbox', 'release']],
  ])('%j names what is wrong before it asks for a confirmation', async (args) => {
    const { database, drop } = await openTestDatabase()
    await ensureSchool(database.kysely, { slug: 'demo', name: 'Demo', locale: 'en', time_zone: 'UTC', currency: 'EUR' })
    const { exitCode, err } = await createCli({ variables: environment, database })(args, { input: 'y\n' })
    expect([exitCode, err]).toEqual([args.length === 2 && args[0] === 'grants' ? 2 : 1, expect.not.stringContaining('--yes')])
    await drop()
  })

  test.each([[['keys', 'rotate', '--now']], [['secrets', 'rotate', '--leaked']]])(
    '%j asks: without a terminal and without --yes it is refused, and nothing is changed',
    async (args) => {
      const { database, drop } = await openTestDatabase()
      await ensureSchool(database.kysely, { slug: 'demo', name: 'Demo', locale: 'en', time_zone: 'UTC', currency: 'EUR' })
      const run = createCli({ variables: { ...environment, SECRET_KEY: 'a root secret that is long enough to be taken' }, database })
      expect(await run(args, { input: 'y\n' })).toMatchObject({ exitCode: 2, out: '', err: expect.stringContaining('--yes') })
      expect(await database.sql.query('SELECT 1 FROM signing_key UNION ALL SELECT 1 FROM audit_log')).toEqual([])
      await drop()
    },
  )

  test('secrets rotate --dry-run counts, and changes nothing', async () => {
    const { database, drop } = await openTestDatabase()
    const schoolId = await ensureSchool(database.kysely, { slug: 'demo', name: 'Demo', locale: 'en', time_zone: 'UTC', currency: 'EUR' })
    const [old, fresh] = ['the root secret of last year that is long enough', 'the root secret of this year that is long enough'] as const
    await database.sql.query(
      `INSERT INTO outbox (school_id, kind, payload, expires_at) VALUES ($1, 'email', to_jsonb($2::text), now() + interval '1 day')`,
      [schoolId, createKeyring([old]).seal('outbox', '{}')],
    )
    const rows = () => database.sql.query('SELECT payload FROM outbox')
    const before = await rows()
    const run = createCli({ variables: { ...environment, SECRET_KEY: `${fresh},${old}` }, database })
    const tried = await run(['secrets', 'rotate', '--dry-run'])
    expect(tried, tried.err).toMatchObject({ exitCode: 0, out: expect.stringMatching(/e-mails and work that wait +0 +1 +0/) })
    expect(await rows()).toEqual(before)
    expect(await run(['secrets', 'rotate'])).toMatchObject({ exitCode: 0, out: expect.stringMatching(/^1 values are sealed again/) })
    await drop()
  })

  test('before its first start a school has no row, and commands that only read do not create it', async () => {
    const { database, drop } = await openTestDatabase()
    const look = createCli({ variables: environment, database })
    expect(await look(['clients', 'list'])).toMatchObject({ exitCode: 1 })
    expect((await look(['schools', 'list', '--json'])).json()).toEqual([
      { slug: 'demo', name: 'Demo School', issuer: 'http://127.0.0.1:3000', is_configured: true, has_data: false, created_at: null },
    ])
    expect(await database.sql.query('SELECT 1 FROM school')).toEqual([])
    await drop()
  })

  test('demo load creates the demo school once', async () => {
    const { database, drop } = await openTestDatabase()
    const fresh = createCli({ variables: environment, database })
    expect(await fresh(['demo', 'load'])).toMatchObject({ exitCode: 0, out: expect.stringContaining('owner@example.com') })
    expect((await fresh(['people', 'list'])).out).toContain('learner001@example.org')
    expect(await fresh(['demo', 'load'])).toMatchObject({ exitCode: 0, out: expect.stringContaining('already') })
    await drop()
  })

  test('demo load does not create the demo school if strangers could sign in with its known password', async () => {
    const open = await writeConfig({ 'schools/demo.yaml': schoolFile('https://school.example.com', 'Open') })
    const { database, drop } = await openTestDatabase()
    const variables = { CONFIG_DIR: open, DATA_DIR: join(open, '.data'), SECRET_KEY: 'a root secret that is long enough to be taken' }
    const refused = await createCli({ variables, database })(['demo', 'load'])
    expect(refused).toMatchObject({ exitCode: 1, err: expect.stringContaining('DEMO=on') })
    expect(await database.sql.query('SELECT 1 FROM account')).toEqual([])
    await drop()
    await rm(open, { recursive: true })
  })

  test('jobs are listed and run by name, and the run is in the audit trail', async () => {
    const names = (await cli(['jobs', 'list', '--json'])).json().map(({ name }: { name: string }) => name)
    expect(names).toContain('sweep_artifacts')
    for (const name of names) {
      const { exitCode, err } = await cli(['jobs', 'run', name])
      expect(exitCode, `${name}: ${err}`).toBe(0)
    }
    expect(await cli(['jobs', 'run', 'sweep_artefacts'])).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining('did you mean sweep_artifacts?'),
    })
  })

  test('migrate status shows which migrations are applied', async () => {
    const rows = (await cli(['migrate', 'status', '--json'])).json()
    expect(rows.length).toBeGreaterThan(0)
    for (const row of rows) expect(row).toEqual({ name: expect.any(String), state: 'applied' })
    expect(await cli(['migrate', 'up'])).toMatchObject({ exitCode: 0, out: 'nothing to apply\n' })
  })
})
