import { Problem } from '../../lib/problem.ts'

/** Runs work with a limit on concurrency. */
export type PasswordGate = <Result>(work: () => Promise<Result>) => Promise<Result>

/**
 * Creates a gate for password hashing, which deliberately costs memory and a core: at most `concurrency` calls run and `queue` calls
 * wait. Further calls fail immediately instead of delaying everybody.
 * @throws Problem temporarily_unavailable with Retry-After, from the gate
 */
export function createPasswordGate({ concurrency, queue }: { concurrency: number; queue: number }): PasswordGate {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running < concurrency) running++
    else if (waiting.length < queue) await new Promise<void>((resolve) => waiting.push(resolve))
    else throw new Problem('temporarily_unavailable', { headers: { 'Retry-After': '2' } })
    try {
      return await work()
    } finally {
      // The slot passes to the next waiting call directly, so that no later call can take it first.
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
