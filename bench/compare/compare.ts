import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { cpus, loadavg, tmpdir, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { copyCourses, makeRows, multiplyCourses } from './courses.ts'
import { measureRound, type Round, summarise } from './measure.ts'
import { type AuthorizationServer, credentials, discover, exchange, openBrowser, register } from './oauth.ts'
import {
  authorizationOperations,
  catalogueOperations,
  mcpOperation,
  type OperationName,
  type Operations,
  pipelineOperation,
} from './operations.ts'
import { storesCpuSeconds } from './processUsage.ts'
import { type Measured, printTable } from './table.ts'
import { createTargets, type Target, type Targets } from './targets.ts'

export interface CompareOptions {
  rounds: number
  /** Multiplies the requests of each round. */
  scale: number
  concurrency: number
  /** Rows of the table that the keyset page reads. */
  rows: number
  databaseUrl: string
  /** Only operations whose name contains one of these. */
  only: readonly string[]
  say(line: string): void
}

const peers = resolve(import.meta.dirname, '../peers')

interface Measurable extends Target {
  operations: Operations
}

/** Measures the service and its peers in alternating rounds. Returns whether every request succeeded. */
export async function compare(options: CompareOptions): Promise<boolean> {
  const { say, rounds, concurrency } = options
  installPeers(say)
  const configuration = await benchConfiguration()
  const targets = await createTargets(options.databaseUrl)
  try {
    say('starting the servers')
    const measurables = await startAll(targets, configuration, options)
    const results = new Map<string, Map<OperationName, Round[]>>(measurables.map(({ name }) => [name, new Map()]))
    const names = [...new Set(measurables.flatMap(({ operations }) => Object.keys(operations) as OperationName[]))].filter(
      (name) => options.only.length === 0 || options.only.some((part) => name.includes(part)),
    )
    for (let round = 0; round <= rounds; round += 1) {
      say(round === 0 ? 'warming up' : `round ${round} of ${rounds} (load ${loadavg()[0]?.toFixed(1)})`)
      for (const name of names) {
        // Every other round runs in the opposite order, so that other work of the machine affects all servers equally.
        const order = round % 2 === 0 ? measurables : [...measurables].reverse()
        for (const { name: target, pid, operations } of order) {
          const operation = operations[name]
          if (!operation) continue
          const measured = await measureRound(operation, { pid, concurrency, storesCpuSeconds })
          const all = results.get(target) ?? new Map<OperationName, Round[]>()
          if (round > 0) all.set(name, [...(all.get(name) ?? []), measured])
        }
      }
    }
    const measured: Measured[] = names.flatMap((operation) =>
      measurables.flatMap(({ name: target }) => {
        const own = results.get(target)?.get(operation)
        return own ? [{ operation, target, ...summarise(own) }] : []
      }),
    )
    say(await machine(options))
    say(printTable(measured))
    const failed = measured.filter(({ errors }) => errors > 0)
    for (const { operation, target, errors } of failed) say(`${target}, ${operation}: ${errors} requests failed`)
    return failed.length === 0
  } finally {
    await targets.stop()
    await rm(configuration, { recursive: true, force: true })
  }
}

async function startAll(targets: Targets, configuration: string, { scale, rows, say }: CompareOptions): Promise<Measurable[]> {
  const { redisUrl } = targets
  const node = process.execPath
  const serviceDatabase = await targets.database()
  const service = await targets.start(
    'Schoolgate',
    [node, 'src/main.ts'],
    {
      DATABASE_URL: serviceDatabase,
      REDIS_URL: redisUrl,
      CONFIG_DIR: configuration,
      DEMO: 'on',
      DEMO_PASSWORD: credentials.password,
      SECRET_KEY: 'the root secret of a benchmark and long enough for it',
      RATE_LIMITS: 'off',
    },
    '/api/v1/courses?limit=1',
  )
  await multiplyCourses(serviceDatabase)
  const courses = await targets.database()
  const { id, count } = await copyCourses(service, courses)
  say(`${count} public courses; ${rows} rows for the keyset page`)
  await makeRows(courses, rows)
  const twin = await targets.start('Koa + pg, same JSON', [node, 'courses.js'], { DATABASE_URL: courses }, '/courses')
  const memory = await targets.start('engine in memory', [node, 'engine.js'], {}, '/.well-known/openid-configuration')
  const engine = await targets.start('engine + ioredis', [node, 'engine.js'], { REDIS_URL: redisUrl }, '/.well-known/openid-configuration')
  const betterAuth = await targets.start(
    'better-auth',
    [node, 'betterAuth.js'],
    { DATABASE_URL: await targets.database() },
    '/.well-known/openid-configuration',
  )

  const own = await server(service, 'openid profile email courses:read', 'forms', 'owner@example.com')
  const token = await accessToken(own)
  const measurable = async (target: Target, operations: Operations): Promise<Measurable> => ({ ...target, operations })
  const { 'list of courses': keysetPage } = catalogueOperations(twin.client, { list: '/rows', one: '/rows' }, scale)
  const keyset: Operations = keysetPage ? { 'list of courses': keysetPage } : {}
  return [
    await measurable(service, {
      ...(await authorizationOperations(own, scale)),
      ...catalogueOperations(service.client, { list: '/api/v1/courses?limit=20', one: `/api/v1/courses/${id}`, token }, scale),
      'MCP list_courses': mcpOperation(service.client, scale),
      'no route (404)': pipelineOperation(service.client, '/api/v1/none', scale),
    }),
    await measurable(twin, catalogueOperations(twin.client, { list: '/courses', one: `/courses/${id}` }, scale)),
    { ...twin, name: 'Koa + pg, keyset page', operations: keyset },
    { ...twin, name: 'Koa alone', operations: { 'no route (404)': pipelineOperation(twin.client, '/none', scale) } },
    await measurable(memory, await authorizationOperations(await server(memory, 'openid profile email', 'forms'), scale)),
    await measurable(engine, await authorizationOperations(await server(engine, 'openid profile email', 'forms'), scale)),
    await measurable(
      betterAuth,
      await authorizationOperations(await server(betterAuth, 'openid profile email offline_access', 'json'), scale),
    ),
  ]
}

async function server(
  target: Target,
  scope: string,
  pages: AuthorizationServer['pages'],
  email = credentials.email,
): Promise<AuthorizationServer> {
  return { ...target, credentials: { ...credentials, email }, paths: await discover(target.client), scope, pages }
}

async function accessToken(own: AuthorizationServer): Promise<string> {
  const registered = await register(own)
  return (await exchange(own, registered, await openBrowser(own).authorize(registered))).access_token
}

/** Installs the packages of the peers on the first run. */
function installPeers(say: (line: string) => void): void {
  if (existsSync(join(peers, 'node_modules/better-auth'))) return
  say('installing the peers (bench/peers), once')
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--silent'], { cwd: peers, stdio: 'inherit' })
  if (status !== 0) throw new Error('npm ci in bench/peers failed')
}

/** Writes a configuration with one demo school and without limits. */
async function benchConfiguration(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'schoolgate-bench-config-'))
  await mkdir(join(directory, 'schools'))
  await writeFile(join(directory, 'schools/demo.yaml'), await readFile(resolve(import.meta.dirname, '../../config/schools/demo.yaml')))
  return directory
}

async function machine({ rounds, scale, concurrency }: CompareOptions): Promise<string> {
  const { dependencies } = JSON.parse(await readFile(join(peers, 'package.json'), 'utf8')) as { dependencies: Record<string, string> }
  const versions = ['oidc-provider', 'better-auth', 'koa', 'pg', 'ioredis'].map((name) => `${name} ${dependencies[name]}`).join(', ')
  const [cpu] = cpus()
  const date = new Date().toISOString().slice(0, 10)
  return `\n${date}, ${cpus().length} × ${cpu?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}; ${versions}\n${rounds} rounds, scale ${scale}, concurrency ${concurrency}; CPU in ms per request; load average at the end ${loadavg()[0]?.toFixed(1)}\n`
}
