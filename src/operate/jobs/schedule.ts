import type { Log } from '../../base/log/log.ts'
import { reasonOf } from '../../base/log/reason.ts'
import { isOutage } from '../../base/process/outage.ts'
import type { JobRun as FinishedRun } from '../../database/tables/jobRuns.ts'

export interface Job {
  name: string
  everySeconds: number
  /** Delay of the first run, if it should start earlier than `everySeconds`. */
  firstAfterSeconds?: number
  /** Returns counts for the log; undefined if another instance is running the job. Ends soon after the signal aborts. */
  run(signal?: AbortSignal): Promise<Record<string, number> | undefined>
}

/** How a run ended. `skipped`: another process was running the job. `unavailable`: a store did not respond. */
export const runOutcomes = ['success', 'failure', 'skipped', 'unavailable'] as const

export interface JobRun {
  job: string
  outcome: (typeof runOutcomes)[number]
  seconds: number
}

export interface RunListeners {
  onRun?: (run: JobRun) => void
  record?: (run: FinishedRun) => Promise<void>
}

/** Runs a job once, logs its result and reports it to the listeners. Never throws. */
export async function runJob(
  job: Job,
  log: Log,
  { signal, onRun = () => undefined, record }: RunListeners & { signal?: AbortSignal } = {},
): Promise<void> {
  const start = performance.now()
  const run = { name: job.name, everySeconds: job.everySeconds, startedAt: new Date() }
  const report = (outcome: JobRun['outcome']): void => onRun({ job: job.name, outcome, seconds: (performance.now() - start) / 1000 })
  const store = async (outcome: Pick<FinishedRun, 'result' | 'failure'>): Promise<void> => {
    await record?.({ ...run, ...outcome }).catch((error: unknown) => log.warn({ err: error, job: job.name }, 'job run not stored'))
  }
  try {
    const done = await job.run(signal)
    report(done ? 'success' : 'skipped')
    if (!done) return
    const isWork = Object.values(done).some((count) => count > 0)
    log[isWork ? 'info' : 'debug']({ job: job.name, ...done }, 'job done')
    await store({ result: done, failure: undefined })
  } catch (error) {
    report(isOutage(error) ? 'unavailable' : 'failure')
    log.error({ err: error, job: job.name }, 'job failed')
    await store({ result: undefined, failure: reasonOf(error) })
  }
}

/** Runs each job periodically until stopped. Logs a job that fails and retries it at its next run. */
export function schedule(jobs: readonly Job[], log: Log, listeners: RunListeners = {}): { stop(): Promise<void> } {
  const running = new Set<Promise<void>>()
  const stopping = new AbortController()
  const begin = (job: Job): void => {
    const current = runJob(job, log, { ...listeners, signal: stopping.signal }).finally(() => running.delete(current))
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
