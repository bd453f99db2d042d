#!/usr/bin/env node
import cluster from 'node:cluster'
import { ConfigError } from './config/mistakes.ts'
import { compareForReload } from './config/reload.ts'
import { createLog, type Log } from './lib/log.ts'
import { readSettings, type Settings, type Started, startService } from './wiring/start.ts'
import { supervise } from './wiring/supervise.ts'
import { welcome } from './wiring/welcome.ts'

try {
  const settings = readSettings(process.env)
  const log = createLog(settings.environment.LOG_LEVEL)
  if (settings.environment.WORKERS > 1 && cluster.isPrimary) supervise(settings.environment.WORKERS, log, process)
  else await run(settings, log)
} catch (error) {
  process.stderr.write(`${sayWhy(error)}\n`)
  process.exit(1)
}

async function run(settings: Settings, log: Log): Promise<void> {
  const service = await startService(settings, log)
  if (!cluster.worker || cluster.worker.id === 1) process.stdout.write(welcome(service))
  let { config } = settings
  let isStopping = false
  const stop = async (): Promise<void> => {
    if (isStopping) return
    isStopping = true
    log.info('stopping')
    await service.stop()
    process.exit(0)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop())
  process.on('SIGHUP', async () => {
    config = await reload(service, config, log)
  })
}

/** Takes over what can change while running. A wrong file changes nothing. */
async function reload({ app }: Started, before: Settings['config'], log: Log): Promise<Settings['config']> {
  try {
    const { config } = readSettings(process.env)
    const { reloadable, needsRestart } = compareForReload(before, config)
    if (needsRestart.length > 0) log.warn({ needs_restart: needsRestart }, 'these changes take effect at the next start only')
    const integrations = await app.reload(config)
    log.info({ reloaded: reloadable, integrations }, 'configuration reloaded')
    return config
  } catch (error) {
    log.error({ reason: sayWhy(error) }, 'the configuration was not reloaded; the one before stays in force')
    return before
  }
}

function sayWhy(error: unknown): string {
  if (error instanceof ConfigError) return `The configuration is not right:\n${error.message}`
  return `Schoolgate cannot start: ${error instanceof Error ? error.message : String(error)}`
}
