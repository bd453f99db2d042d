import type { Rollup } from './rollup.ts'

const withEvent = 'JOIN event ON event.school_id = row.school_id AND event.id = row.event_id'

/** What became of events. Who came is booked on the day on which the event began. */
export const eventRollup: Rollup = {
  table: 'analytics_daily_event',
  keys: ['event_id'],
  measures: ['published', 'rsvps', 'attended', 'no_show'],
  happenings: [
    {
      from: 'event AS row',
      at: 'row.published_at',
      where: `row.status <> 'draft'`,
      keys: { event_id: 'row.id' },
      adds: { published: '1' },
    },
    {
      from: 'rsvp AS row',
      at: 'row.created_at',
      where: `row.status <> 'canceled'`,
      keys: { event_id: 'row.event_id' },
      adds: { rsvps: '1' },
    },
    {
      from: `rsvp AS row ${withEvent}`,
      at: 'event.starts_at',
      where: `row.status IN ('attended', 'no_show')`,
      keys: { event_id: 'row.event_id' },
      adds: {
        attended: `CASE row.status WHEN 'attended' THEN 1 ELSE 0 END`,
        no_show: `CASE row.status WHEN 'no_show' THEN 1 ELSE 0 END`,
      },
    },
  ],
}
