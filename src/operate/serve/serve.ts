import cluster from 'node:cluster'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Middleware } from 'koa'
import { createAdmin } from '../../base/http/admin.ts'
import { createKeyring } from '../../base/keyring.ts'
import type { Log } from '../../base/log/log.ts'
import { createCaches } from '../../base/process/caches.ts'
import type { Environment } from '../../config/environment.ts'
import type { Config } from '../../config/load.ts'
import type { ReadSecret } from '../../config/webhookSecrets.ts'
import type { Database } from '../../database/connection/database.ts'
import { createSharedClock } from '../../database/connection/sharedClock.ts'
import { type FileStorage, requireOwnStorage, WrongStorage } from '../../database/files/fileStorage.ts'
import { migrate } from '../../database/migrations/migrate.ts'
import { noticeRestore } from '../../database/migrations/restore.ts'
import { readKeptKeys } from '../../database/statements/sealedColumns.ts'
import { beginChangeEpoch } from '../../database/tables/changeLog.ts'
import { recordJobRun } from '../../database/tables/jobRuns.ts'
import { type App, createApp } from '../compose/app.ts'
import { schedule } from '../jobs/schedule.ts'
import { createRenderAll } from '../metrics/allMetrics.ts'
import { jobFigures } from '../metrics/jobFigures.ts'
import { openTracing } from '../metrics/tracing.ts'
import { watchClock } from './clockWatch.ts'
import type { Commands } from './commandRunner.ts'
import { type ConfigurationState, createConfigurationState } from './configurationState.ts'
import { limitConnections, listenOn } from './listenOn.ts'
import { followLogLevel } from './logLevel.ts'
import { mailWarning } from './mailWarning.ts'
import { openConfiguredFileStorage, openConfiguredTransport } from './open.ts'
import { openOperatorEndpoint } from './operatorEndpoint.ts'
import { createPrivateHandlers } from './privateHandlers.ts'
import { createPrivateRequests } from './privateRequests.ts'
import { collectReadiness, createReadiness, PartialLoss, type PartState, type Readiness, summarise } from './readiness.ts'
import { createSealedCheck } from './sealedCheck.ts'
import { serviceParts } from './serviceParts.ts'
import { createSigningKeyCheck } from './signingKeyCheck.ts'
import type { StartProgress } from './startProgress.ts'
import { type WaitArguments, waitForDatabase, waitForRedis } from './waitForStores.ts'

export interface ServeArguments {
  environment: Environment
  config: Config
  readSecret: ReadSecret
  rootSecrets: readonly string[]
  log: Log
  progress?: StartProgress | undefined
  migrations: string
  /** The commands of the operator, which a service with the embedded database runs. */
  commands?: Commands | undefined
  /** The clock of this machine: for tests. */
  systemTime?: (() => number) | undefined
  /** Runs after the database is ready and before the first request is served. */
  prepare?(database: Database, app: App, storage: FileStorage): Promise<void>
}

export interface Service {
  app: App
  database: Database
  configuration: ConfigurationState
  address: AddressInfo
  /** Drains, completes the requests in flight, and releases all resources of the process. */
  stop(options?: StopOptions): Promise<void>
  /** Shortens a stop: ends the draining and cuts off requests in flight. */
  hurry(): void
}

export interface StopOptions {
  /** How long new requests are still accepted while readiness is off; `drain_seconds` of the configuration by default. */
  drainSeconds?: number
}

