import { setImmediate } from 'node:timers/promises'
import type { Database, Writer } from '../../database/connection/database.ts'

const longestRunMs = 20_000

/**
 * Repeats a batch until it processes fewer than `least` items, and returns the total. Yields to other work between batches. Ends early
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

/** Repeats a batch, each in a separate transaction. */
export const drainIn = (database: Database, batch: (writer: Writer) => Promise<number>, signal?: AbortSignal): Promise<number> =>
  drain(() => database.transaction(batch), signal)
