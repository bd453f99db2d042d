import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Log } from '../../base/log/log.ts'
import { listConfigDirectory } from '../../config/configDirectory.ts'
import { ConfigError, type ConfigIssue } from '../../config/configErrors.ts'
import { checkDataDirectory } from '../../config/dataDirectory.ts'
import { type Environment, readEnvironment } from '../../config/environment.ts'
import { ignoredVariables } from '../../config/ignoredVariables.ts'
import { type Config, loadConfig } from '../../config/load.ts'
import { readDemoPassword, readPlatformKeys, readSecretKeys } from '../../config/secrets.ts'
import { type ReadSecret, secretReader } from '../../config/webhookSecrets.ts'
import { usableScopes } from '../../identity/apps/grantable.ts'
import { resources, scopeCatalogue, serviceOperations } from '../../school/index.ts'
import { warnOfUnknownClients } from '../compose/introspectionClients.ts'
import { webhookTypes } from '../compose/webhooks.ts'
import { demoIssuer, fillDemoSchool, refusePublicDemo } from './demo.ts'
import { outboxDirectory } from './open.ts'
import { type ServeArguments, type Service, serve } from './serve.ts'

export const migrationsDirectory = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url))

export type Variables = Record<string, string | undefined>

export interface Settings {
  environment: Environment
  config: Config
  readSecret: ReadSecret
  /** Lists settings without effect that are probably errors: misspelt variables, those of earlier releases, backup copies of files. */
  warnings: readonly ConfigIssue[]
}

/**
 * Returns the environment and the configuration, checked.
 * @throws ConfigError with every error
 */
export function readSettings(variables: Variables): Settings {
  const ignored = ignoredVariables(variables)
  try {
    const environment = readEnvironment(variables)
    const catalogue = scopeCatalogue(resources)
    const readSecret = secretReader(variables)
    const config = loadConfig({
      directory: environment.CONFIG_DIR,
      environment,
      knownScopes: catalogue.map((scope) => scope.name),
      usableScopes: usableScopes(catalogue),
      webhookTypes: webhookTypes(serviceOperations),
      readSecret,
    })
    return { environment, config, readSecret, warnings: [...ignored, ...listConfigDirectory(environment.CONFIG_DIR).ignored] }
  } catch (error) {
    // A misspelt variable is often the reason why another one is missing.
    throw error instanceof ConfigError ? new ConfigError([...error.issues, ...ignored]) : error
  }
}

export interface Started extends Service {
  /** Directory in which e-mails are saved; undefined if they are sent. */
  outbox: string | undefined
  /** The demo school's issuer, its password if the service generated it, and the variable or file with the password. */
  demo: { issuer: string; password: string | undefined; passwordIn: string } | undefined
}

/** Opens the stores, creates the demo school if it is enabled, and listens. With `commands`, it also runs those of the operator. */
export async function startService(
  { environment, config, readSecret }: Settings,
  log: Log,
  { progress, commands }: Pick<ServeArguments, 'progress' | 'commands'> = {},
): Promise<Started> {
  checkDataDirectory(environment)
  const rootSecrets = readSecretKeys({ environment, issuers: config.schools.map((school) => school.issuer) })
  // Checks the keys before the stores are opened.
  readPlatformKeys(environment)
  const issuer = demoIssuer(environment, config)
  const demo = issuer === undefined ? undefined : { issuer, ...demoPassword(environment) }
  const service = await serve({
    environment,
    config,
    readSecret,
    rootSecrets,
    log,
    progress,
    migrations: migrationsDirectory,
    commands,
    async prepare(database, app, storage) {
      await refusePublicDemo(environment, config, database.kysely)
      const entry = demo && app.schools.all.find(({ school }) => school.slug === 'demo')
      if (entry) progress?.step('Preparing the demo school')
      if (entry) await fillDemoSchool({ database, school: entry.school, environment, storage })
    },
  })
  await warnOfUnknownClients({ config, database: service.database.kysely, log })
  return { ...service, demo, outbox: environment.SMTP_URL ? undefined : outboxDirectory(environment) }
}

function demoPassword(environment: Environment): { password: string | undefined; passwordIn: string } {
  if (environment.DEMO_PASSWORD) return { password: undefined, passwordIn: 'DEMO_PASSWORD' }
  return { password: readDemoPassword(environment), passwordIn: join(environment.DATA_DIR, 'demo_password') }
}
