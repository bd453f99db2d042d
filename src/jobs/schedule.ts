import type { Log } from '../lib/log.ts'

export interface Job {
  name: string
  everySeconds: number
  /** A first turn sooner than that, for work that should not wait. */
  firstAfterSeconds?: number
  /** Returns what it did, for the log; undefined when another instance is running it. Ends soon after the signal aborts. */
  run(signal?: AbortSignal): Promise<Record<string, number> | undefined>
}

/** Runs each job again and again until stopped. A job that fails is logged and tried at its next turn. */
export function schedule(jobs: readonly Job[], log: Log): { stop(): Promise<void> } {
  const running = new Set<Promise<void>>()
  const stopping = new AbortController()
  const turn = async (job: Job): Promise<void> => {
    try {
      const done = await job.run(stopping.signal)
      if (done && Object.values(done).some((count) => count > 0)) log.info({ job: job.name, ...done }, 'job done')
    } catch (error) {
      log.error({ err: error, job: job.name }, 'job failed')
    }
  }
  const begin = (job: Job): void => {
    const current = turn(job).finally(() => running.delete(current))
    running.add(current)
  }
  const timers = jobs.flatMap((job) => [
    setInterval(begin, job.everySeconds * 1000, job),
    ...(job.firstAfterSeconds === undefined ? [] : [setTimeout(begin, job.firstAfterSeconds * 1000, job)]),
  ])
  for (const timer of timers) timer.unref()
  return {
    async stop() {
      stopping.abort()
      // One call clears timers of either kind.
      for (const timer of timers) clearTimeout(timer)
      await Promise.all(running)
    },
  }
}
