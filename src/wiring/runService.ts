import cluster from 'node:cluster'
import { isLoopback } from '../config/address.ts'
import { planReload } from '../config/reload.ts'
import { createLog, type Log } from '../lib/log.ts'
import { failureText } from './failureText.ts'
import { warnOfUnknownClients } from './introspectionClients.ts'
import { readSettings, type Settings, type Started, startService, type Variables } from './start.ts'
import { onStopSignals } from './stopSignals.ts'
import { readyMessage, type Self } from './supervise.ts'
import { readyDetails, welcome } from './welcome.ts'

/** The part of this process that the service uses. */
export interface ServiceProcess extends Self {
  env: Variables
  stdout: { write(text: string): unknown; isTTY?: boolean }
}

/** Starts the service in this process, and stops or reloads it on a signal. */
export async function runService(self: ServiceProcess): Promise<void> {
  const settings = readSettings(self.env)
  const log = createLog(settings.environment.LOG_LEVEL)
  let service: Started | undefined
  onStopSignals(self, {
    stop(signal) {
      log.info({ signal }, 'stopping')
      // While the start waits for its stores, there are no requests to drain.
      if (!service) return self.exit(0)
      // Ctrl-C comes from a terminal, so no gateway has to notice first.
      void service.stop(signal === 'SIGINT' ? { drainSeconds: 0 } : {}).then(() => self.exit(0))
    },
    hurry() {
      log.warn('second stop signal, requests in flight are cut off')
      service?.hurry()
    },
  })
  // A SIGHUP during the start is not lost: the configuration is read again as soon as the service is ready.
  let isReloadWanted = false
  let takeOver = async (): Promise<void> => {
    isReloadWanted = true
  }
  self.on('SIGHUP', () => void takeOver())
  const started = await startService(settings, log)
  service = started
  // The demo is for people who try the service, often without a terminal (npm start > log). Elsewhere the output is JSON only.
  const isForPeople = self.stdout.isTTY || (started.demo !== undefined && isLoopback(started.demo.issuer))
  if (isForPeople && (!cluster.worker || cluster.worker.id === 1)) self.stdout.write(welcome(started))
  log.info(readyDetails(started), 'service ready')
  cluster.worker?.send(readyMessage)
  let { config } = settings
  takeOver = async () => {
    config = await reload(started, config, { self, log })
  }
  if (isReloadWanted) await takeOver()
}

/** Reloads the parts of the configuration that can change at runtime. If a file is invalid, the current configuration stays active. */
async function reload(
  { app, database }: Started,
  before: Settings['config'],
  { self, log }: { self: ServiceProcess; log: Log },
): Promise<Settings['config']> {
  try {
    const { config, reloadable, needsRestart } = planReload(before, readSettings(self.env).config)
    if (needsRestart.length > 0) log.warn({ needs_restart: needsRestart }, 'restart required for these changes')
    const integrations = await app.reload(config)
    log.info({ reloaded: reloadable, integrations }, 'configuration reloaded')
    await warnOfUnknownClients({ config, database: database.kysely, log })
    return config
  } catch (error) {
    log.error({ reason: failureText(error) }, 'configuration reload failed, current configuration stays active')
    return before
  }
}
