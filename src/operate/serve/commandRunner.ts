import type { Context } from 'koa'
import type { Log } from '../../base/log/log.ts'
import type { Database } from '../../database/connection/database.ts'
import type { Reloadable } from './configurationState.ts'

export interface RunningService {
  /** Reads the configuration again, as for SIGHUP. */
  reload(): Promise<void>
  /** Stops serving a school, without a restart. */
  withdraw(slug: string): Promise<void>
}

export interface CommandHost {
  variables: Record<string, string | undefined>
  database: Database
  service: RunningService
  log: Log
}

/** Handles an authenticated request that runs a command, or answers one. */
export type CommandRunner = (ctx: Context) => Promise<void>

export interface Commands {
  variables: CommandHost['variables']
  load(): Promise<(host: CommandHost) => CommandRunner>
  reload(service: Reloadable): Promise<void>
}
