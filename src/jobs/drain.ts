import { setImmediate } from 'node:timers/promises'

/** How long one run of a job may take. What is left is done by the next run. */
const longestRunMs = 20_000

/**
 * Repeats a batch until it does less than `least`, and returns how much was done. Between batches everybody else gets a turn. Ends early
 * when the signal aborts.
 */
export async function drain(batch: () => Promise<number>, signal?: AbortSignal, least = 1): Promise<number> {
  const end = performance.now() + longestRunMs
  let total = 0
  for (;;) {
    const done = await batch()
    total += done
    if (done < least || signal?.aborted || performance.now() > end) return total
    await setImmediate()
  }
}
