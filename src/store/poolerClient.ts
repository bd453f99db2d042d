import type { Client, ClientConfig } from 'pg'
import type { Pooler } from '../lib/pooler.ts'

/** Settings of a session by their names in PostgreSQL. */
export type SessionSettings = Readonly<Record<string, string>>

/**
 * Returns the part of a connection's configuration that makes the settings apply. PostgreSQL takes them with the start of the session.
 * A pooler refuses or drops them there: see `settingStatement` for a session of a pooler, and `requireSession` for its transactions.
 */
export const startOptions = (pooler: Pooler, settings: SessionSettings, more: string | undefined): Pick<ClientConfig, 'options'> =>
  pooler === 'none'
    ? { options: [...Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`), more].filter(Boolean).join(' ') }
    : {}

/** Returns the statement that gives a session of a pooler its settings; undefined if the connection needs none. */
export function settingStatement(pooler: Pooler, settings: SessionSettings): string | undefined {
  if (pooler !== 'session') return undefined
  return Object.entries(settings)
    .map(([name, value]) => `SET ${name} = '${value}'`)
    .join('; ')
}

/**
 * Returns the class of a connection through a pooler. The time zone is a parameter that poolers restore for each client, in both of their
 * modes, so it is sent at the start.
 */
export function poolerClient(base: typeof Client, pooler: Pooler): typeof Client {
  if (pooler === 'none') return base
  class PoolerClient extends base {
    getStartupConf(): object {
      const { getStartupConf } = base.prototype as unknown as { getStartupConf(): object }
      return { ...getStartupConf.call(this), TimeZone: 'UTC' }
    }
  }
  return PoolerClient
}
