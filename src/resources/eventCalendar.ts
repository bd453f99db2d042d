import type { Representation } from '../framework/declare/representation.ts'
import { type CalendarEntry, iCalendar } from '../lib/iCalendar.ts'

type Body = Readonly<Record<string, unknown>>
type Place = { name: string; address: string | null; latitude: number | null; longitude: number | null } | null

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

function entryOf(body: Body, hostname: string): CalendarEntry {
  const place = (body.location ?? null) as Place
  const isPlaced = place !== null && place.latitude !== null && place.longitude !== null
  return {
    uid: `${body.id}@${hostname}`,
    changedAt: body.updated_at as string,
    createdAt: body.created_at as string,
    startsAt: body.starts_at as string,
    endsAt: body.ends_at as string,
    title: body.title as string,
    description: (body.description ?? null) as string | null,
    location: place && [place.name, place.address].filter((line) => line !== null).join(', '),
    position: isPlaced ? { latitude: place.latitude as number, longitude: place.longitude as number } : null,
    url: (body.join_url ?? null) as string | null,
    isCanceled: body.status === 'canceled',
  }
}
