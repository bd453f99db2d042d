import type { Context } from 'koa'
import type { Log } from '../lib/log.ts'
import type { Database } from '../store/database.ts'
import type { Reloadable } from './configurationState.ts'

/** The service that runs a command. */
export interface RunningService {
  /** Reads the configuration again, as for SIGHUP. */
  reload(): Promise<void>
  /** Stops serving a school, without a restart. */
  withdraw(slug: string): Promise<void>
}

/** The parts of the service that its commands use. */
export interface CommandHost {
  /** The environment, which the commands read. */
  variables: Record<string, string | undefined>
  database: Database
  service: RunningService
  log: Log
}

/** Handles an authenticated request that runs a command, or answers one. */
export type CommandRunner = (ctx: Context) => Promise<void>

/** The commands of the operator, for a service that can run them. */
export interface Commands {
  variables: CommandHost['variables']
  /** Loads the commands, which a serving process may never need. */
  load(): Promise<(host: CommandHost) => CommandRunner>
  /** Reads the configuration again. */
  reload(service: Reloadable): Promise<void>
}
