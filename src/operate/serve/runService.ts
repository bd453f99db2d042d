import cluster from 'node:cluster'
import type { Log } from '../../base/log/log.ts'
import { isLoopback } from '../../config/address.ts'
import { printIssue } from '../../config/configErrors.ts'
import { planReload } from '../../config/reload.ts'
import { warnOfUnknownClients } from '../compose/introspectionClients.ts'
import type { Commands } from './commandRunner.ts'
import type { ConfigurationTrigger, Reloadable } from './configurationState.ts'
import { failureText } from './failureText.ts'
import { collectWhenIdle } from './idleCollection.ts'
import { isPretty, type Output, openLog } from './openLog.ts'
import { readSettings, type Started, startService, type Variables } from './start.ts'
import { loggedProgress, terminalProgress } from './startProgress.ts'
import { onStopSignals } from './stopSignals.ts'
import { readyMessage, type Self } from './supervise.ts'
import { readyDetails, welcome } from './welcome.ts'

export interface ServiceProcess extends Self {
  env: Variables
  stdout: Output
}

/** Starts the service in this process, and stops or reloads it on a signal. */
export async function runService(self: ServiceProcess): Promise<void> {
  const settings = readSettings(self.env)
  const log = await openLog(settings.environment, self)
  for (const warning of settings.warnings) log.warn({ problem: printIssue(warning) }, 'setting ignored, probably an error')
  const isTerminal = self.stdout.isTTY === true && isPretty(settings.environment.LOG_FORMAT, self.stdout)
  const isFirst = !cluster.worker || cluster.worker.id === 1
  const progress = isTerminal && isFirst ? terminalProgress(self.stdout) : loggedProgress(log)
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
  const started = await startService(settings, log, { progress, commands: commandsOf(self.env, log) }).finally(progress.end)
  service = started
  // The demo is for people who try the service, often without a terminal (npm start > log). Elsewhere the output is JSON only.
  const isForPeople = self.stdout.isTTY || (started.demo !== undefined && isLoopback(started.demo.issuer))
  if (isForPeople && isFirst) self.stdout.write(welcome(started, { isQuiet: !log.isLevelEnabled('info') }))
  log.info(readyDetails(started), 'service ready')
  collectWhenIdle()
  cluster.worker?.send(readyMessage)
  takeOver = async () => {
    try {
      await reloadService(started, { variables: self.env, trigger: 'signal', log })
    } catch (error) {
      log.error({ reason: failureText(error) }, 'configuration reload failed, current configuration stays active')
    }
  }
  if (isReloadWanted) await takeOver()
}

const commandsOf = (variables: Variables, log: Log): Commands => ({
  variables,
  load: async () => (await import('../cli/channel/runRemotely.ts')).createCommandRunner,
  reload: (service) => reloadService(service, { variables, trigger: 'command', log }),
})

interface ReloadArguments {
  variables: Variables
  trigger: ConfigurationTrigger
  log: Log
}

/**
 * Reads the configuration again and applies the parts that can change while running.
 * @throws ConfigError if a file is invalid: the current configuration stays active
 */
export async function reloadService(service: Reloadable, { variables, trigger, log }: ReloadArguments): Promise<void> {
  const { app, database, configuration } = service
  try {
    const settings = readSettings(variables)
    for (const warning of settings.warnings) log.warn({ problem: printIssue(warning) }, 'setting ignored, probably an error')
    const { config, reloadable, needsRestart } = planReload(app.config, settings.config)
    if (needsRestart.length > 0) log.warn({ needs_restart: needsRestart }, 'restart required for these changes')
    const integrations = await app.reload(config)
    log.info({ reloaded: reloadable, integrations }, 'configuration reloaded')
  } catch (error) {
    await configuration.rejected(trigger, error)
    throw error
  }
  await configuration.applied(trigger)
  await warnOfUnknownClients({ config: app.config, database: database.kysely, log })
}
