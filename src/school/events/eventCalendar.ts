import { z } from 'zod'
import { type CalendarEntry, iCalendar } from '../../base/text/iCalendar.ts'
import { textLinesOfHtml } from '../../base/text/sanitisedHtml.ts'
import type { Representation, RepresentedRow } from '../../engine/declare/representation.ts'
import { sitePath } from '../../engine/sitePaths.ts'

/** Writes events as an iCalendar file (RFC 5545), with the fields that the caller sees. */
export const calendar: Representation = {
  type: 'text/calendar',
  maxRows: 1000,
  example: 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//school.example//Schoolgate//EN\r\nEND:VCALENDAR\r\n',
  write: (rows, { school, externalServices }) =>
    iCalendar(
      `-//${new URL(school.issuer).hostname}//Schoolgate//EN`,
      rows.map((row) => entryOf(row, { issuer: school.issuer, hasPages: externalServices.hasPages(school) })),
    ),
}

const text = z.string().nullable().default(null)

/** The fields of an event that an entry shows. Fields that the caller does not see are absent. */
const shown = z.object({
  id: z.string(),
  title: z.string(),
  slug: z.string(),
  status: z.string(),
  description: text,
  description_html: text,
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

export interface CalendarSchool {
  issuer: string
  hasPages: boolean
}

/** Returns the entry of an event, with the fields that its reader sees. Its URL is the way in, or else its page. */
export function entryOf({ body, version }: RepresentedRow, { issuer, hasPages }: CalendarSchool): CalendarEntry {
  const { location, description_html: html, ...event } = shown.parse(body)
  const { latitude = null, longitude = null } = location ?? {}
  return {
    uid: `${event.id}@${new URL(issuer).hostname}`,
    sequence: version,
    changedAt: event.updated_at,
    createdAt: event.created_at,
    startsAt: event.starts_at,
    endsAt: event.ends_at,
    title: event.title,
    description: html === null ? event.description : textLinesOfHtml(html),
    html,
    location: location && [location.name, location.address].filter((line) => line !== null).join(', '),
    position: latitude === null || longitude === null ? null : { latitude, longitude },
    url: event.join_url ?? (hasPages ? issuer + sitePath('events', event.slug) : null),
    isCanceled: event.status === 'canceled',
  }
}
