import { type FreeSeats, fillFreeSeats } from '../domain/events/fillFreeSeats.ts'
import type { Database } from '../store/database.ts'
import type { Job } from './schedule.ts'

const batch = 500

/** Returns the job that gives seats to waitlists which unpaid, expired and refunded orders released. */
export function eventSeatJobs({
  database,
  schools,
  send,
}: Pick<FreeSeats, 'send'> & { database: Database; schools(): Promise<FreeSeats['schools']> }): Job[] {
  return [
    {
      name: 'fill_event_seats',
      everySeconds: 60,
      run: () =>
        database.exclusively('fill_event_seats', async () => {
          const found = await schools()
          // Not repeated until nothing is left: an event whose next party needs more seats than are free stays in the list.
          return { filled: await database.transaction((writer) => fillFreeSeats(writer, { schools: found, send, limit: batch })) }
        }),
    },
  ]
}
