import type { Metrics } from '../../base/http/metrics.ts'
import { type Job, type JobRun, runOutcomes } from '../jobs/schedule.ts'

export function jobFigures(metrics: Metrics, jobs: readonly Pick<Job, 'name' | 'everySeconds'>[]): (run: JobRun) => void {
  const startedAt = Date.now() / 1000
  const lastSuccess = new Map(jobs.map(({ name }) => [name, startedAt]))
  metrics.begin(
    'schoolgate_job_runs_total',
    jobs.flatMap(({ name }) => runOutcomes.map((outcome) => ({ job_name: name, outcome }))),
  )
  metrics.begin(
    'schoolgate_job_seconds_total',
    jobs.map(({ name }) => ({ job_name: name })),
  )
  metrics.collect((set) => {
    for (const [job_name, at] of lastSuccess) set('schoolgate_job_last_success_timestamp_seconds', { job_name }, at)
    for (const { name, everySeconds } of jobs) set('schoolgate_job_interval_seconds', { job_name: name }, everySeconds)
  })
  return ({ job: job_name, outcome, seconds }) => {
    metrics.add('schoolgate_job_runs_total', { job_name, outcome })
    metrics.add('schoolgate_job_seconds_total', { job_name }, seconds)
    if (outcome === 'success') lastSuccess.set(job_name, Date.now() / 1000)
  }
}
