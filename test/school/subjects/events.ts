import { fromPublicId } from '../../../src/base/ids.ts'
import type { Exceptions } from '../derived/exceptions.ts'

export const exceptions: Exceptions = {
  before: {
    /** The kind of the example is online. */
    publishEvent: ({ send }, event) => send('updateEvent', event, { join_url: 'https://meet.school.example/kiln' }),
    /** The event has begun, and somebody has a seat. */
    async recordAttendance({ database, send }, event) {
      await send('createRsvp', event)
      await database.sql.query(`UPDATE event SET starts_at = now() - interval '1 hour' WHERE id = $1`, [fromPublicId('evt', event)])
    },
  },
  bodies: {
    async recordAttendance({ get }, event) {
      const { data } = await get(`events/${event}/rsvps`)
      return { attended: (data as { id: string }[]).map(({ id }) => id) }
    },
  },
}
