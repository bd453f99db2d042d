import { type ReminderArguments, sendEventReminders } from '../domain/events/eventReminders.ts'
import type { Database } from '../store/database.ts'
import { drain } from './drain.ts'
import type { Job } from './schedule.ts'

export interface EventJobArguments extends Pick<ReminderArguments, 'send'> {
  database: Database
  schools(): Promise<ReminderArguments['schools']>
}

const batch = 200

/** Returns the job that reminds people of the events at which they have a seat. */
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
  ]
}
