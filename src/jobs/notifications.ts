import type { Database } from '../store/database.ts'
import { drain } from './drain.ts'
import { type NotificationArguments, sendNotifications } from './due/notifications.ts'
import type { Job } from './schedule.ts'

export interface NotificationJobArguments extends Pick<NotificationArguments, 'send' | 'hasPages'> {
  database: Database
  schools(): Promise<NotificationArguments['schools']>
}

const batch = 200

/** Returns the job that writes the e-mails about news: posts, lessons, results, replies, receipts. */
export function notificationJobs({ database, schools, send, hasPages }: NotificationJobArguments): Job[] {
  return [
    {
      name: 'send_notifications',
      everySeconds: 10,
      run: (signal) =>
        database.exclusively('send_notifications', async () => {
          const args = { schools: await schools(), send, hasPages, limit: batch }
          const failures: unknown[] = []
          const handled = await drain(async () => {
            const { isDue, failure } = await sendNotifications(database, args)
            if (failure !== undefined) failures.push(failure)
            return Number(isDue)
          }, signal)
          if (failures.length > 0) throw new AggregateError(failures, `writing e-mails about news failed ${failures.length} times`)
          return { handled }
        }),
    },
  ]
}
