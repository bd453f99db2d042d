import type { Database } from '../store/database.ts'
import { drain } from './drain.ts'
import { expireOrders } from './due/expireOrders.ts'
import type { Job } from './schedule.ts'

const batch = 500

/** Returns the job that expires overdue checkouts and releases the coupons that they reserved. */
export function orderJobs({ database }: { database: Database }): Job[] {
  return [
    {
      name: 'expire_orders',
      everySeconds: 60,
      run: (signal) =>
        database.exclusively('expire_orders', async () => ({
          expired: await drain(() => database.transaction((writer) => expireOrders(writer, { now: new Date(), limit: batch })), signal),
        })),
    },
  ]
}
