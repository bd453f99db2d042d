import { type ClientConfig, Pool, type PoolClient } from 'pg'
import { isOutdatedPlan } from '../lib/outage.ts'
import type { Pulse } from './pulse.ts'
import type { TransactionGuard } from './transactionGuard.ts'

export interface GuardedPoolOptions {
  config: ClientConfig
  size: number
  guard: TransactionGuard
  pulse: Pick<Pulse, 'assertAlive' | 'suspect'>
  onError(error: Error): void
}

/** How long a connection may be in use, or be waited for, before the server is suspected not to respond. */
const suspiciousMs = 1000
const lookEveryMs = 250
/** How often all connections may be replaced while a server refuses writes. */
const replaceEveryMs = 1000
/** A session keeps the setting that it began with. */
const readOnly = '25006'

/**
 * A pool that never hands out a connection inside a transaction, where it could wait for itself, nor one that belongs to a server as it was
 * before a failure, and that does not wait for a server that has stopped responding.
 */
export class GuardedPool extends Pool {
  readonly #guard: TransactionGuard
  readonly #pulse: GuardedPoolOptions['pulse']
  readonly #generations = new WeakMap<object, number>()
  readonly #inUse = new Map<PoolClient, number>()
  #generation = 0
  #replacedAt = 0
  #watch: NodeJS.Timeout | undefined
  #waitingSince: number | undefined

  constructor({ config, size, guard, pulse, onError }: GuardedPoolOptions) {
    super({ ...config, max: size })
    this.#guard = guard
    this.#pulse = pulse
    this.on('error', onError)
    this.on('connect', (client) => {
      this.#generations.set(client, this.#generation)
      // A connection that is lost while a transaction holds it reports it nowhere else: without a listener it would end the process.
      client.on('error', onError)
      client.connection.on('errorMessage', (error: { code?: string; message?: string }) => {
        // A connection keeps the plans of its named statements: after a migration only new ones have the right plans.
        if (isOutdatedPlan(error)) this.replaceAll()
        else if (error.code === readOnly) this.#replaceAtIntervals()
      })
    })
    this.on('acquire', (client) => this.#inUse.set(client, performance.now()))
    this.on('release', (_error, client) => this.#inUse.delete(client))
    this.on('remove', (client) => this.#inUse.delete(client))
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

  get figures() {
    return { max: this.options.max, inUse: this.#inUse.size, idle: this.idleCount, waiting: this.waitingCount }
  }

  /** Connections that are open now are not used again. */
  replaceAll(): void {
    this.#generation += 1
    this.#replacedAt = performance.now()
  }

  /** Ends the connections in use: whatever waits for a response on them fails. */
  cutOff(): void {
    this.replaceAll()
    for (const client of this.#inUse.keys()) client.connection.stream.destroy()
  }

  override async end(): Promise<void> {
    clearInterval(this.#watch)
    await super.end()
  }

  async #take(): Promise<PoolClient> {
    this.#pulse.assertAlive()
    this.#watch ??= setInterval(() => this.#look(), lookEveryMs).unref()
    for (;;) {
      const client = await super.connect()
      if (this.#generations.get(client) === this.#generation) return client
      client.release(true)
    }
  }

  #look(): void {
    const now = performance.now()
    this.#waitingSince = this.waitingCount === 0 ? undefined : (this.#waitingSince ?? now)
    const [oldest = now] = this.#inUse.values()
    if (now - Math.min(oldest, this.#waitingSince ?? now) > suspiciousMs) this.#pulse.suspect()
  }

  #replaceAtIntervals(): void {
    if (performance.now() - this.#replacedAt > replaceEveryMs) this.replaceAll()
  }
}
