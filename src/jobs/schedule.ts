import type { Log } from '../lib/log.ts'

export interface Job {
  name: string
  everySeconds: number
  /** Answers what it did, for the log; undefined where another instance is at it. */
  run(): Promise<Record<string, number> | undefined>
}

/** Runs each job again and again until stopped. A job that fails is logged and tried at its next turn. */
export function schedule(jobs: readonly Job[], log: Log): { stop(): Promise<void> } {
  const running = new Set<Promise<void>>()
  const turn = async (job: Job): Promise<void> => {
    try {
      const done = await job.run()
      if (done && Object.values(done).some((count) => count > 0)) log.info({ job: job.name, ...done }, 'job done')
    } catch (error) {
      log.error({ err: error, job: job.name }, 'job failed')
    }
  }
  const timers = jobs.map((job) =>
    setInterval(() => {
      const current = turn(job).finally(() => running.delete(current))
      running.add(current)
    }, job.everySeconds * 1000).unref(),
  )
  return {
    async stop() {
      for (const timer of timers) clearInterval(timer)
      await Promise.all(running)
    },
  }
}
