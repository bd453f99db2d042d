import type { Log } from './log.ts'
import { Problem } from './problem.ts'

/** Runs tasks after the response, so that the response reveals neither their duration nor their outcome. */
export interface BackgroundTasks {
  /**
   * Enqueues a task. A failure is logged by the task's name, without its data.
   * @throws Problem temporarily_unavailable if the queue is full
   */
  run(name: string, work: () => Promise<void>): void
  /** Resolves when all enqueued tasks are done. */
  drained(): Promise<void>
}

/** Runs at most `concurrency` tasks at a time and queues at most `waiting`. */
export function createBackgroundTasks({
  log,
  concurrency = 4,
  waiting = 1000,
}: {
  log: Log
  concurrency?: number
  waiting?: number
}): BackgroundTasks {
  const queue: { name: string; work: () => Promise<void> }[] = []
  const idle: (() => void)[] = []
  let running = 0
  const next = async (): Promise<void> => {
    const task = queue.shift()
    if (task) {
      try {
        await task.work()
      } catch (error) {
        log.error({ err: error, task: task.name }, 'background task failed')
      }
      return next()
    }
    running -= 1
    if (running === 0) for (const resolve of idle.splice(0)) resolve()
  }
  return {
    run(name, work) {
      if (queue.length >= waiting) throw new Problem('temporarily_unavailable', { headers: { 'Retry-After': '5' } })
      queue.push({ name, work })
      if (running === concurrency) return
      running += 1
      // Deferred, so that the response goes first.
      setImmediate(() => void next())
    },
    drained: () => (running === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve))),
  }
}