/** One process of the service: its stores, its two ports, its jobs. */
export async function serve(args: ServeArguments): Promise<Service> {
  const { environment, config, readSecret, rootSecrets, log, progress, migrations, commands, prepare } = args
  const undo: (() => Promise<unknown>)[] = []
  const releaseAll = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step()
  }
  const hurry = new AbortController()
  const cutOffAfter = (seconds: number): AbortSignal => AbortSignal.any([hurry.signal, AbortSignal.timeout(seconds * 1000)])
  try {
    const { HOST: host, PORT, ADMIN_PORT } = environment
    const deadline = performance.now() + environment.START_TIMEOUT_SECONDS * 1000
    let isStopping = false
    let started: { readiness: Readiness; app: App; handlers: readonly Middleware[]; details(): Record<string, unknown> } | undefined
    const starting: PartState = { part: 'start', reason: 'the service is starting', loses: 'all' }
    const stopping: PartState = { part: 'stopping', reason: 'this process is shutting down', loses: 'all' }
    let waiting = starting
    // Opened first, so that /livez responds while the service waits for its stores.
    const admin = createAdmin({
      log,
      hosts: environment.ADMIN_HOSTS?.toLowerCase().split(',') ?? [],
      async readiness(options) {
        const states = (await started?.readiness.states()) ?? [waiting]
        return { ...summarise(isStopping ? [...states, stopping] : states, options), ...started?.details() }
      },
      metrics: createRenderAll(() => started?.app.metrics, cluster.worker),
      handlers: () => started?.handlers ?? [],
    })
    const adminPort = await listenOn('ADMIN_PORT', { handler: admin.callback(), port: ADMIN_PORT, host })
    undo.push(() => adminPort.close({ quietMs: 0, cutOff: cutOffAfter(1) }))
    const onWaiting: WaitArguments['onWaiting'] = (variable, text) => {
      waiting = { part: variable, reason: text, loses: 'all' }
    }
    const tracing = await openTracing({ environment, settings: config.server.tracing, log })
    if (tracing) undo.push(() => tracing.shutdown())
    progress?.step('Opening the database')
    const caches = createCaches({ areOff: environment.CACHES === 'off' })
    const waits = { caches, environment, connections: config.server.database_connections, tracing, log, deadline, onWaiting }
    const database = await waitForDatabase(waits)
    undo.push(() => database.close())
    waiting = starting
    const redis = await waitForRedis(waits)
    if (redis) undo.push(() => redis.close())
    waiting = starting
    const applied = await migrate(database, migrations, { onMigrated: progress?.migrated })
    if (applied.length > 0) log.info({ applied }, 'migrations applied')
    if (await noticeRestore(database)) log.warn('database restored or moved, e-mails and webhooks are held')
    const logLevel = await followLogLevel(database.lane('background'), log)
    undo.push(async () => logLevel.stop())
    await beginChangeEpoch(database.kysely)
    const clock = createSharedClock(database.lane('authorization'), args.systemTime)
    await clock.measure()
    const keyring = createKeyring(rootSecrets, clock.now)
    keyring.accept((await readKeptKeys(database.lane('background').sql, keyring)) ?? {})
    const keys = createSigningKeyCheck({
      database: database.lane('authorization').kysely,
      keyring,
      schools: () => started?.app.schools.all.map(({ school }) => school.slug) ?? config.schools.map(({ slug }) => slug),
      keepHours: () => config.oauth.signing_keys.keep_after_retirement_hours,
    })
    await keys().catch((error: unknown) => {
      if (!(error instanceof PartialLoss)) throw error
      log.error({ reason: error.message }, 'signing keys unusable')
    })

    const transport = openConfiguredTransport(environment, log)
    undo.push(async () => transport.close())
    log.info(transport.describe())
    if (config.server.outgoing === 'off') log.warn('outgoing is off, e-mails and webhooks are withheld')
    const warning = mailWarning(
      config.schools.map(({ issuer }) => issuer),
      environment.SMTP_URL,
    )
    if (warning !== undefined) log.warn(warning)

    const storage = await openConfiguredFileStorage(environment)
    undo.push(async () => storage.close())
    log.info(storage.describe())
    await requireOwnStorage(database, storage).catch((error: unknown) => {
      if (error instanceof WrongStorage) throw error
      log.warn({ err: error }, 'file storage not compared with the database, readiness repeats it')
    })

    const app = await createApp({
      storage,
      config,
      readSecret,
      database,
      caches,
      redis,
      mail: { transport, from: environment.MAIL_FROM },
      keyring,
      log,
      tracing,
      isLimited: environment.RATE_LIMITS === 'on',
    })
    // Work that is not delivered by then stays in the database.
    undo.push(() => unlessCutOff(app.outbox.stop(), cutOffAfter(config.server.shutdown_seconds)))
    undo.push(() => unlessCutOff(app.grantUses.stop(), cutOffAfter(config.server.shutdown_seconds)))
    await prepare?.(database, app, storage)
    const clockWatch = await watchClock(clock, { log, metrics: app.metrics })
    undo.push(async () => clockWatch.stop())
    const configuration = createConfigurationState({ app, database, environment, keyring, log })
    await configuration.applied('start')
    app.outbox.start()
    app.grantUses.start()
    const jobs = schedule(app.jobs, log, {
      onRun: jobFigures(app.metrics, app.jobs),
      record: (run) => recordJobRun(database.lane('background').kysely, run),
    })
    undo.push(() => jobs.stop())

    let quietMs = 0
    const sealed = createSealedCheck(database.lane('background'), keyring)
    sealed.collect(app.metrics)
    const parts = serviceParts({ database, migrations, redis, storage, keys, secrets: sealed.check, clock: clockWatch.check })
    const readiness = createReadiness(parts, log)
    collectReadiness(app.metrics, readiness)
    const privateRequests = createPrivateRequests()
    undo.push(() => privateRequests.close(cutOffAfter(config.server.shutdown_seconds)))
    const port = await listenOn('PORT', { handler: app.handler, port: PORT, host, ...(await limitConnections(log)) })
    undo.push(() => port.close({ quietMs, cutOff: cutOffAfter(config.server.shutdown_seconds) }))
    const operator =
      commands && openOperatorEndpoint({ environment, address: adminPort.address, commands, app, database, configuration, log })
    if (operator) undo.push(async () => operator.close())
    const handlers = createPrivateHandlers({ app, environment, config, database, redis, storage, keyring, log, operator })
    const details = () => ({
      configuration: configuration.summary(),
      self_check: app.selfCheck.summary(),
      ...sealed.summary(),
    })
    started = { readiness, app, handlers: privateRequests.guard(handlers), details }
    app.selfCheck.start()
    undo.push(() => app.selfCheck.stop())
    return {
      app,
      database,
      configuration,
      address: port.address,
      async stop({ drainSeconds = config.server.drain_seconds } = {}) {
        isStopping = true
        port.drain()
        await delay(drainSeconds * 1000, undefined, { signal: hurry.signal }).catch(() => undefined)
        quietMs = drainSeconds > 0 ? quietAfterDrainMs : 0
        await releaseAll()
      },
      hurry: () => hurry.abort(),
    }
  } catch (error) {
    await releaseAll()
    throw error
  }
}

/** After draining, a connection counts as idle when it has been silent for this long: a gateway may be sending a request on it. */
const quietAfterDrainMs = 1000

/** Waits for work until it is cut off. */
async function unlessCutOff(work: Promise<void>, cutOff: AbortSignal): Promise<void> {
  const { promise: deadline, resolve } = Promise.withResolvers<void>()
  cutOff.addEventListener('abort', () => resolve())
  if (!cutOff.aborted) await Promise.race([work, deadline])
}
