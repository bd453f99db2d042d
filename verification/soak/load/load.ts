import { setTimeout as delay } from 'node:timers/promises'
import { createRandom } from '../../seededRandom.ts'
import type { Target } from '../installation.ts'
import type { Ledger } from '../ledger.ts'
import type { Monitor } from '../monitor.ts'
import { createSender, NotServed, Unexpected } from '../send.ts'
import { browsers } from './browsers.ts'
import { createCallers } from './callers.ts'
import { chains } from './chains.ts'
import { checks } from './checker.ts'
import type { LoadContext, LoadKind } from './context.ts'
import { feed } from './feed.ts'
import { orders } from './orders.ts'
import { readers, visitors } from './visitors.ts'
import { bulk, progress, titles, uploads } from './writers.ts'

export interface Load {
  context: LoadContext
  /** Lets every step end, and begins no other. Resolves when nothing is in flight. */
  pause(): Promise<void>
  resume(): void
  /** Reads the change feed to its end. */
  readFeed(): Promise<void>
  stop(): Promise<void>
}

export interface LoadArguments {
  installation: Target
  ledger: Ledger
  monitor: Monitor
  seed: number
}

/** Signs in, and starts every kind of load, paused. */
export async function createLoad({ installation, ledger, monitor, seed }: LoadArguments): Promise<Load> {
  const sender = createSender(installation.issuer, monitor)
  const callers = await createCallers(sender, { monitor, issuer: installation.issuer })
  const random = createRandom(`load ${seed}`)
  const context: LoadContext = {
    ...{ ...sender, installation, ledger, monitor, random, callers },
    async as(role, sending) {
      for (;;) {
        const { access } = callers.token(role)
        const headers = { ...sending.headers, authorization: `Bearer ${access}` }
        const sent = await sender.insist({ ...sending, headers, expected: [...sending.expected, 401] })
        if (sent.status !== 401) return sent
        await callers.renew(role, access)
      }
    },
  }
  const changes = await feed(context)
  const kinds: LoadKind[] = [
    visitors(context),
    readers(context),
    titles(context),
    bulk(context),
    await progress(context),
    uploads(context),
    orders(context),
    chains(context),
    browsers(context),
    checks(context),
    changes,
  ]

  let state: 'running' | 'paused' | 'stopped' = 'paused'
  let gate = Promise.withResolvers<void>()
  let inFlight = 0
  async function loop({ name, everyMs, step }: LoadKind): Promise<void> {
    for (;;) {
      if (state === 'paused') await gate.promise
      if (state === 'stopped') return
      const start = performance.now()
      inFlight += 1
      try {
        await step()
      } catch (error) {
        // A later step repeats requests that were not served; unexpected responses have been reported.
        if (!(error instanceof NotServed || error instanceof Unexpected))
          monitor.report(`${name}: ${String(error)}`, (error as Error).stack)
      } finally {
        inFlight -= 1
      }
      await delay(Math.max(1, everyMs - (performance.now() - start)))
    }
  }
  const loops = kinds.flatMap((kind) => Array.from({ length: kind.loops }, () => loop(kind)))

  return {
    context,
    async pause() {
      if (state === 'running') state = 'paused'
      while (inFlight > 0) await delay(20)
    },
    resume() {
      state = 'running'
      gate.resolve()
      gate = Promise.withResolvers()
    },
    readFeed: () => changes.readAll(),
    async stop() {
      state = 'stopped'
      gate.resolve()
      await Promise.all(loops)
    },
  }
}
