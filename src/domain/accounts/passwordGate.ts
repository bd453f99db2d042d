import { Problem } from '../../lib/problem.ts'

/** Runs work with a limit on concurrency. */
export type PasswordGate = <Result>(work: () => Promise<Result>) => Promise<Result>

/** Reports how busy a gate is. */
export interface PasswordGateState {
  running: number
  waiting: number
}

/**
 * Creates a gate for password hashing, which deliberately costs memory and a core: at most `concurrency` calls run and `queue` calls
 * wait. Further calls fail immediately instead of delaying everybody.
 * @throws Problem temporarily_unavailable with Retry-After, from the gate
 */
export function createPasswordGate({
  concurrency,
  queue,
  onRefused,
}: {
  concurrency: number
  queue: number
  /** Called for each call that fails because the queue is full. */
  onRefused?: () => void
}): PasswordGate & { state(): PasswordGateState } {
  const waiting: (() => void)[] = []
  let running = 0
  const gate: PasswordGate = async (work) => {
    if (running < concurrency) running++
    else if (waiting.length < queue) await new Promise<void>((resolve) => waiting.push(resolve))
    else {
      onRefused?.()
      throw new Problem('temporarily_unavailable', { headers: { 'Retry-After': '2' } })
    }
    try {
      return await work()
    } finally {
      // The slot passes to the next waiting call directly, so that no later call can take it first.
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
  return Object.assign(gate, { state: () => ({ running, waiting: waiting.length }) })
}
