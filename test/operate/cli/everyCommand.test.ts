import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { availableServices, redisUrl, throwawayPostgres } from '../../support/databases.ts'
import { createHome, type Home, rootSecret, type ServiceProcess, startProcess } from '../../support/process.ts'
import { type BundledCli, type BundledOutcome, bundledCli, runProcess } from './bundledCli.ts'
import { type Described, describedCommands, type Example } from './examples.ts'
import { prepareExample, removeOthers, type Workplace } from './exampleValues.ts'
import { changesBetween, dumpState } from './stateDump.ts'

const every = describedCommands()
const commands = every.filter(({ isGroup }) => !isGroup)
const named = (list: Described[]): [string, Described][] => list.map((command) => [command.path.join(' '), command])

/** Examples that fail here, each with its reason. */
const failing: Readonly<Record<string, RegExp>> = {
  // A loopback address has no certificate, and the demo is served without a gateway.
  'demo remove': /accounts that are not part of the demo/,
  'demo remove --yes': /accounts that are not part of the demo/,
  // Its database is not empty.
  'backup restore ./backup': /contains data|the data in .* is in use/,
  'backup restore ./backup --yes': /contains data|the data in .* is in use/,
  // The embedded database is in use, the school of the export exists, and it cannot be tried.
  'schools import ./harbour-export': /is in use by|exists: choose another slug|has no dry run/,
  'schools import ./harbour-export --slug quay --issuer https://quay.example.com':
    /is in use by|must be unique among all schools|has no dry run/,
  // The service runs on the embedded database, or has none.
  'database copy --to postgres://schoolgate@db.example.com/schoolgate': /the service runs on|DATABASE_URL is set/,
}

/** Examples that fail only while the service uses the embedded database. */
const inUse: Readonly<Record<string, RegExp>> = {
  'schools import wordpress.xml --school demo --dry-run': /is in use by/,
  'schools import ghost.json --school demo --from https://blog.example.org --files ./content': /is in use by/,
}

