import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Milliseconds between two looks at the process. */
const intervalMs = 15_000
/** A process is idle while its event loop works for less than this share of the time. */
const maxShare = 0.05
/** A smaller growth of the heap, in bytes, is not worth the pause. */
const minGrowth = 16 * 2 ** 20
/** A process with a few requests is idle between them: it must not pause again and again. Ten minutes. */
const restLooks = 600_000 / intervalMs

/** The process, as the collection sees it. */
export interface IdleProcess {
  /** The share of the time for which the event loop has worked since the last call. */
  share(): number
  /** The total size of the heap in bytes, free space included. */
  heapSize(): number
  collect(): void
}

/**
 * Collects garbage when the process is idle for the first time after its start, and when it is idle again after its heap has grown, at most
 * every ten minutes. V8 keeps the memory of a burst of work until it needs to collect, so a process at rest occupies about a third more. A
 * collection pauses the process for some tenths of a second.
 */
export function collectWhenIdle(idle: IdleProcess = thisProcess()): void {
  let collected = 0
  let looks = restLooks
  setInterval(() => {
    looks += 1
    const isIdle = idle.share() <= maxShare
    if (!isIdle || looks < restLooks || idle.heapSize() - collected < minGrowth) return
    idle.collect()
    collected = idle.heapSize()
    looks = 0
  }, intervalMs).unref()
}

function thisProcess(): IdleProcess {
  let last: EventLoopUtilization = performance.eventLoopUtilization()
  return {
    share() {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, last)
      last = now
      return utilization
    },
    heapSize: () => getHeapStatistics().total_heap_size,
    collect: garbageCollector(),
  }
}

/** Returns the collector of V8. The option is reset, because the cache of compiled code belongs to a set of options. */
export function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  return collect
}
