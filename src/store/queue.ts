import { outage } from '../lib/outage.ts'

/** Runs work when there is a free place. */
export type Queue = <Result>(work: () => Promise<Result>) => Promise<Result>

/**
 * A queue with so many places, first come, first served. Work that finds no place within `patienceMs` fails as an outage; without a limit
 * it waits.
 */
export function createQueue({ places, patienceMs, name }: { places: number; patienceMs?: number; name: string }): Queue {
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
      const index = waiting.indexOf(resolve)
      if (index < 0) return
      waiting.splice(index, 1)
      reject(outage(`${name}: no free place within ${patienceMs} ms`))
    }
    const timer = patienceMs === undefined ? undefined : setTimeout(giveUp, patienceMs)
    try {
      await promise
    } finally {
      clearTimeout(timer)
    }
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
