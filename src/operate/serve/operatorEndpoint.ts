import type { AddressInfo } from 'node:net'
import { randomToken } from '../../base/keyring.ts'
import type { Log } from '../../base/log/log.ts'
import type { Environment } from '../../config/environment.ts'
import type { Database } from '../../database/connection/database.ts'
import type { App } from '../compose/app.ts'
import type { Commands, RunningService } from './commandRunner.ts'
import type { ConfigurationState } from './configurationState.ts'
import { localOrigin, publishEndpoint } from './operatorFile.ts'

export interface EndpointArguments {
  environment: Environment
  address: AddressInfo
  commands: Commands
  app: App
  database: Database
  configuration: ConfigurationState
  log: Log
}

export interface OpenEndpoint extends Pick<Commands, 'variables' | 'load'> {
  key: string
  origin: string
  service: RunningService
  close(): void
}

/**
 * Lets the commands of the operator run in this process, because no other process can open the embedded database. With PostgreSQL the
 * commands open the database themselves: undefined.
 */
export function openOperatorEndpoint({ environment, address, commands, log, ...parts }: EndpointArguments): OpenEndpoint | undefined {
  const { app, database, configuration } = parts
  if (database.kind === 'postgresql') return undefined
  const [key, origin] = [randomToken(256), localOrigin(address.address, address.port)]
  return {
    key,
    origin,
    variables: commands.variables,
    load: commands.load,
    service: {
      reload: () => commands.reload(parts),
      async withdraw(slug) {
        await app.reload({ ...app.config, schools: app.config.schools.filter((school) => school.slug !== slug) })
        await configuration.applied('command')
        log.info({ school: slug }, 'school withdrawn')
      },
    },
    close: publishEndpoint(environment.DATA_DIR, { url: origin, key }),
  }
}
