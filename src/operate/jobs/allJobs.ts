import { featureJobs } from './featureJobs.ts'
import type { JobContext, ScheduledWork } from './jobContext.ts'
import type { Job } from './schedule.ts'
import { sweepJobs } from './sweepJobs.ts'

const works: Record<string, ScheduledWork> = { ...sweepJobs, ...featureJobs }

/** Returns every job. The service schedules them, and `schoolgate jobs` runs single ones, each in one process at a time. */
export const allJobs = (context: JobContext): Job[] =>
  Object.entries(works).map(([name, { run, ...times }]) => ({
    name,
    ...times,
    run: (signal) => context.database.exclusively(name, () => run(context, signal)),
  }))
