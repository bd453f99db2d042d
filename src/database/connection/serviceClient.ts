import { Client, type ClientConfig, type QueryConfig, type QueryResult } from 'pg'
import type { Pooler } from '../../base/net/pooler.ts'
import type { ConnectionWatch, FactGuard } from '../facts/factGuard.ts'
import { maxNames, type StatementNames } from './statementNames.ts'
import type { TraceStatement } from './statementSpans.ts'
import { limitStatement, type SessionSettings } from './timeLimit.ts'

/** The limits of statements in milliseconds: of all, and of those that only read, outside of a transaction. */
export interface StatementLimits {
  limitMs: number
  readMs: number
}

export interface ServiceClientConfig extends ClientConfig {
  pooler: Pooler
  settings: SessionSettings
  facts?: FactGuard
  limits?: StatementLimits
  /** Absent: no statement is prepared on the server. */
  names?: StatementNames | undefined
  traced?: TraceStatement
}

type Statement = QueryConfig<unknown[]>

/** How much longer than the server's own limit the client waits. The server reports a long statement first, so silence means a lost connection. */
const graceMs = 2000
/** How long the statement may take that begins or ends a transaction: it does no work. */
const controlMs = 3000
const controls = /^\s*(begin|start transaction|rollback|savepoint|release)\b/i
const reads = /^\s*select\b/i
const commits = /^\s*(?:commit|end)\b/i

/** True if a connection gave no response within the time limit of a statement. */
export const isSilence = (error: unknown): boolean => error instanceof Error && error.message === 'Query read timeout'

/**
 * A connection to PostgreSQL. Each statement passes through the methods below, in their order: `query` gives it a span, `#watched` marks the
 * facts that it changes, and `#execute` sends it with its time limit and its name.
 */
export class ServiceClient extends Client {
  /** Called with every failed statement. */
  onFailure: ((error: unknown) => void) | undefined
  readonly #config: ServiceClientConfig
  readonly #watch: ConnectionWatch | undefined
  /** The names that the server has prepared, in the order of their use. */
  readonly #prepared = new Set<string>()
  #transactionMs = 0

  constructor(config: ServiceClientConfig) {
    super({ ...config, options: startOptions(config) })
    this.#config = config
    this.#watch = config.facts?.watch()
    this.on('notice', (message) => this.#watch?.note(message))
  }

  /** Adds the time zone, because Prisma reads every time as UTC. Poolers restore it for each client, in both of their modes. */
  getStartupConf(): object {
    const { getStartupConf } = Client.prototype as unknown as { getStartupConf(): object }
    return { ...getStartupConf.call(this), TimeZone: 'UTC' }
  }

  /** Gives a session of a pooler its settings: the pooler refuses or drops them at the start. See `requireSession` for its transactions. */
  async applySettings(): Promise<void> {
    const { pooler, settings } = this.#config
    if (pooler !== 'session') return
    const applied: Promise<unknown> = this.query(
      Object.entries(settings)
        .map(([name, value]) => `SET ${name} = '${value}'`)
        .join('; '),
    )
    await applied
  }

  /** Returns a promise, or nothing if the caller passes a callback: `never` fits every overload of `pg`. */
  override query(statement: unknown, values?: unknown, callback?: unknown): never {
    const sent = statementOf(statement, Array.isArray(values) ? values : undefined)
    const { traced } = this.#config
    const result = traced ? traced(sent.text, () => this.#watched(sent)) : this.#watched(sent)
    return (isCallback(callback) ? void result.then((found) => callback(null, found), callback) : result) as never
  }

  /** Marks the facts that statements change: see `FactGuard`. */
  async #watched(statement: Statement): Promise<QueryResult> {
    const watch = this.#watch
    if (!watch) return await this.#execute(statement)
    if (!watch.isEmpty && commits.test(statement.text)) {
      const change = await watch.begin()
      const result = await this.#execute(statement)
      await change.end()
      return result
    }
    const wasOutside = this.#isOutside()
    const named = watch.named()
    let result: QueryResult
    try {
      result = await this.#execute(statement)
    } catch (error) {
      if (this.#isOutside()) watch.forget()
      throw error
    } finally {
      this.#config.facts?.answered()
    }
    if (watch.isEmpty || !this.#isOutside()) return result
    if (wasOutside) await watch.settle(named)
    else watch.forget() // A rollback.
    return result
  }

  async #execute(statement: Statement): Promise<QueryResult> {
    try {
      // The types of `pg` do not list the time limit of a single statement.
      const limited = { ...statement, query_timeout: this.#timeLimitOf(statement), name: this.#nameOf(statement) }
      return await super.query(limited)
    } catch (error) {
      // A response that arrives later would be taken for that of a later statement.
      if (isSilence(error)) this.connection.stream.destroy()
      this.onFailure?.(error)
      throw error
    }
  }

  /** Returns the server's own limit and a grace. Without it a statement on a connection that the network has dropped would wait for ever. */
  #timeLimitOf({ text, values }: Statement): number | undefined {
    const { limits } = this.#config
    if (!limits) return undefined
    const isOutside = this.#isOutside()
    // The server's limit of a transaction ends with it.
    if (isOutside) this.#transactionMs = limits.limitMs
    let limitMs = this.#transactionMs
    if (controls.test(text)) limitMs = controlMs
    else if (isOutside && reads.test(text)) limitMs = limits.readMs
    if (text === limitStatement) this.#transactionMs = Number.parseInt(String(values?.[0]), 10) * 1000
    return limitMs + graceMs
  }

  #nameOf({ name, text, values }: Statement): string | undefined {
    const { names } = this.#config
    if (!names || name !== undefined || !values) return names && name
    const named = names.nameOf(text)
    if (named === undefined) return undefined
    if (!this.#prepared.delete(named) && this.#prepared.size >= maxNames) this.#closeOldest()
    this.#prepared.add(named)
    return named
  }

  /**
   * The message Close of the protocol is DEALLOCATE for a name, also through PgBouncer, which gives statements other names. It is sent
   * before the statement that takes the place, without waiting for an answer.
   */
  #closeOldest(): void {
    const [name = ''] = this.#prepared
    const { connection } = this as unknown as PreparedStatements
    this.#prepared.delete(name)
    delete connection.parsedStatements[name]
    connection.close({ type: 'S', name })
  }

  #isOutside(): boolean {
    return this.getTransactionStatus() === 'I'
  }
}

/** The parts of a connection of `pg` that know which statements its server has prepared. */
interface PreparedStatements {
  connection: { close(statement: { type: 'S'; name: string }): void; parsedStatements: Record<string, string> }
}

/** PostgreSQL takes the settings with the start of the session. The options of the URL come last: they may change the limits. */
const startOptions = ({ pooler, settings, options }: ServiceClientConfig): string | undefined =>
  pooler === 'none'
    ? [...Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`), options].filter(Boolean).join(' ')
    : undefined

function statementOf(statement: unknown, values: unknown[] | undefined): Statement {
  if (typeof statement === 'string') return values ? { text: statement, values } : { text: statement }
  const own = statement as Statement
  return values ? { ...own, values } : own
}

const isCallback = (value: unknown): value is (error: unknown, result?: QueryResult) => void => typeof value === 'function'

/** Opens a connection outside of the pools. */
export async function connectClient(config: ServiceClientConfig, onError: (error: Error) => void): Promise<Client> {
  const client = new ServiceClient(config)
  client.on('error', onError)
  await client.connect()
  try {
    await client.applySettings()
  } catch (error) {
    await client.end()
    throw error
  }
  return client
}
