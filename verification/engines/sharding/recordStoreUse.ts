import { AsyncLocalStorage } from 'node:async_hooks'
import { Server } from 'node:http'
import { type Command, Redis } from 'ioredis'
import pg from 'pg'

/** The statements and keys of requests. */
export interface StoreUse {
  /** The texts of statements, each with the values of one run. */
  statements: ReadonlyMap<string, readonly unknown[]>
  /** The keys of Redis, each with the command that named it. */
  keys: ReadonlyMap<string, string>
}

export interface Recording extends StoreUse {
  stop(): void
}

/**
 * Records the statements and the keys of everything that an HTTP request causes in this process, in the background too. Statements of
 * the start, of jobs and of tests are not recorded. Connections of PostgreSQL that are to be recorded must be opened after this call.
 */
export function recordStoreUse(
  found: { onStatement?: (text: string, values: readonly unknown[]) => void; onKey?: (key: string, command: string) => void } = {},
): Recording {
  const inRequest = new AsyncLocalStorage<true>()
  const statements = new Map<string, readonly unknown[]>()
  const keys = new Map<string, string>()
  const [emit, query, sendCommand] = [Server.prototype.emit, pg.Client.prototype.query, Redis.prototype.sendCommand]

  Server.prototype.emit = function emitInRequest(this: Server, event: string | symbol, ...sent: unknown[]) {
    const pass = (): boolean => Reflect.apply(emit, this, [event, ...sent])
    return event === 'request' ? inRequest.run(true, pass) : pass()
  } as typeof emit
  pg.Client.prototype.query = function recordedQuery(this: pg.Client, ...sent: unknown[]): unknown {
    if (inRequest.getStore()) {
      const { text, values } = statementOf(sent)
      if (text !== '' && !statements.has(text)) {
        statements.set(text, values)
        found.onStatement?.(text, values)
      }
    }
    return Reflect.apply(query, this, sent)
  } as typeof query
  Redis.prototype.sendCommand = function recordedCommand(this: Redis, command: Command, ...sent: unknown[]): unknown {
    if (inRequest.getStore()) {
      for (const key of command.getKeys().map(String)) {
        if (keys.has(key)) continue
        keys.set(key, command.name)
        found.onKey?.(key, command.name)
      }
    }
    return Reflect.apply(sendCommand, this, [command, ...sent])
  } as typeof sendCommand

  return {
    statements,
    keys,
    stop() {
      Server.prototype.emit = emit
      pg.Client.prototype.query = query
      Redis.prototype.sendCommand = sendCommand
    },
  }
}

function statementOf([statement, values]: unknown[]): { text: string; values: readonly unknown[] } {
  if (typeof statement === 'string') return { text: statement, values: Array.isArray(values) ? values : [] }
  if (typeof statement !== 'object' || statement === null || !('text' in statement)) return { text: '', values: [] }
  const own = 'values' in statement && Array.isArray(statement.values) ? statement.values : values
  return { text: String(statement.text), values: Array.isArray(own) ? own : [] }
}
