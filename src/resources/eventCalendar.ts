import { z } from 'zod'
import type { Representation } from '../framework/declare/representation.ts'
import { type CalendarEntry, iCalendar } from '../lib/iCalendar.ts'

type Body = Readonly<Record<string, unknown>>

/** Writes events as an iCalendar file (RFC 5545), with the fields that the caller sees. */
export const calendar: Representation = {
  type: 'text/calendar',
  maxRows: 1000,
  example: 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//school.example//Schoolgate//EN\r\nEND:VCALENDAR\r\n',
  write: (bodies, { school }) => {
    const { hostname } = new URL(school.issuer)
    return iCalendar(
      `-//${hostname}//Schoolgate//EN`,
      bodies.map((body) => entryOf(body, hostname)),
    )
  },
}

const text = z.string().nullable().default(null)

/** The fields of an event that an entry shows. Fields that the caller does not see are absent. */
const shown = z.object({
  id: z.string(),
  title: z.string(),
  status: z.string(),
  description: text,
  join_url: text,
  created_at: z.string(),
  updated_at: z.string(),
  starts_at: z.string(),
  ends_at: z.string(),
  location: z
    .object({
      name: z.string(),
      address: text,
      latitude: z.number().nullable().default(null),
      longitude: z.number().nullable().default(null),
    })
    .nullable()
    .default(null),
})

/** Returns the entry of an event, with the fields that its reader sees. */
export function entryOf(body: Body, hostname: string): CalendarEntry {
  const { location, ...event } = shown.parse(body)
  const { latitude = null, longitude = null } = location ?? {}
  return {
    uid: `${event.id}@${hostname}`,
    changedAt: event.updated_at,
    createdAt: event.created_at,
    startsAt: event.starts_at,
    endsAt: event.ends_at,
    title: event.title,
    description: event.description,
    location: location && [location.name, location.address].filter((line) => line !== null).join(', '),
    position: latitude === null || longitude === null ? null : { latitude, longitude },
    url: event.join_url,
    isCanceled: event.status === 'canceled',
  }
}
