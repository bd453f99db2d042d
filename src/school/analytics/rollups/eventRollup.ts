import { aliased } from '../../../database/statements/columns.ts'
import { defineRollup } from './rollup.ts'

const eventRow = aliased('event', 'row')
const row = aliased('rsvp', 'row')
const event = aliased('event')

/** Counts of events. Attendance counts on the day on which the event began. */
export const eventRollup = defineRollup({
  table: 'analytics_daily_event',
  keys: ['event_id'],
  measures: ['published', 'rsvps', 'attended', 'no_show'],
  events: [
    {
      from: `${eventRow}`,
      at: eventRow.published_at,
      where: `${eventRow.status} <> 'draft'`,
      keys: { event_id: eventRow.id },
      adds: { published: '1' },
    },
    {
      from: `${row}`,
      at: row.created_at,
      where: `${row.status} <> 'canceled'`,
      keys: { event_id: row.event_id },
      adds: { rsvps: '1' },
    },
    {
      from: `${row} JOIN ${event} ON ${event.school_id} = ${row.school_id} AND ${event.id} = ${row.event_id}`,
      at: event.starts_at,
      where: `${row.status} IN ('attended', 'no_show')`,
      keys: { event_id: row.event_id },
      adds: {
        attended: `CASE ${row.status} WHEN 'attended' THEN 1 ELSE 0 END`,
        no_show: `CASE ${row.status} WHEN 'no_show' THEN 1 ELSE 0 END`,
      },
    },
  ],
})
