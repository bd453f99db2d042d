import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type App, createApp } from '../app.ts'
import type { Environment } from '../config/environment.ts'
import type { Config } from '../config/load.ts'
import { createAdmin } from '../http/admin.ts'
import { schedule } from '../jobs/schedule.ts'
import { createKeyring } from '../lib/keyring.ts'
import type { Log } from '../lib/log.ts'
import type { Database } from '../store/database.ts'
import type { FileStorage } from '../store/fileStorage.ts'
import { migrate, pendingMigrations } from '../store/migrate.ts'
import { openConfiguredDatabase, openConfiguredFileStorage, openConfiguredPost, openConfiguredRedis } from './open.ts'
import { checkTheOnlySchool, documentReadiness } from './readiness.ts'

export interface ServeArguments {
  environment: Environment
  config: Config
  rootSecrets: readonly string[]
  log: Log
  /** Folder with the migrations. */
  migrations: string
  /** Runs once the database is ready and before anybody is served. */
  prepare?(database: Database, app: App, storage: FileStorage): Promise<void>
}

export interface Service {
  app: App
  database: Database
  address: AddressInfo
  /** Takes no more requests, answers those in flight, lets go of everything. */
  stop(): Promise<void>
}

/** One process of the service: its stores, its two ports, its jobs. */
export async function serve({ environment, config, rootSecrets, log, migrations, prepare }: ServeArguments): Promise<Service> {
  const undo: (() => Promise<unknown>)[] = []
  const letGo = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step()
  }
  try {
    const database = await openConfiguredDatabase(environment, log)
    undo.push(() => database.close())
    const applied = await migrate(database, migrations)
    if (applied.length > 0) log.info({ applied }, 'migrations applied')
    const redis = await openConfiguredRedis(environment, log)
    if (redis) undo.push(() => redis.close())

    const post = openConfiguredPost(environment, log)
    undo.push(async () => post.close())
    log.info(post.describe())

    const storage = await openConfiguredFileStorage(environment)
    undo.push(async () => storage.close())
    log.info(storage.describe())

    const app = await createApp({
      storage,
      config,
      database,
      redis,
      mail: { post, from: environment.MAIL_FROM },
      keyring: createKeyring(rootSecrets),
      log,
      isLimited: environment.RATE_LIMITS === 'on',
    })
    undo.push(() => withinSeconds(config.server.shutdown_seconds, app.settled()))
    await prepare?.(database, app, storage)
    await checkTheOnlySchool(app)
    const jobs = schedule(app.jobs, log)
    undo.push(() => jobs.stop())

    let isStopping = false
    const { checks, closedSchools } = documentReadiness(app)
    const admin = createAdmin({
      checks: {
        database: () => database.ping(),
        storage: () => storage.check(),
        migrations: () => nonePending(database, migrations),
        ...(redis ? { redis: () => redis.ping() } : {}),
        ...checks,
      },
      closedSchools,
      isStopping: () => isStopping,
      metrics: app.metrics.render,
    })
    const adminServer = await listen(admin.callback(), environment.ADMIN_PORT, environment.HOST)
    undo.push(() => close(adminServer, 1))
    const server = await listen(app.koa.callback(), environment.PORT, environment.HOST)
    undo.push(() => close(server, config.server.shutdown_seconds))
    return {
      app,
      database,
      address: server.address() as AddressInfo,
      async stop() {
        isStopping = true
        await letGo()
      },
    }
  } catch (error) {
    await letGo()
    throw error
  }
}

async function nonePending(database: Database, migrations: string): Promise<void> {
  const pending = await pendingMigrations(database, migrations)
  if (pending.length > 0) throw new Error(`not applied: ${pending.join(', ')}`)
}

// The longest that an upload may take. Everything else has to arrive sooner: see http/arrival.ts.
const longestRequestMs = 3_600_000

async function listen(handler: RequestListener, port: number, host: string): Promise<Server> {
  const server = createServer({ requestTimeout: longestRequestMs, headersTimeout: 10_000, maxHeaderSize: 16_384 }, handler)
  server.listen(port, host)
  await once(server, 'listening')
  return server
}

/** Lets requests in flight end; after `patienceSeconds` they are cut off. */
async function close(server: Server, patienceSeconds: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  // A connection that has just carried its last answer is idle only now.
  const idle = setInterval(() => server.closeIdleConnections(), 50)
  const patience = setTimeout(() => server.closeAllConnections(), patienceSeconds * 1000)
  await closed
  clearInterval(idle)
  clearTimeout(patience)
}

/** Waits for work, but no longer than that: what is not done by then is lost. */
async function withinSeconds(seconds: number, work: Promise<void>): Promise<void> {
  const { promise: deadline, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, seconds * 1000)
  await Promise.race([work, deadline])
  clearTimeout(timer)
}
