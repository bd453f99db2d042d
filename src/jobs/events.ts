import type { Database } from '../store/database.ts'
import { drain } from './drain.ts'
import { type ReminderArguments, sendEventReminders } from './due/eventReminders.ts'
import { sendMoveNotices } from './due/moveNotices.ts'
import type { Job } from './schedule.ts'

export interface EventJobArguments extends Pick<ReminderArguments, 'send'> {
  database: Database
  schools(): Promise<ReminderArguments['schools']>
}

const batch = 200

/** Returns the jobs that remind people of the events at which they have a seat, and notify them of a new time or place. */
export function eventJobs({ database, schools, send }: EventJobArguments): Job[] {
  return [
    {
      name: 'remind_of_events',
      everySeconds: 60,
      run: (signal) =>
        database.exclusively('remind_of_events', async () => {
          const found = await schools()
          const remind = () => database.transaction((writer) => sendEventReminders(writer, { schools: found, send, limit: batch }))
          return { reminded: await drain(remind, signal) }
        }),
    },
    {
      name: 'notify_of_moved_events',
      everySeconds: 30,
      run: (signal) =>
        database.exclusively('notify_of_moved_events', async () => {
          const found = await schools()
          const notify = () => database.transaction((writer) => sendMoveNotices(writer, { schools: found, send, limit: batch }))
          return { events: await drain(notify, signal) }
        }),
    },
  ]
}
