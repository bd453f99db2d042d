import type { Context, Middleware } from 'koa'
import { respondWithProblem } from '../../base/http/problems.ts'
import { Problem } from '../../base/problem.ts'

/** The requests of the private port that use the stores. */
export interface PrivateRequests {
  /** Returns a handler that counts the requests of these handlers, and refuses them after `close`. */
  guard(handlers: readonly Middleware[]): Middleware[]
  /** Refuses new requests with 503. Resolves when those in flight are done, or when they are cut off. */
  close(cutOff: AbortSignal): Promise<void>
}

/** Lets the requests of the private port end before the stores are closed. The port stays open longer, for `/livez` and `/readyz`. */
export function createPrivateRequests(): PrivateRequests {
  const running = new Set<Promise<void>>()
  let isClosed = false
  return {
    guard: ([handler, ...others]) => {
      if (!handler) return []
      const all = [handler, ...others]
      return [
        async (ctx, next) => {
          if (isClosed) return refuse(ctx)
          const work = callEach(all, ctx, next)
          running.add(work)
          try {
            await work
          } finally {
            running.delete(work)
          }
        },
      ]
    },
    async close(cutOff) {
      isClosed = true
      const { promise, resolve } = Promise.withResolvers<void>()
      cutOff.addEventListener('abort', () => resolve())
      if (!cutOff.aborted) await Promise.race([Promise.allSettled(running), promise])
    },
  }
}

async function callEach([handler, ...others]: readonly Middleware[], ctx: Context, next: () => Promise<unknown>): Promise<void> {
  await (handler ? handler(ctx, () => callEach(others, ctx, next)) : next())
}

const refuse = (ctx: Context): void =>
  void respondWithProblem(ctx, new Problem('temporarily_unavailable', { headers: { 'Retry-After': '1', Connection: 'close' } }))
