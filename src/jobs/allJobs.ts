import { type AppJobArguments, appJobs } from './apps.ts'
import { eventSeatJobs } from './eventSeats.ts'
import { type EventJobArguments, eventJobs } from './events.ts'
import { fileJobs } from './files.ts'
import { type FormJobArguments, formJobs } from './forms.ts'
import { learningJobs } from './learning.ts'
import { type NotificationJobArguments, notificationJobs } from './notifications.ts'
import { orderJobs } from './orders.ts'
import { postJobs } from './posts.ts'
import { rollupJobs } from './rollups.ts'
import type { Job } from './schedule.ts'
import { subscriptionJobs } from './subscriptions.ts'
import { type SweepArguments, sweepJobs } from './sweep.ts'

type JobArguments = SweepArguments &
  Parameters<typeof fileJobs>[0] &
  Parameters<typeof eventSeatJobs>[0] &
  FormJobArguments &
  NotificationJobArguments &
  AppJobArguments &
  EventJobArguments

/** Returns the jobs of every topic. The service schedules them, and `schoolgate jobs` runs single ones. */
export const allJobs = (args: JobArguments): Job[] => [
  ...sweepJobs(args),
  ...fileJobs(args),
  ...subscriptionJobs(args),
  ...learningJobs(args),
  ...orderJobs(args),
  ...rollupJobs(args),
  ...postJobs(args),
  ...eventSeatJobs(args),
  ...formJobs(args),
  ...appJobs(args),
  ...eventJobs(args),
  ...notificationJobs(args),
]
