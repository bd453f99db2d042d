import type { Middleware } from 'koa'
import type { App } from '../app.ts'
import type { Environment } from '../config/environment.ts'
import type { Config } from '../config/load.ts'
import { readPlatformKeys } from '../config/secrets.ts'
import type { Keyring } from '../lib/keyring.ts'
import type { Log } from '../lib/log.ts'
import type { Database } from '../store/database.ts'
import type { FileStorage } from '../store/fileStorage.ts'
import type { RedisConnection } from '../store/redis.ts'
import { createOperatorHandler, type OperatorHandlerArguments } from './operatorHandler.ts'
import { createPlatformHandler } from './platform.ts'

export interface PrivateHandlerArguments {
  app: App
  environment: Environment
  /** The configuration of the start. `app.schools` is current. */
  config: Config
  database: Database
  redis: RedisConnection | undefined
  storage: FileStorage
  keyring: Keyring
  log: Log
  /** The operator's commands, which a service with the embedded database runs. */
  operator: Pick<OperatorHandlerArguments, 'key' | 'origin' | 'load' | 'variables' | 'service'> | undefined
}

/**
 * Creates the handlers of the private port that need the started service. A handler responds to the paths below its own prefix, calls
 * `next` for all others, and loads its code when the first of its requests arrives.
 */
export function createPrivateHandlers(service: PrivateHandlerArguments): readonly Middleware[] {
  const { operator, database, log } = service
  return [
    ...createPlatformHandler(service, readPlatformKeys(service.environment)),
    ...(operator ? [createOperatorHandler({ ...operator, database, log })] : []),
  ]
}
