import { Problem } from '../../lib/problem.ts'

/** Runs work, a bounded amount at a time. */
export type PasswordGate = <Result>(work: () => Promise<Result>) => Promise<Result>

/**
 * Password hashing costs memory and a core on purpose: at most `concurrency` run at once and `queue` wait.
 * Whoever comes after that is sent away at once instead of making everybody wait.
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
      // The place is handed over, not freed: nobody who comes later can slip in between.
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
