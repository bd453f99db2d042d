import { AsyncLocalStorage } from 'node:async_hooks'
import { Pool, type PoolClient } from 'pg'
import { errorCode } from '../../base/log/errorCode.ts'
import { isLostConnection, isOutdatedPlan, outage } from '../../base/process/outage.ts'
import type { Pulse } from './pulse.ts'
import { isSilence, ServiceClient, type ServiceClientConfig } from './serviceClient.ts'

export interface ServicePoolOptions {
  config: ServiceClientConfig
  size: number
  guard: TransactionGuard
  pulse: Pick<Pulse, 'assertAlive' | 'suspect'>
  onError(error: Error): void
}

/** How long a connection may be in use, or be waited for, before the server is suspected not to respond. */
const suspiciousMs = 1000
const pollIntervalMs = 250
/** How often all connections may be replaced while a server refuses writes. */
const replaceEveryMs = 1000
/** A new connection costs as much CPU as a hundred prepared statements: it starts a process of PostgreSQL and prepares each statement again. */
const idleMs = 300_000
/** A session keeps the setting that it began with. */
const readOnly = '25006'

/**
 * A pool that never hands out a connection inside a transaction, where it could wait for itself, nor one that is lost or belongs to a server
 * as it was before a failure, and that does not wait for a server that has stopped responding.
 */
export class ServicePool extends Pool {
  readonly #guard: TransactionGuard
  readonly #pulse: ServicePoolOptions['pulse']
  readonly #inUse = new Map<PoolClient, number>()
  #usable = new WeakSet<object>()
  #replacedAt = 0
  #poll: NodeJS.Timeout | undefined
  #waitingSince: number | undefined

  constructor({ config, size, guard, pulse, onError }: ServicePoolOptions) {
    class PooledClient extends ServiceClient {
      constructor() {
        super(config)
      }
    }
    super({
      ...config,
      max: size,
      idleTimeoutMillis: idleMs,
      Client: PooledClient,
      onConnect: (client) => client instanceof ServiceClient && client.applySettings(),
    })
    this.#guard = guard
    this.#pulse = pulse
    // The connection reports its loss itself, also while it is in use.
    this.on('error', () => undefined)
    this.on('connect', (client) => {
      this.#usable.add(client)
      client.on('error', onError)
      if (client instanceof ServiceClient) client.onFailure = (error) => this.#onFailure(client, error)
    })
    this.on('acquire', (client) => this.#inUse.set(client, performance.now()))
    this.on('release', (_error, client) => this.#inUse.delete(client))
  }

  override connect(): Promise<PoolClient>
  override connect(callback: Parameters<Pool['connect']>[0]): void
  override connect(callback?: Parameters<Pool['connect']>[0]): Promise<PoolClient> | undefined {
    this.#guard.assertOutside('the database')
    if (!callback) return this.#take()
    this.#take().then(
      (client) => callback(undefined, client, client.release),
      (error: Error) => callback(error, undefined, () => undefined),
    )
    return undefined
  }

  /** Runs one statement. Not `query`, which throws the connection away on every error, also on a unique violation. */
  async rowsOf<Row extends object>(text: string, values: readonly unknown[] = [], name?: string): Promise<Row[]> {
    const client = await this.connect()
    try {
      return (await client.query<Row>({ text, values: [...values], ...(name !== undefined && { name }) })).rows
    } finally {
      client.release(!this.#usable.has(client))
    }
  }

  get figures() {
    return { max: this.options.max, inUse: this.#inUse.size, idle: this.idleCount, waiting: this.waitingCount }
  }

  /** Connections that are open now are not used again. */
  replaceAll(): void {
    this.#usable = new WeakSet()
    this.#replacedAt = performance.now()
  }

  /** Ends the connections in use: whatever waits for a response on them fails. */
  cutOff(): void {
    this.replaceAll()
    for (const client of this.#inUse.keys()) client.connection.stream.destroy()
  }

  override async end(): Promise<void> {
    clearInterval(this.#poll)
    await super.end()
  }

  async #take(): Promise<PoolClient> {
    this.#pulse.assertAlive()
    this.#poll ??= setInterval(() => this.#look(), pollIntervalMs).unref()
    for (;;) {
      const client = await super.connect()
      if (this.#usable.has(client)) return client
      client.release(true)
    }
  }

  #look(): void {
    const now = performance.now()
    this.#waitingSince = this.waitingCount === 0 ? undefined : (this.#waitingSince ?? now)
    const [oldest = now] = this.#inUse.values()
    if (now - Math.min(oldest, this.#waitingSince ?? now) > suspiciousMs) this.#pulse.suspect()
  }

  #onFailure(client: ServiceClient, error: unknown): void {
    if (isLostConnection(error)) this.#usable.delete(client)
    // After silence: the others have been idle for as long, on the same network. After a migration: only new connections have the right plans.
    if (isSilence(error) || isOutdatedPlan(error)) this.replaceAll()
    else if (errorCode(error) === readOnly && performance.now() - this.#replacedAt > replaceEveryMs) this.replaceAll()
  }
}

export type Queue = <Result>(work: () => Promise<Result>) => Promise<Result>

/**
 * A queue with so many places, first come, first served. Work that finds no place within `timeoutMs` fails as an outage; without a limit
 * it waits.
 */
export function createQueue({ places, timeoutMs, name }: { places: number; timeoutMs?: number; name: string }): Queue {
  const waiting: (() => void)[] = []
  let free = places

  async function takePlace(): Promise<void> {
    if (free > 0) {
      free -= 1
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    waiting.push(resolve)
    const giveUp = (): void => {
      waiting.splice(waiting.indexOf(resolve), 1)
      reject(outage(`${name}: no free place within ${timeoutMs} ms`))
    }
    const timer = timeoutMs === undefined ? undefined : setTimeout(giveUp, timeoutMs)
    await promise.finally(() => clearTimeout(timer))
  }

  return async (work) => {
    await takePlace()
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free += 1
    }
  }
}

/** Functions to call after the commit of one transaction. */
export type AfterCommit = (() => void)[]

/** Knows whether the running code is inside a transaction of one database. */
export interface TransactionGuard {
  /** @throws Error inside a transaction: `handle` says what was asked for. */
  assertOutside(handle: string): void
  /** Runs `work` as the inside of a transaction. Code that outlives it is outside again. */
  inside<Result>(work: () => Promise<Result>, after?: AfterCommit): Promise<Result>
  /** Runs `work` after the surrounding transaction is committed; immediately outside of a transaction. */
  afterCommit(work: () => void): void
}

/**
 * Creates a guard for one database. The embedded database has one connection: code that requests a second one inside a transaction
 * waits forever. Both databases fail immediately, so that such code fails in every test and not only on a small installation.
 */
export function createTransactionGuard(): TransactionGuard {
  const storage = new AsyncLocalStorage<{ open: boolean; after: AfterCommit }>()
  return {
    assertOutside(handle) {
      if (storage.getStore()?.open) {
        throw new Error(
          `${handle} was used inside a transaction, where it would wait for the transaction that waits for it. ` +
            'Use the writer or the sql that the transaction was given.',
        )
      }
    },
    afterCommit(work) {
      const scope = storage.getStore()
      if (scope?.open) scope.after.push(work)
      else work()
    },
    inside(work, after = []) {
      const scope = { open: true, after }
      return storage.run(scope, async () => {
        try {
          return await work()
        } finally {
          scope.open = false
        }
      })
    },
  }
}
