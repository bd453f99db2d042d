import type { App } from '../app.ts'
import { planReload } from '../config/reload.ts'
import type { Log } from '../lib/log.ts'
import type { Database } from '../store/database.ts'
import { warnOfUnknownClients } from './introspectionClients.ts'
import { readSettings, type Variables } from './start.ts'

/**
 * Reads the configuration again and applies the parts that can change while running.
 * @throws ConfigError if a file is invalid: the current configuration stays active
 */
export async function reloadService({ app, database }: { app: App; database: Database }, variables: Variables, log: Log): Promise<void> {
  const { config, reloadable, needsRestart } = planReload(app.config, readSettings(variables).config)
  if (needsRestart.length > 0) log.warn({ needs_restart: needsRestart }, 'restart required for these changes')
  const integrations = await app.reload(config)
  log.info({ reloaded: reloadable, integrations }, 'configuration reloaded')
  await warnOfUnknownClients({ config, database: database.kysely, log })
}
