import { advanceSubscriptions, closeOutstanding } from '../domain/memberships/advanceSubscriptions.ts'
import type { Database } from '../store/database.ts'
import { drain } from './drain.ts'
import type { Job } from './schedule.ts'

const batch = 500

/** The clocks of subscriptions: trials, periods, payments that did not come, pauses that are over. */
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
