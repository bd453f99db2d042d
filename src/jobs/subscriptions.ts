import { advanceSubscriptions, closeOutstanding } from '../domain/memberships/clock.ts'
import type { Database } from '../store/database.ts'
import type { Job } from './schedule.ts'

const batch = 500

/** The clocks of subscriptions: trials, periods, payments that did not come, pauses that are over. */
export function subscriptionJobs({ database }: { database: Database }): Job[] {
  return [
    {
      name: 'advance_subscriptions',
      everySeconds: 60,
      run: () =>
        database.exclusively('advance_subscriptions', async () => ({
          advanced: await advanceSubscriptions(database, new Date(), batch),
          closed: await closeOutstanding(database, new Date(), batch),
        })),
    },
  ]
}
