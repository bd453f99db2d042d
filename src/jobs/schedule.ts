import type { Log } from '../lib/log.ts'

export interface Job {
  name: string
  everySeconds: number
  /** Delay of the first run, if it should start earlier than `everySeconds`. */
  firstAfterSeconds?: number
  /** Returns counts for the log; undefined if another instance is running the job. Ends soon after the signal aborts. */
  run(signal?: AbortSignal): Promise<Record<string, number> | undefined>
}

/** Runs each job periodically until stopped. Logs a job that fails and retries it at its next run. */
export function schedule(jobs: readonly Job[], log: Log): { stop(): Promise<void> } {
  const running = new Set<Promise<void>>()
  const stopping = new AbortController()
  const runOnce = async (job: Job): Promise<void> => {
    try {
      const done = await job.run(stopping.signal)
      if (done && Object.values(done).some((count) => count > 0)) log.info({ job: job.name, ...done }, 'job done')
    } catch (error) {
      log.error({ err: error, job: job.name }, 'job failed')
    }
  }
  const begin = (job: Job): void => {
    const current = runOnce(job).finally(() => running.delete(current))
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
      // clearTimeout also clears intervals.
      for (const timer of timers) clearTimeout(timer)
      await Promise.all(running)
    },
  }
}