/** Checks what every outcome of the program has in common. */
function expectSound({ exitCode, out, err, warnings }: BundledOutcome, what: string): void {
  expect(warnings, what).toEqual([])
  expect(err, what).not.toMatch(/^\s+at .*:\d+|Warning: |\(node:\d+\)|\bundefined\b|\[object /m)
  expect(out, what).not.toMatch(/^\s+at .*:\d+|\bundefined\b|\[object /m)
  expect([0, 1, 2], `${what}: ${err}`).toContain(exitCode)
}

/** Commands that ask for confirmation and neither remove nor end anything: they need an empty database, or compare the file storage. */
const withoutDryRun: ReadonlySet<string> = new Set(['backup restore', 'storage accept'])

test('every command that asks for confirmation or removes something has --dry-run', () => {
  const removing = /\b(remove|delete|erase|revoke|prune|retire|disable|discard|hide|spam|release|cancel)\b/
  const missing = commands
    .filter(({ path, options }) => options.some((option) => ['--yes', '--confirm'].includes(option)) || removing.test(path.join(' ')))
    .map(({ path, options }) => ({ name: path.join(' '), hasDryRun: options.includes('--dry-run') }))
    .filter(({ name, hasDryRun }) => !hasDryRun && !withoutDryRun.has(name))
  expect(missing.map(({ name }) => name)).toEqual([])
})

describe('from the bundle', () => {
  let home: Home
  let cli: ReturnType<typeof bundledCli>
  let variables: Record<string, string>
  beforeAll(async () => {
    home = await createHome()
    cli = bundledCli(home.directory)
    variables = { CONFIG_DIR: home.config, DATA_DIR: home.data, SECRET_KEY: rootSecret }
  })
  afterAll(async () => {
    cli.stop()
    await home.remove()
  })

  test.each(named(every))('%s --help prints the usage and examples of this command', async (name, { path }) => {
    const outcome = await cli.run({ args: [...path, '--help'], variables, input: '' })
    expectSound(outcome, name)
    expect(outcome).toMatchObject({ exitCode: 0, err: '' })
    expect(outcome.out).toMatch(new RegExp(`^Usage: schoolgate ${name}( |$)`, 'm'))
    expect(outcome.out).toContain(`$ schoolgate ${name}`)
  })

  test.each(named(every))('%s with an option that does not exist is a usage error', async (name, { path }) => {
    const outcome = await cli.run({ args: [...path, '--nonsense'], variables, input: '' })
    expectSound(outcome, name)
    expect(outcome).toMatchObject({ exitCode: 2, out: '', err: expect.stringMatching(/^error: (unknown|required) option/m) })
  })
})

const { postgresql, redis } = await availableServices()
const places = [
  { name: 'the embedded database, in the service that holds it', isPostgresql: false },
  ...(postgresql && redis ? [{ name: 'PostgreSQL and Redis', isPostgresql: true }] : []),
]

describe.each(places)('from the bundle, with $name', ({ isPostgresql }) => {
  const undo: (() => unknown)[] = []
  let cli: ReturnType<typeof bundledCli>
  let work: Workplace
  let inProcess: BundledCli
  let variables: Record<string, string>

  beforeAll(async () => {
    const receiver = await startReceiver()
    undo.push(() => receiver.close())
    // `doctor` alone sends dozens of requests, and its examples follow each other.
    const home = await createHome({ server: { rate_limits: { anonymous: { requests: 10_000 } } } })
    undo.push(home.remove)
    await addReceiver(home, receiver)
    // A school with a public address, as in the examples, requires the rate limits.
    const environment: Record<string, string> = { RUN_FROM: 'bundle', LOG_FORMAT: 'json', RATE_LIMITS: 'on' }
    if (isPostgresql) {
      const database = await throwawayPostgres()
      undo.push(database.drop)
      Object.assign(environment, { DATABASE_URL: database.url, REDIS_URL: redisUrl })
    }
    const service: ServiceProcess = await startProcess({ home, hasDemo: !isPostgresql, environment })
    undo.push(() => service.stop())
    const { issuer, admin } = service
    variables = {
      ...{ CONFIG_DIR: home.config, DATA_DIR: home.data, SECRET_KEY: rootSecret, DEMO_PASSWORD: 'correct horse battery staple' },
      ...{ PORT: new URL(issuer).port, ADMIN_PORT: new URL(admin).port, ...environment },
    }
    const directory = join(home.directory, 'shell')
    await mkdir(directory)
    cli = bundledCli(directory)
    undo.push(cli.stop)
    inProcess = runProcess(directory)
    work = { issuer, config: home.config, isPostgresql, run: (args, input = '') => cli.run({ args, variables, input }) }
  })
  afterAll(async () => {
    for (const step of undo.reverse()) await step()
  })

  /** Runs an example, and answers the questions of the command as a script does. */
  async function runExample({ path, options }: Described, example: Example, run: BundledCli): Promise<void> {
    const prepared = await prepareExample(example, work)
    const more = [
      ...(options.includes('--yes') && !prepared.args.includes('--yes') ? ['--yes'] : []),
      ...(options.includes('--password-stdin') && !prepared.args.includes('--password-stdin') ? ['--password-stdin'] : []),
      ...(path.join(' ') === 'schools remove' && !prepared.args.includes('--confirm') ? ['--confirm', prepared.args[2] as string] : []),
    ]
    // Options end at `--`.
    const args = [...prepared.args.slice(0, path.length), ...more, ...prepared.args.slice(path.length)]
    if (isPostgresql && options.includes('--dry-run') && !args.includes('--dry-run')) await expectDryRun(path, args, example)
    const outcome = await run({ args, variables, input: prepared.input || 'seven lanterns in the fog\n' })
    expectSound(outcome, args.join(' '))
    const reason = failing[example.line] ?? (isPostgresql ? undefined : inUse[example.line])
    if (reason) expect(outcome, example.line).toMatchObject({ exitCode: 1, err: expect.stringMatching(reason) })
    else expect(outcome, `${args.join(' ')}: ${outcome.err}${outcome.out}`).toMatchObject({ exitCode: 0 })
    if (args.includes('--json') && !reason) expect(() => JSON.parse(outcome.out), outcome.out).not.toThrow()
    await removeOthers(work)
  }

  /** Runs a command with --dry-run, which changes nothing. The service works meanwhile, so a change is compared again. */
  async function expectDryRun(path: string[], args: string[], example: Example): Promise<void> {
    const words = [...args.slice(0, path.length), '--dry-run', ...args.slice(path.length)]
    const stores = { databaseUrl: variables.DATABASE_URL ?? '', directories: [variables.CONFIG_DIR ?? '', variables.DATA_DIR ?? ''] }
    for (let attempt = 1; ; attempt += 1) {
      const before = await dumpState(stores)
      const outcome = await cli.run({ args: words, variables, input: '' })
      expectSound(outcome, words.join(' '))
      const reason = failing[example.line]
      if (reason) expect(outcome, example.line).toMatchObject({ exitCode: 1, err: expect.stringMatching(reason) })
      else
        expect(outcome, `${words.join(' ')}: ${outcome.err}`).toMatchObject({
          exitCode: 0,
          err: expect.stringContaining('nothing was changed'),
        })
      const changed = changesBetween(before, await dumpState(stores))
      if (changed.length === 0) return
      if (attempt === 3) expect(changed, `changed by ${words.join(' ')}`).toEqual([])
    }
  }

  test.each(named(commands))('the examples of %s succeed, and its JSON is valid', async (name, command) => {
    const { examples, options } = command
    expect(examples.map(({ line }) => line).filter((line) => line === name || line.startsWith(`${name} `))).toHaveLength(examples.length)
    expect(examples.length, 'a command needs an example').toBeGreaterThan(0)
    const [first] = examples as [Example]
    const hasJson = examples.some(({ args }) => args.includes('--json'))
    const all = options.includes('--json') && !hasJson ? [...examples, { ...first, args: [...first.args, '--json'] }] : examples
    // One of them runs as an operator runs it; the others in one process, which is faster.
    const own = isPostgresql ? all.findLast(({ args }) => !args.includes('--follow')) : undefined
    for (const example of all) await runExample(command, example, example === own ? inProcess : cli.run)
  })
})

/** Starts a receiver of webhooks that accepts tests and refuses everything else for good. */
async function startReceiver(): Promise<Server> {
  const receiver = createServer(async (request, response) => {
    const isTest = (await text(request)).includes('webhook.test')
    response.writeHead(isTest ? 204 : 410).end()
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  return receiver
}

/** Configures the receiver `crm` for the demo school. */
async function addReceiver(home: Home, receiver: Server): Promise<void> {
  const secret = join(home.directory, 'secret')
  await writeFile(secret, `whsec_${randomBytes(32).toString('base64')}\n`)
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
  const school = {
    docs_url: 'https://docs.example.com',
    defaults: { name: 'Process School', locale: 'en', time_zone: 'UTC', currency: 'EUR' },
    webhooks: [{ name: 'crm', url, types: ['security.token.revoked'], secrets: [`file:${secret}`] }],
    webhook_private_hosts: ['127.0.0.1'],
  }
  await writeFile(join(home.config, 'schools/demo.yaml'), stringify(school))
}
