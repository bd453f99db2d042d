import type { Database } from '../store/database.ts'
import { drain } from './drain.ts'
import { advanceSubscriptions, closeOutstanding } from './due/advanceSubscriptions.ts'
import type { Job } from './schedule.ts'

const batch = 500

/** Returns the job that advances subscriptions: ends trials, periods and pauses, and closes subscriptions with overdue payments. */
export function subscriptionJobs({ database }: { database: Database }): Job[] {
  return [
    {
      name: 'advance_subscriptions',
      everySeconds: 60,
      run: (signal) =>
        database.exclusively('advance_subscriptions', async () => ({
          advanced: await drain(() => advanceSubscriptions(database, new Date(), batch), signal, batch),
          closed: await drain(() => closeOutstanding(database, new Date(), batch), signal, batch),
        })),
    },
  ]
}
