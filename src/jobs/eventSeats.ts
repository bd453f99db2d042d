import type { Database } from '../store/database.ts'
import { type EventKey, type FreeSeats, fillFreeSeats } from './due/fillFreeSeats.ts'
import type { Job } from './schedule.ts'

const batch = 100

/**
 * Returns the job that gives free seats to waitlists: those that unpaid, expired and refunded orders released, and those that people from a
 * waitlist did not pay for in time.
 */
export function eventSeatJobs({
  database,
  schools,
  externalServices,
}: Pick<FreeSeats, 'externalServices'> & { database: Database; schools(): Promise<FreeSeats['schools']> }): Job[] {
  return [
    {
      name: 'fill_event_seats',
      everySeconds: 60,
      run: (signal) =>
        database.exclusively('fill_event_seats', async () => {
          const found = await schools()
          let promoted = 0
          let after: EventKey | undefined
          do {
            const page = { schools: found, externalServices, limit: batch, after }
            const done = await database.transaction((writer) => fillFreeSeats(writer, page))
            promoted += done.promoted
            after = done.last
          } while (after !== undefined && signal?.aborted !== true)
          return { promoted }
        }),
    },
  ]
}
