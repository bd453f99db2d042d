import { printIssue } from '../config/configErrors.ts'
import { planReload } from '../config/reload.ts'
import type { Log } from '../lib/log.ts'
import type { ConfigurationTrigger, Reloadable } from './configurationState.ts'
import { warnOfUnknownClients } from './introspectionClients.ts'
import { readSettings, type Variables } from './start.ts'

export interface ReloadArguments {
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
