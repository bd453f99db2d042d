import { copyCourses, makeRows, multiplyCourses } from './courses.ts'
import type { MemoryLimit } from './memoryLimit.ts'
import { type AuthorizationServer, credentials, discover, exchange, openBrowser, register } from './oauth.ts'
import { authorizationOperations, catalogueOperations, mcpOperation, type Operations, refusals } from './operations.ts'
import { type Measurable, type PeerName, startPeers } from './peers.ts'
import type { Target, Targets } from './targets.ts'

export interface ServersOptions {
  /** Multiplies the requests of each round. */
  scale: number
  /** Rows of the table that the keyset page reads. */
  rows: number
  /** Peers in addition to those of every run. */
  peers: readonly PeerName[]
  /** The limit of the memory of the service. */
  memory?: MemoryLimit | undefined
  say(line: string): void
}

/** The name of the service in the tables. */
export const service = 'Schoolgate'

/** Starts the service and its peers, and returns what each can be asked. */
export async function startAll(
  targets: Targets,
  configuration: string,
  { scale, rows, peers, memory, say }: ServersOptions,
): Promise<Measurable[]> {
  const { redisUrl } = targets
  const node = process.execPath
  const serviceDatabase = await targets.database()
  const command = [node, '--max-semi-space-size=16', 'src/main.mjs']
  const own = await targets.start(
    service,
    memory ? memory.around(command) : command,
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
  const authorization = await server(own, 'openid profile email courses:read', 'forms', 'owner@example.com')
  const token = await accessToken(authorization)
  const { id, count } = await copyCourses(own, { databaseUrl: courses, table: 'bench_course' })
  await copyCourses(own, { databaseUrl: courses, table: 'bench_own_course', token })
  say(`${count} public courses; ${rows} rows for the keyset page`)
  await makeRows(courses, rows)
  const twin = await targets.start(
    'Koa + pg, same JSON',
    [node, 'courses.js'],
    { DATABASE_URL: courses, REDIS_URL: redisUrl, TOKEN: token },
    '/courses',
  )
  const engine = await targets.start('engine + ioredis', [node, 'engine.js'], { REDIS_URL: redisUrl }, '/.well-known/openid-configuration')
  const betterAuth = await targets.start(
    'better-auth',
    [node, 'betterAuth.js'],
    { DATABASE_URL: await targets.database() },
    '/.well-known/openid-configuration',
  )

  const measurable = async (target: Target, operations: Operations): Promise<Measurable> => ({ ...target, operations })
  const { 'list of courses': keysetPage } = catalogueOperations(twin.client, { list: '/rows', one: '/rows' }, scale)
  const keyset: Operations = keysetPage ? { 'list of courses': keysetPage } : {}
  return [
    await measurable(own, {
      ...(await authorizationOperations(authorization, scale)),
      ...catalogueOperations(own.client, { list: '/api/v1/courses?limit=20', one: `/api/v1/courses/${id}`, token }, scale),
      'MCP list_courses': mcpOperation(own.client, scale),
      ...refusals(own.client, { unknown: '/api/v1/none', known: '/api/v1/courses' }, scale),
    }),
    await measurable(twin, catalogueOperations(twin.client, { list: '/courses', one: `/courses/${id}`, token }, scale)),
    { ...twin, name: 'Koa + pg, keyset page', operations: keyset },
    { ...twin, name: 'Koa alone', operations: refusals(twin.client, { unknown: '/none' }, scale) },
    await measurable(engine, await authorizationOperations(await server(engine, 'openid profile email', 'forms'), scale)),
    await measurable(
      betterAuth,
      await authorizationOperations(await server(betterAuth, 'openid profile email offline_access', 'json'), scale),
    ),
    ...(await startPeers(peers, { targets, own, token, scale, say })),
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

async function accessToken(of: AuthorizationServer): Promise<string> {
  const registered = await register(of)
  return (await exchange(of, registered, await openBrowser(of).authorize(registered))).access_token
}
